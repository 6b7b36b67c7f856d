/// Little-endian numbers in bytes.
extension [UInt8] {
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }

  /// An unsigned number of seven bits a byte, lowest first.
  mutating func append(leb128 number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Reads such a number and moves `offset` behind it; nil if the bytes hold none.
  func leb128(at offset: inout Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while offset < count, shift < 64 {
      let byte = self[offset]
      offset += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}
