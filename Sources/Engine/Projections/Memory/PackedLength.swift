/// Lengths within packed rows: LEB128, which takes a byte for what most rows have.
package enum PackedLength {
  /// Reads a length, and moves `pointer` after it.
  @inlinable
  @inline(__always)
  package static func read(_ pointer: inout UnsafeRawPointer) -> Int {
    var length = 0
    var shift = 0
    while true {
      let byte = pointer.load(as: UInt8.self)
      pointer += 1
      length |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return length }
      shift += 7
    }
  }
}

extension RowBuffer {
  /// Appends a length that `PackedLength` reads.
  @inlinable
  package mutating func append(length: Int) {
    var rest = length
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
