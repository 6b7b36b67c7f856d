public import CatalogModel

/// A document as a command line names it: a file, or `-` for standard input.
public struct TypedDocument: Sendable {
  /// The name in errors: the file, or `standard input`.
  public let name: String
  /// All of it, decompressed.
  public let bytes: [UInt8]

  /// Reads the document as a whole, and decompresses it if it is compressed. Blocks the thread.
  ///
  /// - Parameters:
  ///   - argument: a path, or `-`.
  ///   - limit: the most bytes, compressed and not.
  ///   - isJSON: false for a document of another format.
  /// - Throws: as `DocumentFile.load` and `DocumentFile.loadStandardInput`.
  public init(
    _ argument: String, limit: Int = DocumentFile.sizeLimit, isJSON: Bool = true
  ) throws(DocumentError) {
    name = Self.name(of: argument)
    bytes =
      argument == "-"
      ? try DocumentFile.loadStandardInput(limit: limit)
      : try DocumentFile.load(argument, limit: limit, isJSON: isJSON)
  }

  /// The name in errors of what an argument names.
  public static func name(of argument: String) -> String {
    argument == "-" ? DocumentFile.standardInputName : argument
  }
}
