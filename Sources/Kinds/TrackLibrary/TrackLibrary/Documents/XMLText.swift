import CatalogEngine

/// Reads XML as far as playlists need it: elements and their texts. Attributes are passed over, and a document that
/// declares entities of its own is refused.
struct XMLText {
  /// An element that ended.
  struct Element {
    /// The names of the elements that it is in, and its own; without prefixes.
    var path: [String]
    /// Without the texts of elements in it.
    var text: String
  }

  /// Deeper documents are refused: no list is so deep.
  private static let depthLimit = 64

  private let file: String
  private let bytes: [UInt8]
  private var place = 0
  private var open: [(name: String, text: [UInt8])] = []

  /// Calls `body` with each element when it ends.
  static func read(
    _ bytes: [UInt8], file: String, _ body: (Element) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    var reader = XMLText(file: file, bytes: bytes)
    while reader.place < bytes.count { try reader.readNext(body) }
    guard reader.open.isEmpty else { throw reader.failure("the document ends within an element") }
  }

  private init(file: String, bytes: [UInt8]) {
    self.file = file
    self.bytes = bytes
  }

  private mutating func readNext(
    _ body: (Element) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard bytes[place] == UInt8(ascii: "<") else { return try readText() }
    if try skip("<!--", to: "-->") { return }
    if try skip("<?", to: "?>") { return }
    if bytes[place...].starts(with: "<![CDATA[".utf8) {
      let start = place + 9
      _ = try skip("<![CDATA[", to: "]]>")
      return append(bytes[start..<place - 3])
    }
    if bytes[place...].starts(with: "<!".utf8) {
      let start = place
      guard try skip("<!", to: ">"), !bytes[start..<place].contains(UInt8(ascii: "[")) else {
        throw failure("the document declares entities of its own")
      }
      return
    }
    let start = place
    try skipTag()
    let tag = bytes[start + 1..<place - 1]
    if tag.first == UInt8(ascii: "/") {
      return try close(name(of: tag.dropFirst()), body)
    }
    let isEmpty = tag.last == UInt8(ascii: "/")
    let name = name(of: isEmpty ? tag.dropLast() : tag)
    guard !name.isEmpty, open.count < Self.depthLimit else {
      throw failure(name.isEmpty ? "an element has no name" : "the elements are too deep")
    }
    open.append((name, []))
    if isEmpty { try close(name, body) }
  }

  private mutating func close(
    _ name: String, _ body: (Element) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard let last = open.last, last.name == name else {
      throw failure("</\(JSONExcerpt.printable(name))> closes another element")
    }
    guard let text = String(validating: last.text, as: UTF8.self) else {
      throw failure("the text of <\(JSONExcerpt.printable(name))> is not UTF-8")
    }
    try body(Element(path: open.map(\.name), text: text))
    open.removeLast()
  }

  // MARK: Bytes

  private mutating func append(_ text: some Sequence<UInt8>) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  /// The name in a tag, without the prefix of its namespace.
  private func name(of tag: ArraySlice<UInt8>) -> String {
    let name = tag.prefix { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  /// Moves after a part of the document that begins here.
  ///
  /// - Returns: false if none begins here.
  private mutating func skip(_ start: String, to end: String) throws(DocumentError) -> Bool {
    guard bytes[place...].starts(with: start.utf8) else { return false }
    var next = place + start.utf8.count
    while next < bytes.count, !bytes[next...].starts(with: end.utf8) { next += 1 }
    guard next < bytes.count else { throw failure("the document ends within \(start)") }
    place = next + end.utf8.count
    return true
  }

  /// Moves after a tag; a `>` in an attribute does not end it.
  private mutating func skipTag() throws(DocumentError) {
    var quote: UInt8?
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if quote == nil, byte == UInt8(ascii: ">") { return }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    }
    throw failure("the document ends within a tag")
  }

  private mutating func readText() throws(DocumentError) {
    while place < bytes.count, bytes[place] != UInt8(ascii: "<") {
      guard bytes[place] == UInt8(ascii: "&") else {
        let end = bytes[place...].firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        append(bytes[place..<(end ?? bytes.count)])
        place = end ?? bytes.count
        continue
      }
      guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
        let character = Self.character(String(decoding: bytes[place + 1..<end], as: UTF8.self))
      else {
        // A bare ampersand is itself.
        append([bytes[place]])
        place += 1
        continue
      }
      append(Array(String(character).utf8))
      place = end + 1
    }
  }

  private static func character(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where name.hasPrefix("#x"):
      UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
  }

  private func failure(_ message: String) -> DocumentError {
    let line = bytes[..<min(place, bytes.count)].count { $0 == 0x0A } + 1
    return DocumentError(
      code: .invalidValue, file: file, path: "line \(line)", message: message,
      advice: "correct it there, or export the list again")
  }
}
