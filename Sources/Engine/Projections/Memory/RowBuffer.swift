import LibC

/// Bytes of a row that is being packed. An array would check at each byte whether it is shared.
package struct RowBuffer: ~Copyable {
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity = 256
  package private(set) var count = 0

  package init() {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// They stay where they are until more are added.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: count)
  }

  package mutating func removeAll() {
    count = 0
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inlinable
  @inline(__always)
  package mutating func append(bigEndian value: UInt64) {
    makeRoom(for: 8)
    memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    makeRoom(for: bytes.count)
    memcpy(memory + count, start, bytes.count)
    count += bytes.count
  }

  @inlinable
  @inline(__always)
  mutating func makeRoom(for more: Int) {
    if count + more > capacity { grow(to: count + more) }
  }

  @usableFromInline
  @inline(never)
  mutating func grow(to least: Int) {
    let larger = max(capacity * 2, least)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    memcpy(fresh, memory, count)
    memory.deallocate()
    memory = fresh
    capacity = larger
  }
}
