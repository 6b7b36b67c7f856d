import CatalogModel
import LibC
import Projections

/// How cells of documents are packed: a byte that says what follows, and the value.
///
/// Rows of a kind are packed by the types of their columns (`CellCoding`), which a document's rows need not fit yet, and a
/// column of the type `any` has none. Equal values have equal bytes.
enum DocumentCell {
  static let null: UInt8 = 0
  static let real: UInt8 = 1
  static let text: UInt8 = 2
  static let blob: UInt8 = 3
  static let id: UInt8 = 4
  static let time: UInt8 = 5
  /// And the count of the bytes that follow, 0 to 8: the lowest ones of an integer, whose other bits are those of its sign.
  static let integer: UInt8 = 0x10

  /// Reads the cell at a place, and moves after it.
  static func read(_ pointer: inout UnsafeRawPointer) -> PackedCell {
    let kind = pointer.load(as: UInt8.self)
    pointer += 1
    switch kind {
    case null: return .null
    case real: return .real(Double(bitPattern: eight(&pointer)))
    case text: return .text(bytes(&pointer))
    case blob: return .blob(bytes(&pointer))
    case id:
      let high = eight(&pointer)
      return .id(EntityID(high: high, low: eight(&pointer)))
    case time: return .time(Timestamp(milliseconds: Int64(bitPattern: eight(&pointer))))
    default:
      let count = Int(kind - integer)
      guard count > 0 else { return .integer(0) }
      var pattern: UInt64 = 0
      memcpy(&pattern, pointer, count)
      pointer += count
      let shift = UInt64(64 - 8 * count)
      return .integer(Int64(bitPattern: UInt64(littleEndian: pattern) << shift) >> Int64(shift))
    }
  }

  /// The bytes of the cell at a place. `pointer` moves after it.
  static func skip(_ pointer: inout UnsafeRawPointer) -> UnsafeRawBufferPointer {
    let start = pointer
    _ = read(&pointer)
    return UnsafeRawBufferPointer(start: start, count: pointer - start)
  }

  enum Order {
    case less, equal, greater
  }

  /// Compares two rows of cells, cell by cell: whole numbers and texts in the order in which a table has them, so that rows
  /// that come out of a table are in order; others by their bytes.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Order {
    guard var one = left.baseAddress, var other = right.baseAddress else {
      return order(left.count, right.count)
    }
    let ends = (one + left.count, other + right.count)
    while one < ends.0, other < ends.1 {
      let starts = (one, other)
      let order: Order =
        switch (read(&one), read(&other)) {
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.text(let left), .text(let right)): order(left, right)
        case (.id(let left), .id(let right)): order(left, right)
        case (.time(let left), .time(let right)): order(left, right)
        default:
          order(
            UnsafeRawBufferPointer(start: starts.0, count: one - starts.0),
            UnsafeRawBufferPointer(start: starts.1, count: other - starts.1))
        }
      if order != .equal { return order }
    }
    return order(ends.0 - one, ends.1 - other)
  }

  private static func order<Ordered: Comparable>(_ left: Ordered, _ right: Ordered) -> Order {
    left == right ? .equal : left < right ? .less : .greater
  }

  private static func order(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Order {
    if let one = left.baseAddress, let other = right.baseAddress {
      let order = memcmp(one, other, min(left.count, right.count))
      if order != 0 { return order < 0 ? .less : .greater }
    }
    return order(left.count, right.count)
  }

  private static func eight(_ pointer: inout UnsafeRawPointer) -> UInt64 {
    defer { pointer += 8 }
    return UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  private static func bytes(_ pointer: inout UnsafeRawPointer) -> UnsafeRawBufferPointer {
    let count = PackedLength.read(&pointer)
    defer { pointer += count }
    return UnsafeRawBufferPointer(start: pointer, count: count)
  }
}

extension RowBuffer {
  /// The value of the first cell.
  var firstValue: Value {
    guard var pointer = bytes.baseAddress, !bytes.isEmpty else { return .null }
    return DocumentCell.read(&pointer).value
  }

  mutating func appendNull() { append(DocumentCell.null) }

  mutating func append(integer: Int64) {
    let magnitude = UInt64(bitPattern: integer < 0 ? ~integer : integer)
    let count = magnitude == 0 && integer == 0 ? 0 : (72 - magnitude.leadingZeroBitCount) / 8
    append(DocumentCell.integer + UInt8(count))
    withUnsafeBytes(of: UInt64(bitPattern: integer).littleEndian) {
      append(UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }

  mutating func append(real: Double) {
    append(DocumentCell.real)
    append(bigEndian: real.bitPattern)
  }

  mutating func append(text: UnsafeRawBufferPointer) {
    append(DocumentCell.text)
    append(length: text.count)
    append(text)
  }

  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
  }

  mutating func append(blob: UnsafeRawBufferPointer) {
    append(DocumentCell.blob)
    append(length: blob.count)
    append(blob)
  }

  mutating func append(id: EntityID) {
    append(DocumentCell.id)
    append(bigEndian: id.high)
    append(bigEndian: id.low)
  }

  mutating func append(_ cell: PackedCell) {
    switch cell {
    case .null: appendNull()
    case .integer(let integer): append(integer: integer)
    case .real(let real): append(real: real)
    case .text(let bytes): append(text: bytes)
    case .blob(let bytes): append(blob: bytes)
    case .id(let id): append(id: id)
    case .time(let time):
      append(DocumentCell.time)
      append(bigEndian: UInt64(bitPattern: time.milliseconds))
    }
  }

  mutating func append(_ value: Value) {
    value.withCell { append($0) }
  }
}
