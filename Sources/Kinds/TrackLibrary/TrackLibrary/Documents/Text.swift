import CatalogEngine

/// Texts of documents, held to the rules of the catalog.
enum Text {
  /// - Parameter place: what errors call where it stands: `line 3`, `$.items[2].name`.
  static func verbatim(_ text: String, file: String, place: String) throws(DocumentError) -> String
  {
    try TextRules.apply(TextRules.verbatim, to: text) { failure(text, $0, file, place) }
  }

  /// The same for a short text that must say something.
  static func name(_ text: String, file: String, place: String) throws(DocumentError) -> String {
    try TextRules.apply(TextRules.name, to: text) { failure(text, $0, file, place) }
  }

  private static func failure(
    _ text: String, _ problem: TextProblem, _ file: String, _ place: String
  ) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: file, path: place, value: "\"\(JSONExcerpt.printable(text))\"",
      message: problem.message, advice: problem.advice)
  }
}
