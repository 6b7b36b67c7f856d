package import CatalogModel

/// Writes values as a document of JSON: each on a line, or as the elements of an array.
package struct JSONOutput {
  private let console: Console
  private let isArray: Bool
  private var text = ""
  private var count = 0
  private static let chunk = 64 << 10

  /// - Parameter isArray: whether the document is one array; else each line is a value.
  package init(_ console: Console, isArray: Bool) {
    self.console = console
    self.isArray = isArray
  }

  package mutating func write(_ value: JSONValue) {
    if isArray { text += count == 0 ? "[\n" : ",\n" }
    text += value.description
    if !isArray { text += "\n" }
    count += 1
    if text.utf8.count >= Self.chunk { writeText() }
  }

  /// Ends the document. Without any value it is an empty array, or an empty line, since no reader takes a file without bytes.
  package mutating func finish() {
    if isArray {
      text += count == 0 ? "[]\n" : "\n]\n"
    } else if count == 0 {
      text += "\n"
    }
    writeText()
  }

  private mutating func writeText() {
    if !text.isEmpty { console.write(verbatimJSON: text) }
    text = ""
  }
}
