/// Bytes that look random and are a function of a seed and a position: any range of a body of any size
/// can be made, and checked, without holding the body.
package enum PatternBytes {
  /// Fills a buffer with the bytes from an offset on.
  package static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, offset: Int64, seed: UInt64
  ) {
    // Whole words are made aside and copied: the offset need not be a multiple of a word.
    let wordsAtOnce = 1024
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: wordsAtOnce) { words in
      var filled = 0
      while filled < buffer.count {
        let position = offset + Int64(filled)
        let lead = Int(position % 8)
        let count = min(buffer.count - filled, wordsAtOnce * 8 - lead)
        var index = UInt64(position / 8)
        for slot in 0..<((lead + count + 7) / 8) {
          words[slot] = word(index, seed: seed).littleEndian
          index &+= 1
        }
        let bytes = UnsafeRawBufferPointer(words)
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[lead..<(lead + count)]))
        filled += count
      }
    }
  }

  /// The bytes of a range.
  package static func bytes(_ range: Range<Int64>, seed: UInt64) -> [UInt8] {
    let count = Int(range.upperBound - range.lowerBound)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      fill(
        UnsafeMutableRawBufferPointer(rebasing: raw[..<count]), offset: range.lowerBound, seed: seed
      )
      initialized = count
    }
  }

  /// Whether bytes are those from an offset on.
  package static func matches(_ bytes: [UInt8], offset: Int64, seed: UInt64) -> Bool {
    bytes == self.bytes(offset..<(offset + Int64(bytes.count)), seed: seed)
  }

  /// SplitMix64 at a position.
  private static func word(_ index: UInt64, seed: UInt64) -> UInt64 {
    var z = seed &+ (index &+ 1) &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
