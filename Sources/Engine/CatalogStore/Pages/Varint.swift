/// SQLite's integers of 1 to 9 bytes: seven bits a byte, the highest first; a ninth byte has eight.
enum Varint {
  @inline(__always)
  static func length(_ value: UInt64) -> Int {
    value < 0x80 ? 1 : min(9, (70 - value.leadingZeroBitCount) / 7)
  }

  /// Writes a value; returns how many bytes it took.
  @inline(__always)
  static func write(_ value: UInt64, to place: UnsafeMutableRawPointer) -> Int {
    if value < 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return 1
    }
    return writeLong(value, to: place)
  }

  private static func writeLong(_ value: UInt64, to place: UnsafeMutableRawPointer) -> Int {
    let count = length(value)
    var rest = value
    var index = count - 1
    if count == 9 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: 8, as: UInt8.self)
      rest >>= 8
      index -= 1
    }
    let last = index
    while index >= 0 {
      let more: UInt8 = index == last && count < 9 ? 0 : 0x80
      place.storeBytes(
        of: UInt8(truncatingIfNeeded: rest & 0x7F) | more, toByteOffset: index, as: UInt8.self)
      rest >>= 7
      index -= 1
    }
    return count
  }
}
