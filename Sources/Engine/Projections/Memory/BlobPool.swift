import LibC

/// The long blobs of all rows of a store, each kept once however many rows have it.
///
/// A row contains the address of such a blob instead of its bytes: ten thousand tracks with the same picture take the
/// memory of one, and a row is moved and sorted without its pictures. Equal blobs have the same address, so packed
/// rows are compared by their bytes.
final class BlobPool {
  /// Blobs of fewer bytes are part of their row.
  static let leastLength = 1_024

  /// Bytes before those of each blob: references, hash, length.
  private static let headLength = 24

  private var blobs: [UInt64: [UnsafeMutableRawPointer]] = [:]
  private let hash = KeyHash()
  /// Blobs that rows in preparation refer to.
  private var uncommitted: [UnsafeRawPointer] = []
  /// Bytes of all blobs.
  private(set) var byteCount = 0

  init() {}

  deinit {
    for start in blobs.values.joined() { start.deallocate() }
  }

  /// Adds a reference to a blob with these bytes, which a row in preparation has.
  ///
  /// - Returns: the address of the bytes. It is valid until `release`, and as long as the pool exists.
  func retain(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    let hash = UInt64(self.hash(of: bytes)) << 32 | UInt64(UInt32(truncatingIfNeeded: bytes.count))
    let start = known(bytes, hash) ?? add(bytes, hash)
    start.storeBytes(of: start.load(as: Int.self) + 1, as: Int.self)
    let address = UnsafeRawPointer(start + Self.headLength)
    uncommitted.append(address)
    return address
  }

  /// Removes a reference; the blob is freed if it was the last one.
  func release(_ address: UnsafeRawPointer) {
    let start = UnsafeMutableRawPointer(mutating: address) - Self.headLength
    let references = start.load(as: Int.self) - 1
    guard references == 0 else { return start.storeBytes(of: references, as: Int.self) }
    let hash = start.load(fromByteOffset: 8, as: UInt64.self)
    byteCount -= start.load(fromByteOffset: 16, as: Int.self)
    blobs[hash]?.removeAll { $0 == start }
    if blobs[hash]?.isEmpty == true { blobs[hash] = nil }
    start.deallocate()
  }

  /// Keeps the references of the row in preparation: the row is stored.
  func commit() {
    uncommitted.removeAll(keepingCapacity: true)
  }

  /// Removes the references of the row in preparation: it is not stored.
  func rollBack() {
    for address in uncommitted { release(address) }
    uncommitted.removeAll(keepingCapacity: true)
  }

  private func known(_ bytes: UnsafeRawBufferPointer, _ hash: UInt64) -> UnsafeMutableRawPointer? {
    blobs[hash]?.first { start in
      guard start.load(fromByteOffset: 16, as: Int.self) == bytes.count,
        let other = bytes.baseAddress
      else { return bytes.isEmpty }
      return memcmp(start + Self.headLength, other, bytes.count) == 0
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ hash: UInt64) -> UnsafeMutableRawPointer {
    let start = UnsafeMutableRawPointer.allocate(
      byteCount: Self.headLength + bytes.count, alignment: 16)
    start.storeBytes(of: 0, as: Int.self)
    start.storeBytes(of: hash, toByteOffset: 8, as: UInt64.self)
    start.storeBytes(of: bytes.count, toByteOffset: 16, as: Int.self)
    if let source = bytes.baseAddress { memcpy(start + Self.headLength, source, bytes.count) }
    blobs[hash, default: []].append(start)
    byteCount += bytes.count
    return start
  }
}
