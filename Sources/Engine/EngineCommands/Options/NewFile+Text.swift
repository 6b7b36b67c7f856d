package import CatalogEngine

extension CatalogOptions {
  /// Writes a text to a new file: all of it, or no file.
  ///
  /// - Throws: `CatalogError` with `directory` if the file exists, or if a catalog keeps its own files there.
  public func write(_ text: String, toNewFile path: String) throws {
    try NewFile(path, apartFrom: CatalogPlaces(of: directory)).write(text)
  }
}

extension NewFile {
  /// Writes the text, syncs it and gives it its name. Where this throws, nothing is left.
  package func write(_ text: String) throws {
    try write { TextOutput.write(text, to: $0) }
  }
}
