import CatalogModel
import CatalogStore
import Foundation
import Hashing
import Projections

/// Where a page of a `KeysetList` ended. Its description is text that a command line and an address can carry.
public struct KeysetCursor: Hashable, Sendable, CustomStringConvertible {
  private let list: String
  private let values: [JSONValue]

  init(list: String, _ values: [Value]) {
    self.list = list
    self.values = values.map { value in
      switch value {
      case .integer(let integer): .number(String(integer))
      case .real(let real): .number(real.description)
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
    guard text.utf8.count <= 16_384, parts.count == 2, let json = Self.decode(parts[0]),
      Self.checksum(json) == parts[1],
      let value = try? json.withUnsafeBytes({ try JSONValue.parse($0) }),
      case .array(let elements) = value, case .string(let list)? = elements.first
    else { throw Self.malformed }
    self.list = list
    values = Array(elements.dropFirst())
  }

  public var description: String {
    let json = Array(JSONValue.array([.string(list)] + values).description.utf8)
    let text = Data(json).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return text + "." + Self.checksum(json)
  }

  /// Whether a list of this name gave it.
  func belongs(to list: String) -> Bool { self.list == list }

  /// - Throws: `StoreError` where another list gave it.
  func values(of list: String, _ types: [ColumnType]) throws -> [Value] {
    guard self.list == list else {
      throw StoreError(
        .cursorOfAnotherList,
        "the cursor is of another list (\(JSONExcerpt.printable(self.list)) instead of "
          + "\(JSONExcerpt.printable(list))); start again without one")
    }
    guard values.count == types.count else { throw Self.malformed }
    return try zip(values, types).map { value, type in
      switch (value, type) {
      case (.number(let text), .integer):
        if let integer = Int64(text) { return .integer(integer) }
      case (.number(let text), .real):
        if let real = Double(text), real.isFinite { return .real(real) }
      case (.string(let text), .text): return .text(text)
      case (.string(let text), .id):
        if let id = EntityID(text) { return .id(id) }
      case (.string(let text), .time):
        if let time = Timestamp(text) { return .time(time) }
      default: break
      }
      throw Self.malformed
    }
  }

  private static var malformed: StoreError {
    StoreError(
      .malformedCursor,
      "this cursor is not from a page of this catalog, or was changed; start again without one")
  }

  private static func decode(_ text: Substring) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map { Array($0) }
  }

  /// Tells a cursor that was changed or cut from one that a page gave; no secret, and none is needed.
  private static func checksum(_ json: [UInt8]) -> String {
    Hex.string(SHA256.hash(data: json).prefix(6))
  }
}
