/// Recomputes the chain hashes of batches that share a frame.
enum FrameChains {
  /// How far it came: as many batches as lie whole in the text.
  struct Extent {
    /// Behind the last of these batches.
    var head: LogHead
    var batchCount = 0
    var plainLength = 0

    /// Whether these batches are those that a frame holds.
    func isWhole(_ frame: SealHeader.Frame) -> Bool {
      plainLength == Int(frame.entry.plainLength) && batchCount == Int(frame.batchesEnded)
    }
  }

  /// Puts the chain hashes of batches into `hashes`, whose room is used again.
  ///
  /// - Parameters:
  ///   - plain: their text, one behind the other, in a `FrameBuffer`.
  ///   - head: of the log before the first.
  ///   - limit: of all batches, how many hashes are kept.
  static func compute(
    of batches: ArraySlice<SealHeader.Batch>, in plain: UnsafeMutableRawBufferPointer,
    after head: LogHead, into hashes: inout [ChainHash], limit: Int
  ) -> Extent {
    var extent = Extent(head: head)
    hashes.removeAll(keepingCapacity: true)
    hashes.reserveCapacity(min(batches.count, limit))
    for batch in batches {
      let start = extent.plainLength
      guard batch.plainLength <= UInt64(plain.count - start) else { break }
      let end = start + Int(batch.plainLength)
      let chain = ChainHash(
        of: UnsafeMutableRawBufferPointer(rebasing: plain[start..<end]),
        firstSequence: extent.head.sequence + 1, eventCount: batch.eventCount,
        previous: extent.head.chain)
      if hashes.count < limit { hashes.append(chain) }
      extent.head = LogHead(sequence: extent.head.sequence + batch.eventCount, chain: chain)
      extent.batchCount += 1
      extent.plainLength = end
    }
    return extent
  }
}
