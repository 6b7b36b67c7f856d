package import CatalogModel
import LibC

/// A value of a packed row, read in place. A text's or a blob's bytes live as long as the row is not changed.
package enum PackedCell {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case id(EntityID)
  case time(Timestamp)
  case blob(UnsafeRawBufferPointer)

  package var value: Value {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .id(let id): .id(id)
    case .time(let time): .time(time)
    case .blob(let bytes): .blob(Array(bytes))
    }
  }
}

extension Value {
  /// Calls `body` with the value as a cell, whose bytes live as long as the call.
  @inline(__always)
  package func withCell<Result>(_ body: (PackedCell) throws -> Result) rethrows -> Result {
    switch self {
    case .null: try body(.null)
    case .integer(let integer): try body(.integer(integer))
    case .real(let real): try body(.real(real))
    case .text(var text): try text.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
    case .id(let id): try body(.id(id))
    case .time(let time): try body(.time(time))
    case .blob(let bytes): try bytes.withUnsafeBytes { try body(.blob($0)) }
    }
  }
}

/// Writes and reads single values of packed rows.
///
/// In a key the bytes keep SQLite's order under `memcmp`: integers as a length and big-endian bytes,
/// text with a closing zero (rows hold no U+0000), UUIDs and times as they are. Outside a key texts and
/// blobs have their length before them, and a nullable column a byte that says whether there is a value. The bytes of a
/// long blob are in the store's `BlobPool`, and their address is in the row.
/// No key holds a real number or a blob, whose bytes would be in another order. A value of a column of the type `any` has a byte
/// for its own type before it.
enum CellCoding {
  /// What of a column's description decides how its values are packed. A description has texts, whose
  /// references would be counted for each cell.
  struct Form: BitwiseCopyable {
    let type: ColumnType
    let isNullable: Bool

    init(_ column: ColumnDescription) {
      type = column.type
      isNullable = column.isNullable
    }

    init(_ type: ColumnType) {
      self.type = type
      isNullable = false
    }
  }

  /// - Parameter blobs: gets the bytes of long blobs.
  /// - Returns: false if the column cannot hold the value (`TableDescription.require`); what was appended is
  ///   of no use then.
  @discardableResult
  static func append(
    _ value: Value, _ column: Form, inKey: Bool, to bytes: inout RowBuffer, blobs: BlobPool
  ) -> Bool {
    if !inKey, column.isNullable {
      bytes.append(value == .null ? 0 : 1)
      if value == .null { return true }
    }
    if column.type == .any { return appendAny(value, to: &bytes, blobs: blobs) }
    switch (value, column.type) {
    case (.integer(let integer), .integer): append(integer, to: &bytes)
    case (.real(let real), .real):
      guard real.isFinite else { return false }
      // SQLite has one zero: the sum is never the negative one.
      bytes.append(bigEndian: (real + 0).bitPattern)
    case (.id(let id), .id):
      bytes.append(bigEndian: id.high)
      bytes.append(bigEndian: id.low)
    case (.time(let time), .time):
      bytes.append(bigEndian: UInt64(bitPattern: time.milliseconds) ^ 1 << 63)
    case (.text(var text), .text):
      return text.withUTF8 { utf8 in
        if let start = utf8.baseAddress, memchr(start, 0, utf8.count) != nil { return false }
        if !inKey { bytes.append(length: utf8.count) }
        bytes.append(UnsafeRawBufferPointer(utf8))
        if inKey { bytes.append(0) }
        return true
      }
    case (.blob(let blob), .blob):
      bytes.append(length: blob.count)
      blob.withUnsafeBytes { blob in
        guard blob.count >= BlobPool.leastLength else { return bytes.append(blob) }
        bytes.append(bigEndian: UInt64(UInt(bitPattern: blobs.retain(blob))))
      }
    default: return false
    }
    return true
  }

  /// Types that a value of a column of the type `any` can have, by the byte before it.
  private static let ownTypes: [ColumnType] = [.integer, .real, .text, .blob]

