/// How much a value of a payload may hold.
public struct PayloadLimit<Part>: Sendable {
  /// For the schema: `at most 1024 bytes`.
  @usableFromInline let description: String
  private let name: String?
  private let reason: @Sendable (Part, _ isNew: Bool) -> String?

  /// - Parameters:
  ///   - most: the most that are allowed.
  ///   - unit: what is counted: `bytes`.
  ///   - name: what the value is called in a message: `the picture`; nil if it is called by its key.
  public init(
    _ most: Int, _ unit: String, of name: String? = nil, count: @escaping @Sendable (Part) -> Int
  ) {
    self.init((name.map { "\($0) has " } ?? "") + "at most \(most) \(unit)", of: name) { part, _ in
      let found = count(part)
      return found > most ? "has \(found) \(unit); the limit is \(most)" : nil
    }
  }

  /// - Parameters:
  ///   - description: for the schema: `0 or more`.
  ///   - name: what the value is called in a message: `the picture`; nil if it is called by its key.
  ///   - reason: what is wrong with a value, without what it is called; nil if it is within the limit. `isNew` says whether
  ///     the event is about to be written: a limit can be narrower then, and leave the events of older logs as they are.
  public init(
    _ description: String, of name: String? = nil,
    reason: @escaping @Sendable (Part, _ isNew: Bool) -> String?
  ) {
    self.description = description
    self.name = name
    self.reason = reason
  }

  /// The limit for a value that may be missing.
  @usableFromInline var optional: PayloadLimit<Part?> {
    let reason = reason
    return PayloadLimit<Part?>(description, of: name) { part, isNew in
      part.flatMap { reason($0, isNew) }
    }
  }

  /// The message of a value without a path has what the value is called.
  @usableFromInline
  func excess(of part: Part, _ key: StaticString, isNew: Bool) -> PayloadReader.Problem? {
    guard let reason = reason(part, isNew) else { return nil }
    guard let name else { return PayloadReader.Problem(path: ".\(key)", message: reason) }
    return PayloadReader.Problem(path: "", message: "\(name) \(reason)")
  }
}
