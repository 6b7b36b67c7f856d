import LibC

/// Bytes that are added and never moved, addressed by 63 bits.
///
/// Unsafe memory because rows are compared and hashed in place a hundred million times in a large
/// rebuild; `MemoryRowStoreTests` holds the store above against a plain model.
///
/// The chunks come from the system, and go back to it: malloc would keep them, and the next large piece of memory, which the
/// rows of a table are copied to, has no place in them.
package struct ByteArena: ~Copyable {
  /// Chunks this large keep growth from copying what is there.
  static let chunkSize = 1 << 20

  private var chunks: [UnsafeMutableRawPointer] = []
  /// One for each chunk, or for the chunks of a row that is longer than one.
  private var allocations: [UnsafeMutableRawBufferPointer] = []
  /// The next free place. Place 0 is never handed out: it means "no row".
  private var end: UInt64 = 1

  /// - Parameter place: the first place; tests begin beyond 4 GiB.
  package init(at place: UInt64 = 1) {
    end = place
    guard place > 1 else { return }
    let chunk = allocate(Self.chunkSize)
    chunks = Array(repeating: chunk, count: Int(place / UInt64(Self.chunkSize)) + 1)
  }

  deinit {
    for allocation in allocations { munmap(allocation.baseAddress, allocation.count) }
  }

  private mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else {
      preconditionFailure("the system has no memory for \(count) bytes of rows")
    }
    allocations.append(UnsafeMutableRawBufferPointer(start: start, count: count))
    return start
  }

  /// Stores bytes, or two parts one after the other, and returns their place.
  package mutating func append(
    _ first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> UInt64 {
    let place = room(for: first.count + second.count)
    let start = pointer(place)
    if let source = first.baseAddress { start.copyMemory(from: source, byteCount: first.count) }
    if let source = second.baseAddress {
      (start + first.count).copyMemory(from: source, byteCount: second.count)
    }
    return place
  }

  private mutating func room(for count: Int) -> UInt64 {
    let size = UInt64(Self.chunkSize)
    let room = size - end % size
    var place = end
    // A row lies in one piece: if it does not fit here, it comes after all chunks.
    if UInt64(count) > room { place = max(UInt64(chunks.count) * size, 1) }
    let missing = Int((place + UInt64(count) + size - 1) / size) - chunks.count
    if missing > 0 {
      let allocation = allocate(missing * Self.chunkSize)
      for chunk in 0..<missing { chunks.append(allocation + chunk * Self.chunkSize) }
    }
    end = place + UInt64(count)
    return place
  }

  package func pointer(_ place: UInt64) -> UnsafeMutableRawPointer {
    chunks[Int(place >> 20)] + Int(place & UInt64(Self.chunkSize - 1))
  }
}
