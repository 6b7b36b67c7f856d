import CatalogModel
import LibC
import Projections

/// Writes rows as SQLite keeps them: a header that gives the type of each value, then the values.
///
/// The bytes are those that SQLite writes for the same values, so that a file made of them is what
/// statements would have made. Raw memory because every row passes through here once a table and once
/// an index; `BulkWriterTests` holds the files against each other. `@exclusivity(unchecked)`, here and in the
/// classes beside it, for the reason that `PackedTable` gives.
final class RecordEncoder {
  /// The header is written into the first part and moved to stand right before the body.
  private let headerRoom: Int
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var headerEnd = 0
  @exclusivity(unchecked) private var bodyEnd = 0

  // Most rows of an import have the same times.
  @exclusivity(unchecked) private var lastTime: Timestamp?
  @exclusivity(unchecked) private var lastTimeText: [UInt8] = []

  private static let idLength = 36

  /// - Parameter columns: how many values a record has, at most.
  init(columns: Int) {
    headerRoom = 9 * (columns + 1)
    capacity = 2 * headerRoom + 4_096
    memory = .allocate(byteCount: capacity, alignment: 16)
    begin()
  }

  deinit {
    memory.deallocate()
  }

  func begin() {
    // The length of the header comes before it, once it is known.
    headerEnd = 0
    bodyEnd = 2 * headerRoom
  }

  /// The whole record; good until the next one begins.
  func finish() -> UnsafeRawBufferPointer {
    // The length counts itself.
    var length = headerEnd + 1
    if length > 0x7F { length += 1 }
    let start = memory + (2 * headerRoom - length)
    let count = Varint.write(UInt64(length), to: start)
    memcpy(start + count, memory, headerEnd)
    return UnsafeRawBufferPointer(start: start, count: bodyEnd - 2 * headerRoom + length)
  }

  // MARK: Values

  @inline(__always)
  func add(_ cell: PackedCell, isReal: Bool) {
    switch cell {
    case .null: addType(0)
    case .integer(let integer): add(integer)
    case .real(let real): add(real, isReal: isReal)
    case .text(let bytes): add(text: bytes)
    case .id(let id): add(id)
    case .time(let time): add(time)
    case .blob(let bytes): add(blob: bytes)
    }
  }

  func add(_ value: Value, isReal: Bool) {
    value.withCell { add($0, isReal: isReal) }
  }

  @inline(__always)
  func add(_ cell: PreparedStatement.Cell, isReal: Bool) {
    switch cell {
    case .null: addType(0)
    case .integer(let integer): add(integer)
    case .real(let real): add(real, isReal: isReal)
    case .text(let bytes): add(text: bytes)
    case .blob(let bytes): add(blob: bytes)
    }
  }

  func addNull() {
    addType(0)
  }

  @inline(__always)
  func add(_ integer: Int64) {
    let magnitude = UInt64(bitPattern: integer < 0 ? ~integer : integer)
    switch magnitude {
    case 0...1 where integer >= 0: addType(8 + magnitude)
    case 0...0x7F: add(integer, type: 1, length: 1)
    case 0...0x7FFF: add(integer, type: 2, length: 2)
    case 0...0x7F_FFFF: add(integer, type: 3, length: 3)
    case 0...0x7FFF_FFFF: add(integer, type: 4, length: 4)
    case 0...0x7FFF_FFFF_FFFF: add(integer, type: 5, length: 6)
    default: add(integer, type: 6, length: 8)
    }
  }

  private func add(_ integer: Int64, type: UInt64, length: Int) {
    addType(type)
    let pattern = UInt64(bitPattern: integer) << UInt64(64 - 8 * length)
    (memory + bodyEnd).storeBytes(of: pattern.bigEndian, as: UInt64.self)
    bodyEnd += length
  }

  /// In a column of real numbers SQLite keeps those without a fraction as integers, where they are
  /// shorter.
  private func add(_ real: Double, isReal: Bool) {
    guard !real.isNaN else { return addType(0) }
    if isReal, (-0x1p47..<0x1p47).contains(real), let integer = Int64(exactly: real) {
      return add(integer)
    }
    addType(7)
    (memory + bodyEnd).storeBytes(of: real.bitPattern.bigEndian, as: UInt64.self)
    bodyEnd += 8
  }

  func add(text: UnsafeRawBufferPointer) {
    addType(UInt64(13 + 2 * text.count))
    makeRoom(for: text.count)
    if let start = text.baseAddress { memcpy(memory + bodyEnd, start, text.count) }
    bodyEnd += text.count
  }

  func add(blob: UnsafeRawBufferPointer) {
    addType(UInt64(12 + 2 * blob.count))
    makeRoom(for: blob.count)
    if let start = blob.baseAddress { memcpy(memory + bodyEnd, start, blob.count) }
    bodyEnd += blob.count
  }

  private func add(_ id: EntityID) {
    addType(UInt64(13 + 2 * Self.idLength))
    makeRoom(for: Self.idLength)
    HexText.write(id, to: memory + bodyEnd)
    bodyEnd += Self.idLength
  }

  private func add(_ time: Timestamp) {
    if time != lastTime {
      lastTime = time
      lastTimeText = Array(time.description.utf8)
    }
    lastTimeText.withUnsafeBytes { add(text: $0) }
  }

  @inline(__always)
  private func addType(_ type: UInt64) {
    headerEnd += Varint.write(type, to: memory + headerEnd)
  }

  /// Room for a text and for as many values of eight bytes as a row can have behind it: a header has nine
  /// for each.
  @inline(__always)
  private func makeRoom(for count: Int) {
    let needed = bodyEnd + count + headerRoom
    if needed > capacity { grow(to: 2 * needed) }
  }

  private func grow(to capacity: Int) {
    let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    memcpy(grown, memory, bodyEnd)
    memory.deallocate()
    memory = grown
    self.capacity = capacity
  }
}

/// Writes ids as text, two digits at a step.
enum HexText {
  private static let digits: [UInt16] = (0..<256).map { byte in
    let digits = Array("0123456789abcdef".utf8)
    return UInt16(digits[byte >> 4]) << 8 | UInt16(digits[byte & 15])
  }

  @inline(__always)
  static func write(_ id: EntityID, to place: UnsafeMutableRawPointer) {
    digits.withUnsafeBufferPointer { digits in
      var place = place
      func put(_ word: UInt64, _ bytes: Int) {
        for index in 0..<bytes {
          let byte = Int(truncatingIfNeeded: word >> UInt64(56 - 8 * index) & 0xFF)
          place.storeBytes(of: digits[byte].bigEndian, as: UInt16.self)
          place += 2
        }
      }
      func dash() {
        place.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
        place += 1
      }
      put(id.high, 4)
      dash()
      put(id.high << 32, 2)
      dash()
      put(id.high << 48, 2)
      dash()
      put(id.low, 2)
      dash()
      put(id.low << 16, 6)
    }
  }
}
