/// What a reader knows about bad JSON at the moment it meets it.
///
/// Path, line and excerpt are found afterwards from `offset`, so that reading well-formed documents
/// pays nothing for them; see `DocumentError.init(_:in:file:)`.
package struct JSONError: Error, Hashable, Sendable {
  package var code: DocumentError.Code
  /// Byte offset of the offending key or value, or of the byte where the JSON goes wrong.
  package var offset: Int
  /// Whether what stands at `offset` is the culprit and opens the sentence.
  package var showsValue: Bool
  /// Continues the value ("is no string") where `showsValue`, else stands alone.
  package var message: String
  package var advice: String?

  package init(
    _ code: DocumentError.Code, at offset: Int, showsValue: Bool = true, _ message: String,
    advice: String? = nil
  ) {
    self.code = code
    self.offset = offset
    self.showsValue = showsValue
    self.message = message
    self.advice = advice
  }
}
