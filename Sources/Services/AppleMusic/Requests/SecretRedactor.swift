import CatalogModel

/// The developer token of a request, which a server may send back: it must get into no error and into no log.
struct SecretRedactor: Sendable {
  /// Bytes of the shortest secret that is looked for: no real token is as short, and a word that stands in for one
  /// would take the same word out of every message.
  private static let shortest = 16

  /// Nil where it is too short.
  private let bytes: [UInt8]?

  init(_ text: String) {
    bytes = text.utf8.count < Self.shortest ? nil : Array(text.utf8)
  }

  /// Compares bytes: as characters, the token's last one and a mark that combines with it would be another one.
  func isIn(_ text: String) -> Bool {
    guard let bytes, text.utf8.count >= bytes.count else { return false }
    return Array(text.utf8).firstRange(of: bytes) != nil
  }

  /// Whether any text or name of a document has it, however that is escaped.
  func isIn(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool: false
    case .number(let text), .string(let text): isIn(text)
    case .array(let elements): elements.contains(where: isIn)
    case .object(let members): members.contains { isIn($0.key) || isIn($0.value) }
    }
  }

  func hidden(in text: String) -> String {
    guard let bytes, isIn(text) else { return text }
    return String(decoding: Array(text.utf8).replacing(bytes, with: "(token)".utf8), as: UTF8.self)
  }
}
