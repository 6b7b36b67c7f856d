import CatalogModel
import Projections

/// Which rows of a table share a running digest: those whose keys begin alike.
///
/// A stretch is a range of the table's key, so that all its rows are found by one search: to prove the
/// few rows that an edit reads, a few stretches are read and not the table. A key that begins with an id has
/// 256 of them, by the id's first byte; one that begins with an integer has one for each 1,024 numbers;
/// any other table is one stretch.
enum RowStretch {
  private static let numbers: Int64 = 10
  /// Where a row stands whose key is none that a projector makes.
  static let nowhere = Int64.min

  @inline(__always)
  static func of(_ id: EntityID) -> Int64 { Int64(id.high >> 56) }

  @inline(__always)
  static func of(_ integer: Int64) -> Int64 { integer >> numbers }

  /// The stretch of a row by the first value of its key.
  static func of(_ value: Value, _ table: TableDescription) -> Int64 {
    switch (value, table.leadingType) {
    case (.id(let id), .id): of(id)
    case (.integer(let integer), .integer): of(integer)
    case (_, .text), (_, .time), (_, .real), (_, .blob), (_, .any): 0
    default: nowhere
    }
  }

  @inline(__always)
  static func of(_ cell: PackedCell, _ table: TableDescription) -> Int64 {
    switch cell {
    case .id(let id): of(id)
    case .integer(let integer): of(integer)
    case .null, .real, .text, .time, .blob: 0
    }
  }

  static func of(_ cell: PreparedStatement.Cell, _ type: ColumnType) -> Int64 {
    switch (cell, type) {
    case (.integer(let integer), .integer): of(integer)
    // What else the id is made of is hashed with the row.
    case (.text(let bytes), .id): firstByte(bytes) ?? nowhere
    case (_, .text), (_, .time), (_, .real), (_, .blob), (_, .any): 0
    default: nowhere
    }
  }

  /// The byte that two lower-case hex digits stand for.
  @inline(__always)
  private static func firstByte(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count >= 2, let high = digit(text[0]), let low = digit(text[1]) else { return nil }
    return Int64(high << 4 | low)
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The least and the greatest first value of the keys of a stretch, for `BETWEEN`; nil if the stretch is
  /// the whole table.
  static func bounds(_ stretch: Int64, _ table: TableDescription) -> (
    least: Value, greatest: Value
  )? {
    switch table.leadingType {
    case .integer:
      let least = stretch << numbers
      return (.integer(least), .integer(least | (1 << numbers - 1)))
    case .id:
      let first = UInt64(truncatingIfNeeded: stretch & 0xFF) << 56
      return (
        .id(EntityID(high: first, low: 0)), .id(EntityID(high: first | .max >> 8, low: .max))
      )
    case .text, .time, .real, .blob, .any: return nil
    }
  }
}

extension TableDescription {
  /// What the key begins with.
  @inline(__always)
  var leadingType: ColumnType { columns[key[0]].type }
}
