/// Bytes that are added and never moved, addressed by 32 bits.
///
/// Unsafe memory because rows are compared and hashed in place a hundred million times in a large
/// rebuild; `MemoryRowStoreTests` holds the store above against a plain model.
struct ByteArena: ~Copyable {
  /// Chunks this large keep growth from copying what is there.
  static let chunkSize = 1 << 20

  private var chunks: [UnsafeMutableRawPointer] = []
  /// The next free place. Place 0 is never handed out: it means "no row".
  private var end: UInt64 = 1

  init() {}

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Stores the bytes and returns their place; nil where 4 GiB are full or a row exceeds a chunk.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count <= Self.chunkSize else { return nil }
    let room = UInt64(Self.chunkSize) - end % UInt64(Self.chunkSize)
    var place = end
    if UInt64(bytes.count) > room { place += room }
    guard place + UInt64(bytes.count) <= UInt64(UInt32.max) else { return nil }
    while UInt64(chunks.count * Self.chunkSize) < place + UInt64(bytes.count) {
      chunks.append(.allocate(byteCount: Self.chunkSize, alignment: 16))
    }
    if let source = bytes.baseAddress {
      pointer(UInt32(place)).copyMemory(from: source, byteCount: bytes.count)
    }
    end = place + UInt64(bytes.count)
    return UInt32(place)
  }

  func pointer(_ place: UInt32) -> UnsafeMutableRawPointer {
    chunks[Int(place >> 20)] + Int(place & UInt32(Self.chunkSize - 1))
  }
}
