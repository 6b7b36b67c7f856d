import CatalogEngine

/// Texts of documents, held to the rules of the catalog.
enum Text {
  /// - Parameter place: what errors call where it stands: `line 3`, `$.items[2].name`.
  static func verbatim(_ text: String, file: String, place: String) throws(DocumentError) -> String
  {
    do throws(TextProblem) {
      return try TextRules.verbatim(text)
    } catch {
      throw failure(text, error, file, place)
    }
  }

  /// The same for a short text that must say something.
  static func name(_ text: String, file: String, place: String) throws(DocumentError) -> String {
    do throws(TextProblem) {
      return try TextRules.name(text)
    } catch {
      throw failure(text, error, file, place)
    }
  }

  private static func failure(
    _ text: String, _ problem: TextProblem, _ file: String, _ place: String
  ) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: file, path: place, value: "\"\(JSONExcerpt.printable(text))\"",
      message: problem.message, advice: problem.advice)
  }
}
