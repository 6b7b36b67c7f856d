/// The form of a text that payloads contain.
public struct PayloadForm: Sendable {
  /// With its article: `a time`.
  public let name: String
  /// A regular expression of JSON Schema that every text of this form matches.
  public let pattern: String
  let fits: @Sendable (String) -> Bool

  /// - Parameter fits: what the pattern does not say, for a text that has no type of its own.
  public init(
    _ name: String, pattern: String, fits: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.name = name
    self.pattern = pattern
    self.fits = fits
  }

  func check(_ value: JSONValue) throws(PayloadReader.Problem) {
    guard fits(try String.read(value)) else { throw JSONValue.wrongType(value, name) }
  }

  /// The JSON Schema of a text of this form.
  public var schema: JSONValue {
    .members(["type": .string("string"), "pattern": .string(pattern)])
  }
}
