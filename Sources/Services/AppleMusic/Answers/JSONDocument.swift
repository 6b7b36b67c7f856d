import CatalogModel

/// An answer of the API, read as JSON by the catalog's strict rules: no U+0000, no invalid UTF-8.
struct JSONDocument: Sendable {
  let root: JSONValue
  /// Where it came from, for errors: an address without its query.
  let place: String

  /// - Throws: `unexpectedContent`.
  init(_ bytes: [UInt8], from place: String) throws(AppleMusicError) {
    self.place = place
    do throws(JSONError) {
      root = try JSONValue.parse(bytes)
    } catch {
      // What stands there is not shown: it could be anything.
      throw AppleMusicError(
        .unexpectedContent,
        "the server sent invalid JSON: at byte \(error.offset), "
          + "\(error.showsValue ? "the value " : "")\(error.message) (\(place)); try again "
          + "later")
    }
  }

  /// The members of `data`.
  ///
  /// - Throws: `unexpectedContent` if there is no such list.
  func data() throws(AppleMusicError) -> [JSONValue] {
    guard let elements = root["data"]?.elements else { throw unexpected("has no list \"data\"") }
    return elements
  }

  /// A text in the form in which the catalog keeps it.
  ///
  /// - Parameters:
  ///   - value: nil gives nil, and so does whatever is no string.
  ///   - path: names it in an error.
  /// - Throws: `unexpectedContent` if the catalog cannot hold it.
  func text(_ value: JSONValue?, at path: String) throws(AppleMusicError) -> String? {
    guard let text = value?.text else { return nil }
    do throws(TextProblem) {
      return try TextRules.verbatim(text)
    } catch {
      throw unexpected("is invalid: \(path) \(error.message)")
    }
  }

  /// A text that must be there and say something.
  func requiredText(_ value: JSONValue?, at path: String) throws(AppleMusicError) -> String {
    guard let text = try text(value, at: path), !TextRules.isBlank(text) else {
      throw unexpected("has no \(path)")
    }
    return text
  }

  /// - Parameter what: continues "the answer".
  func unexpected(_ what: String) -> AppleMusicError {
    AppleMusicError(.unexpectedContent, "the answer \(what) (\(place)); try again later")
  }
}
