public import CatalogModel
public import Foundation

/// A file or a folder of this machine: a file URL, as apps have it, or a path, as a person types it.
///
/// ```swift
/// let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)
/// try await library.imports.apply(documents)
/// try await library.imports.apply(["Music/library.json"])  // from the current folder on
/// ```
public protocol FilePlace: Sendable {
  /// The path that calls of the system take, and that errors name.
  ///
  /// - Throws: `DocumentError` for a URL that is not a file URL.
  func filePath() throws(DocumentError) -> String
}

extension String: FilePlace {
  public func filePath() -> String { self }
}

extension URL: FilePlace {
  public func filePath() throws(DocumentError) -> String {
    guard isFileURL else {
      throw DocumentError(
        code: .fileUnreadable, file: absoluteString, message: "it is not a file URL",
        advice: "name a file or a folder of this machine")
    }
    return absoluteURL.path(percentEncoded: false)
  }
}
