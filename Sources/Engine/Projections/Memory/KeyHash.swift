/// The hash of a row's packed key, for one table.
///
/// Hash order reaches no row: rows leave in key order. A seed of its own keeps crafted ids from all meeting in
/// one slot.
package struct KeyHash {
  package init() {}

  private let seed = UInt64.random(in: .min ... .max)

  @inline(__always)
  package func callAsFunction(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var state = seed ^ UInt64(bytes.count)
    var index = 0
    while index + 8 <= bytes.count {
      state = mix(state ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    return UInt32(truncatingIfNeeded: mix(state ^ rest) >> 16)
  }

  @inline(__always)
  private func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
