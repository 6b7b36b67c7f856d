import CatalogEngine

extension NewFile {
  /// Writes the text, syncs it and gives it its name. Where this throws, nothing is left.
  func write(_ text: String) throws {
    try write { TextOutput.write(text, to: $0) }
  }
}
