import CatalogModel
import CatalogStore
import LibC
import Projections

/// A value of another program's database as a column of a catalog has it.
enum DatabaseCell {
  /// Why no catalog can have a value; nil if one can. A sign of zero is not kept.
  static func problem(_ cell: PreparedStatement.Cell) -> String? {
    switch cell {
    case .text(let bytes):
      if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil {
        return "is a text with U+0000"
      }
      guard isUTF8(bytes) else { return "is a text that is not UTF-8" }
      return fits(cell: .text(bytes))
    case .real(let real): return real.isFinite ? nil : "is \(real), and numbers here are finite"
    case .blob(let bytes): return fits(cell: .blob(bytes))
    case .null, .integer: return nil
    }
  }

  /// Why a line of the log cannot have a value; nil if it can.
  private static func fits(cell: PackedCell) -> String? {
    switch cell {
    case .text(let bytes), .blob(let bytes):
      // A character of a text becomes six bytes at most.
      if bytes.count <= RowGroups.longestRow / 6 || cell.lengthInLine <= RowGroups.longestRow {
        return nil
      }
      return
        "has more bytes than a line of the log may have, which is \(RowGroups.longestRow >> 20) MiB in JSON"
    default: return nil
    }
  }

  /// The bytes of a value as it is stored, about.
  @inline(__always)
  static func length(_ cell: PreparedStatement.Cell) -> Int {
    switch cell {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .null, .integer, .real: 8
    }
  }

  /// The bytes of a value in a line of the log, at most.
  static func lengthInLine(_ cell: PreparedStatement.Cell) -> Int {
    switch cell {
    case .text(let bytes): PackedCell.text(bytes).lengthInLine
    case .blob(let bytes): PackedCell.blob(bytes).lengthInLine
    case .null, .integer, .real: 27
    }
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.allSatisfy({ $0 < 0x80 }) { return true }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether a column of a type can have the value.
  static func fits(_ cell: PreparedStatement.Cell, _ column: DescribedColumn) -> Bool {
    switch (cell, column.type) {
    case (.null, _): column.isOptional
    // No number is rounded.
    case (.integer(let integer), .number): Double(exactly: integer) != nil
    case (.integer, .integer), (.real, .number), (.text, .text), (.blob, .blob), (.integer, .any),
      (.real, .any), (.text, .any), (.blob, .any):
      true
    case (.integer(let integer), .flag): integer == 0 || integer == 1
    default: false
    }
  }

  /// Appends a value that fits.
  static func append(
    _ cell: PreparedStatement.Cell, _ column: DescribedColumn, to row: inout RowBuffer
  ) {
    switch cell {
    case .null: row.appendNull()
    case .integer(let integer) where column.type == .number: row.append(real: Double(integer))
    case .integer(let integer): row.append(integer: integer)
    case .real(let real): row.append(real: real + 0)
    case .text(let bytes): row.append(text: bytes)
    case .blob(let bytes): row.append(blob: bytes)
    }
  }

  /// The storage class with an article: `a text`.
  static func noun(_ cell: PreparedStatement.Cell) -> String {
    switch cell {
    case .null: "NULL"
    case .integer: "a whole number"
    case .real: "a number"
    case .text: "a text"
    case .blob: "bytes"
    }
  }
}
