import CatalogModel
package import CatalogStore
import Foundation
package import Projections
import Support

/// Where a page of a list ended: the next one begins after it, whatever items come or go meanwhile.
///
/// A cursor belongs to the list that gave it, and every other one refuses it. Its description is text that a command line
/// and an address can carry: some thousand characters at most, however long the keys are.
public struct KeysetCursor: Hashable, Sendable, CustomStringConvertible {
  private let list: String
  private let keys: [JSONValue]

  /// Characters of a cursor. An argument of a command may be twice as long (Linux: 128 KiB).
  private static let limit = 65_536
  /// Bytes of a text that a cursor contains as it is. A cursor with five texts of this length stays below `limit`, even if
  /// JSON escapes each of their bytes.
  private static let keyLimit = 1_024

  /// A key of the row that ended a page.
  package enum Key {
    case value(Value)
    /// A text that a cursor cannot contain: how it begins, and the hash of all of it.
    case long(prefix: String, hash: String)

    /// Whether a row that has this value may be the one that ended the page.
    func matches(_ value: Value) -> Bool {
      switch (self, value) {
      case (.value(.text(let text)), .text(let other)): text.utf8.elementsEqual(other.utf8)
      case (.value(let own), _): own == value
      case (.long(_, let hash), .text(let text)): KeysetCursor.hash(text) == hash
      case (.long, _): false
      }
    }
  }

  package init(list: String, _ values: [Value]) {
    self.list = Self.shortened(list)
    keys = values.map { value in
      switch value {
      case .integer(let integer): .number(String(integer))
      case .real(let real): .number(real.description)
      case .text(let text) where text.utf8.count > Self.keyLimit:
        .array([.string(Self.prefix(text)), .string(Self.hash(text))])
      case .text(let text): .string(text)
      case .id(let id): .string(id.description)
      case .time(let time): .string(time.description)
      case .null, .blob: preconditionFailure("no key of a list is NULL or a blob")
      }
    }
  }

  /// Reads what `description` wrote.
  ///
  /// - Throws: `StoreError` with `malformedCursor` for anything else.
  public init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.limit, parts.count == 2 else { throw Self.malformed }
    let plain = parts[0].replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
    guard let json = Data(base64Encoded: plain + padding).map({ Array($0) }),
      Self.checksum(json) == parts[1],
      let value = try? json.withUnsafeBytes({ try JSONValue.parse($0) }),
      case .array(let elements) = value, case .string(let list)? = elements.first
    else { throw Self.malformed }
    self.list = list
    keys = Array(elements.dropFirst())
  }

  /// JSON in base 64 with the alphabet of RFC 4648, section 5, without padding, and a checksum.
  ///
  /// The checksum tells a cursor that was changed or cut from one that a page gave; it is no secret, and none is needed.
  public var description: String {
    let json = Array(JSONValue.array([.string(list)] + keys).description.utf8)
    let text = Data(json).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    return text + "." + Self.checksum(json)
  }

  /// Whether a list of this name gave it.
  func belongs(to list: String) -> Bool { self.list == Self.shortened(list) }

  /// - Throws: `StoreError` if another list gave it.
  package func keys(of list: String, _ types: [ColumnType]) throws -> [Key] {
    guard belongs(to: list) else {
      throw StoreError(
        .cursorOfAnotherList,
        "the cursor is of another list (\(JSONExcerpt.printable(self.list)) instead of "
          + "\(JSONExcerpt.printable(list))); start again without one")
    }
    guard keys.count == types.count else { throw Self.malformed }
    return try zip(keys, types).map { key, type in
      switch (key, type) {
      case (.number(let text), .integer):
        if let integer = Int64(text) { return .value(.integer(integer)) }
      case (.number(let text), .real):
        if let real = Double(text), real.isFinite { return .value(.real(real)) }
      case (.string(let text), .text): return .value(.text(text))
      case (.array(let parts), .text):
        if parts.count == 2, case .string(let prefix) = parts[0], case .string(let hash) = parts[1]
        {
          return .long(prefix: prefix, hash: hash)
        }
      case (.string(let text), .id):
        if let id = EntityID(text) { return .value(.id(id)) }
      case (.string(let text), .time):
        if let time = Timestamp(text) { return .value(.time(time)) }
      default: break
      }
      throw Self.malformed
    }
  }

  package static var malformed: StoreError {
    StoreError(
      .malformedCursor,
      "this cursor is not from a page of this catalog, or was changed; start again without one")
  }

  /// The name of a list as a cursor has it: a search may be long.
  private static func shortened(_ list: String) -> String {
    list.utf8.count <= Self.keyLimit ? list : prefix(list) + hash(list)
  }

  /// How a text begins, cut between two of Unicode's scalars.
  private static func prefix(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var length = 0
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      guard length <= Self.keyLimit / 4 else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  fileprivate static func hash(_ text: String) -> String {
    Hex.string(SHA256.hash(data: Array(text.utf8)))
  }

  private static func checksum(_ json: [UInt8]) -> String {
    Hex.string(SHA256.hash(data: json).prefix(6))
  }
}
