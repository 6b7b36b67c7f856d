import CatalogEngine

/// Reads playlists in PLS: `File1=…`, `Title1=…`, `Length1=…`.
enum PLS {
  private struct Entry {
    var file: (line: DocumentText.Line, path: String)?
    var title = ""
    var seconds = -1.0
  }

  static func read(_ bytes: [UInt8], _ file: ListFile) throws(DocumentError) -> Content {
    let text = try DocumentText.utf8(bytes, file: file.path)
    if let content = FileContent(of: text), content != .pls {
      throw content.refusal(file.path, "a list in PLS")
    }
    var entries: [Int: Entry] = [:]
    var isList = text.isEmpty
    DocumentText.readLines(text) { (line) throws(Never) in
      let line = line.withoutMarks
      let parts = line.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(parts[0]).trimmed().lowercased()
      if key == "[playlist]" { isList = true }
      let name = key.prefix { !$0.isNumber }
      guard parts.count == 2, let number = Int(key.dropFirst(name.count)) else { return }
      let value = String(parts[1]).trimmed()
      switch name {
      case "file": entries[number, default: Entry()].file = (line, value)
      case "title": entries[number, default: Entry()].title = value
      case "length": entries[number, default: Entry()].seconds = Double(value) ?? -1
      default: break
      }
    }
    guard isList || !entries.isEmpty else {
      throw DocumentError(
        code: .unsupportedFormat, file: file.path, message: "this is not a list in PLS",
        advice: "give it the ending of its format")
    }
    var reader = M3U.Reader(file)
    for (number, entry) in entries.sorted(by: { $0.key < $1.key }) {
      guard let (line, path) = entry.file else {
        reader.leaveOut("entry \(number)", "it has no File\(number)")
        continue
      }
      // What a line may hold besides the path is another path only if a file is called so.
      reader.describe(line.number, seconds: entry.seconds, entry.title)
      reader.add(path, DocumentText.Line(text: path, number: line.number), line.number)
    }
    return reader.finished(.pls)
  }
}