  private static func appendAny(
    _ value: Value, to bytes: inout RowBuffer, blobs: BlobPool
  ) -> Bool {
    let tag: Int
    switch value {
    case .integer: tag = 0
    case .real: tag = 1
    case .text: tag = 2
    case .blob: tag = 3
    case .null, .id, .time: return false
    }
    bytes.append(UInt8(tag))
    return append(value, Form(ownTypes[tag]), inKey: false, to: &bytes, blobs: blobs)
  }

  /// Reads the value at `pointer` and moves it behind.
  @inline(__always)
  static func read(
    _ pointer: inout UnsafeRawPointer, _ column: Form, inKey: Bool
  ) -> PackedCell {
    if !inKey, column.isNullable {
      let isPresent = pointer.load(as: UInt8.self) == 1
      pointer += 1
      if !isPresent { return .null }
    }
    switch column.type {
    case .integer: return .integer(readInteger(&pointer))
    case .real: return .real(Double(bitPattern: readBigEndian(&pointer)))
    case .id:
      let high = readBigEndian(&pointer)
      return .id(EntityID(high: high, low: readBigEndian(&pointer)))
    case .time:
      return .time(
        Timestamp(milliseconds: Int64(bitPattern: readBigEndian(&pointer) ^ 1 << 63)))
    case .text:
      let count: Int
      if inKey {
        count = strlen(pointer.assumingMemoryBound(to: CChar.self))
      } else {
        count = PackedLength.read(&pointer)
      }
      let text = UnsafeRawBufferPointer(start: pointer, count: count)
      pointer += inKey ? count + 1 : count
      return .text(text)
    case .blob:
      let count = PackedLength.read(&pointer)
      guard count < BlobPool.leastLength else {
        let address = UnsafeRawPointer(bitPattern: UInt(readBigEndian(&pointer)))
        return .blob(UnsafeRawBufferPointer(start: address, count: count))
      }
      defer { pointer += count }
      return .blob(UnsafeRawBufferPointer(start: pointer, count: count))
    case .any:
      let tag = pointer.load(as: UInt8.self)
      pointer += 1
      return readAny(&pointer, tag)
    }
  }

  /// Apart from `read`, which is inlined and must not call itself.
  private static func readAny(_ pointer: inout UnsafeRawPointer, _ tag: UInt8) -> PackedCell {
    switch tag {
    case 0: .integer(readInteger(&pointer))
    case 1: read(&pointer, Form(.real), inKey: false)
    case 2: read(&pointer, Form(.text), inKey: false)
    default: read(&pointer, Form(.blob), inKey: false)
    }
  }

  @inline(__always)
  private static func readBigEndian(_ pointer: inout UnsafeRawPointer) -> UInt64 {
    defer { pointer += 8 }
    return UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  /// A byte of 0x80 + n and n bytes for n ≥ 0 significant bytes; 0x7F - n and the n bytes of a
  /// negative number.
  static func append(_ integer: Int64, to bytes: inout RowBuffer) {
    let magnitude = UInt64(bitPattern: integer < 0 ? ~integer : integer)
    let count = (71 - magnitude.leadingZeroBitCount) / 8
    bytes.append(integer < 0 ? 0x7F - UInt8(count) : 0x80 + UInt8(count))
    let pattern = UInt64(bitPattern: integer)
    for index in stride(from: count - 1, through: 0, by: -1) {
      bytes.append(UInt8(truncatingIfNeeded: pattern >> UInt64(8 * index)))
    }
  }

  @inline(__always)
  private static func readInteger(_ pointer: inout UnsafeRawPointer) -> Int64 {
    let head = pointer.load(as: UInt8.self)
    pointer += 1
    let isNegative = head < 0x80
    var pattern: UInt64 = isNegative ? .max : 0
    for _ in 0..<(isNegative ? 0x7F - head : head - 0x80) {
      pattern = pattern << 8 | UInt64(pointer.load(as: UInt8.self))
      pointer += 1
    }
    return Int64(bitPattern: pattern)
  }
}
