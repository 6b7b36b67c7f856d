extension SealHeader {
  /// The beginning of a frame, or the end of the last one.
  struct FrameStart {
    let frame: Int
    let offset: UInt64
    /// The batch that begins or continues there.
    let batch: Int
    /// The head of the log before that batch.
    let head: LogHead
    /// Whether the batch begins there.
    let isBoundary: Bool
  }

  /// The beginnings of all frames in order, and the segment's end.
  func frameStarts() -> [FrameStart] {
    var start = FrameStart(
      frame: 0, offset: UInt64(length), batch: 0,
      head: LogHead(sequence: firstSequence - 1, chain: previousChain), isBoundary: true)
    var starts = [start]
    var plain: UInt64 = 0
    var framesPlain: UInt64 = 0
    for frame in frames {
      let end = start.batch + Int(frame.batchesEnded)
      var sequence = start.head.sequence
      for batch in batches[start.batch..<end] {
        sequence += batch.eventCount
        plain += batch.plainLength
      }
      framesPlain += UInt64(frame.entry.plainLength)
      start = FrameStart(
        frame: start.frame + 1, offset: start.offset + UInt64(frame.entry.storedLength),
        batch: end, head: LogHead(sequence: sequence, chain: frame.chain),
        isBoundary: plain == framesPlain)
      starts.append(start)
    }
    return starts
  }

  /// The first frame from an offset on that begins with a batch; nil if there is none.
  func boundary(from offset: UInt64) -> FrameStart? {
    frameStarts().first { $0.isBoundary && $0.offset >= offset && $0.batch < batches.count }
  }
}
