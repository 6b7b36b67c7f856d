import CatalogModel
package import GRDB
package import Projections
import Support

/// A value as SQLite stores it, whatever its column's description says.
package enum StoredValue: Hashable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// A text whose bytes are not UTF-8.
  case malformed([UInt8])
  case blob([UInt8])

  /// A value of the current row of a statement.
  package init(_ statement: Statement, at place: Int) {
    self.init(statement.sqliteStatement, at: place)
  }

  init(_ statement: OpaquePointer, at place: Int) {
    self.init(PreparedStatement.cell(place, of: statement))
  }

  package init(_ cell: PreparedStatement.Cell) {
    switch cell {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes):
      self =
        String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .malformed(Array(bytes))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }

  /// A projector's value, as SQLite stores it, which has one zero.
  package init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real + 0)
      case .text(let text): .text(text)
      case .id(let id): .text(id.description)
      case .time(let time): .text(time.description)
      case .blob(let bytes): .blob(bytes)
      }
  }

  /// As SQL writes it: `NULL`, `3`, `1.5`, `'Forest'`, `CAST(x'ff' AS TEXT)`, `x'00ff'`.
  package var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): "'\(text.replacing(scalar: "'", with: "''"))'"
    case .malformed(let bytes): "CAST(x'\(Hex.string(bytes))' AS TEXT)"
    case .blob(let bytes): "x'\(Hex.string(bytes))'"
    }
  }

  /// Equal in storage class and bytes: canonically equivalent texts are two values to SQLite.
  package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.malformed(let left), .malformed(let right)): left == right
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let integer): hasher.combine(integer)
    case .real(let real): hasher.combine(real)
    case .text(let text): text.hashBytes(into: &hasher)
    case .malformed(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }

  /// SQLite's order: NULL, numbers, text by bytes, blobs by bytes. SQLite takes 1 and 1.0 for the same; here 1 comes first, so that
  /// two values of which neither is before the other are equal.
  package func isBefore(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.integer(let left), .real(let right)): !Self.isBelow(right, left)
    case (.real(let left), .integer(let right)): Self.isBelow(left, right)
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.text(let left), .malformed(let right)): left.utf8.lexicographicallyPrecedes(right)
    case (.malformed(let left), .text(let right)): left.lexicographicallyPrecedes(right.utf8)
    case (.malformed(let left), .malformed(let right)): left.lexicographicallyPrecedes(right)
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    default: storageClass < other.storageClass
    }
  }

  /// Whether a real number is less than a whole one, also if no real number equals the whole one.
  private static func isBelow(_ real: Double, _ integer: Int64) -> Bool {
    guard let floor = Int64(exactly: real.rounded(.down)) else { return real < 0 }
    return floor < integer
  }

  private var storageClass: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text, .malformed: 2
    case .blob: 3
    }
  }
}
