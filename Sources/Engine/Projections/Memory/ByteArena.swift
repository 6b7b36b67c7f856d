/// Bytes that are added and never moved, addressed by 32 bits.
///
/// Unsafe memory because rows are compared and hashed in place a hundred million times in a large
/// rebuild; `MemoryRowStoreTests` holds the store above against a plain model.
struct ByteArena: ~Copyable {
  /// Chunks this large keep growth from copying what is there.
  static let chunkSize = 1 << 20

  private var chunks: [UnsafeMutableRawPointer] = []
  /// One for each chunk, or for the chunks of a row that is longer than one.
  private var allocations: [UnsafeMutableRawPointer] = []
  /// The next free place. Place 0 is never handed out: it means "no row".
  private var end: UInt64 = 1

  init() {}

  deinit {
    for allocation in allocations { allocation.deallocate() }
  }

  /// Stores the bytes and returns their place; nil where 4 GiB are full.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard let place = room(for: bytes.count) else { return nil }
    if let source = bytes.baseAddress {
      pointer(place).copyMemory(from: source, byteCount: bytes.count)
    }
    return place
  }

  /// Stores two parts one behind the other.
  mutating func append(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> UInt32? {
    guard let place = room(for: first.count + second.count) else { return nil }
    let start = pointer(place)
    if let source = first.baseAddress { start.copyMemory(from: source, byteCount: first.count) }
    if let source = second.baseAddress {
      (start + first.count).copyMemory(from: source, byteCount: second.count)
    }
    return place
  }

  private mutating func room(for count: Int) -> UInt32? {
    let size = UInt64(Self.chunkSize)
    let room = size - end % size
    var place = end
    // A row lies in one piece: where it does not fit here, behind all chunks.
    if UInt64(count) > room { place = max(UInt64(chunks.count) * size, 1) }
    guard place + UInt64(count) <= UInt64(UInt32.max) else { return nil }
    let missing = Int((place + UInt64(count) + size - 1) / size) - chunks.count
    if missing > 0 {
      let allocation = UnsafeMutableRawPointer.allocate(
        byteCount: missing * Self.chunkSize, alignment: 16)
      allocations.append(allocation)
      for chunk in 0..<missing { chunks.append(allocation + chunk * Self.chunkSize) }
    }
    end = place + UInt64(count)
    return UInt32(place)
  }

  func pointer(_ place: UInt32) -> UnsafeMutableRawPointer {
    chunks[Int(place >> 20)] + Int(place & UInt32(Self.chunkSize - 1))
  }
}
