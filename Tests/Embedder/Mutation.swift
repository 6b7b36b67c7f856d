import CatalogTestSupport

/// One way to spoil the bytes of a segment.
enum Mutation: String, CaseIterable {
  case flip, overwrite, zeros, insert, delete, duplicate, swap, cut, append, splice
  /// A header changed behind a CRC that is right again, as hostile hands would leave it.
  case forgedHeader
  /// A frame's bytes changed behind CRCs that are right again.
  case forgedFrame

  /// Whether what comes of it may look like an interrupted write: bytes are missing, or a header says so.
  var canLookTorn: Bool {
    switch self {
    case .flip, .overwrite, .forgedFrame: false
    default: true
    }
  }

  /// - Parameters:
  ///   - headers: offsets of the batch headers; one of 0 and a sealed segment's header is at 0.
  ///   - donor: a segment of another log.
  func apply(
    to bytes: [UInt8], headers: [Int], donor: [UInt8], _ dice: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = bytes
    let place = dice.below(bytes.count)
    let length = min(1 + dice.below(dice.below(4) == 0 ? 2_000 : 40), bytes.count - place)
    let range = place..<place + length
    switch self {
    case .flip:
      for _ in 0...dice.below(4) { bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8)) }
    case .overwrite:
      let values: [UInt8] = [0, 0x7F, 0x80, 0xFF, UInt8(dice.below(256))]
      for index in range.prefix(8) { bytes[index] = values[dice.below(values.count)] }
    case .zeros:
      let start = place / 512 * 512
      for index in start..<min(start + 512 * (1 + dice.below(8)), bytes.count) { bytes[index] = 0 }
    case .insert: bytes.insert(contentsOf: dice.bytes(length), at: place)
    case .delete: bytes.removeSubrange(range)
    case .duplicate: bytes.insert(contentsOf: bytes[range], at: dice.below(bytes.count))
    case .swap:
      let other = dice.below(bytes.count - length + 1)
      for index in 0..<length { bytes.swapAt(place + index, other + index) }
    case .cut: bytes.removeSubrange(place...)
    case .append: bytes += dice.below(2) == 0 ? dice.bytes(length) : Array(bytes[range])
    case .splice:
      let from = dice.below(donor.count)
      let piece = donor[from..<min(from + length, donor.count)]
      bytes.replaceSubrange(range, with: piece)
    case .forgedHeader: Forgery(headers, &dice).changeHeader(of: &bytes, &dice)
    case .forgedFrame: Forgery(headers, &dice).changeFrame(of: &bytes, &dice)
    }
    return bytes
  }
}

/// A header whose CRCs are made right again after a change; docs/EVENT_LOG_FORMAT.md has the places.
private struct Forgery {
  let start: Int
  let extremes: [UInt64] = [0, 1, 2, 0x7F, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 63, .max]

  init(_ headers: [Int], _ dice: inout SeededGenerator) {
    start = headers[dice.below(headers.count)]
  }

  /// Offsets within the header: its CRC, that of the table behind it, the table's length.
  private func layout(_ bytes: [UInt8]) -> (crc: Int, tableCRC: Int, table: Range<Int>, entry: Int)
  {
    // A sealed segment's header has another magic, is longer, and has longer entries.
    let isSealed = bytes[start] == 0x52
    let frames = Int(number(bytes, isSealed ? 128 : 120, 4))
    let fixed = isSealed ? 152 : 132
    let entry = isSealed ? 48 : 12
    let table = start + fixed..<min(start + fixed + entry * frames, bytes.count)
    return (fixed - 4, isSealed ? 132 : 124, table, entry)
  }

  private func number(_ bytes: [UInt8], _ place: Int, _ width: Int) -> UInt64 {
    bytes[start + place..<start + place + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func set(_ bytes: inout [UInt8], _ place: Int, _ value: UInt64, _ width: Int) {
    for index in 0..<width where start + place + index < bytes.count {
      bytes[start + place + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  private func refit(_ bytes: inout [UInt8]) {
    let layout = layout(bytes)
    set(&bytes, layout.tableCRC, UInt64(CRC.of(bytes[layout.table])), 4)
    set(&bytes, layout.crc, UInt64(CRC.of(bytes[start..<start + layout.crc])), 4)
  }

  func changeHeader(of bytes: inout [UInt8], _ dice: inout SeededGenerator) {
    let layout = layout(bytes)
    let inTable = dice.below(3) == 0 && !layout.table.isEmpty
    let place =
      inTable
      ? layout.table.lowerBound - start + dice.below(layout.table.count)
      : dice.below(layout.crc)
    if dice.below(2) == 0 {
      set(&bytes, place, number(bytes, place, 1) ^ UInt64(1 << dice.below(8)), 1)
    } else {
      set(&bytes, place & ~3, extremes[dice.below(extremes.count)], dice.below(2) == 0 ? 4 : 8)
    }
    refit(&bytes)
  }

  func changeFrame(of bytes: inout [UInt8], _ dice: inout SeededGenerator) {
    let layout = layout(bytes)
    guard layout.table.count >= layout.entry else { return }
    var frame = layout.table.upperBound
    // Behind a sealed segment's table of frames lies that of its batches.
    if layout.entry == 48 { frame += Int(number(bytes, 136, 4)) }
    let length = Int(number(bytes, layout.table.lowerBound - start, 4))
    guard length > 0, frame + length <= bytes.count else { return }
    for _ in 0...dice.below(3) {
      bytes[frame + dice.below(length)] = UInt8(dice.below(256))
    }
    let crc = CRC.of(bytes[frame..<frame + length])
    set(&bytes, layout.table.lowerBound - start + 8, UInt64(crc), 4)
    refit(&bytes)
  }
}

/// CRC-32 as zip and PNG have it, apart from the engine's own.
private enum CRC {
  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
  }

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(.max) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
  }
}
