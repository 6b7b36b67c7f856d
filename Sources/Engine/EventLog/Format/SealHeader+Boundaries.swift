extension SealHeader {
  /// A place where a batch begins at the beginning of a frame; the last one is the segment's end.
  struct Boundary {
    var frame: Int
    var batch: Int
    var offset: UInt64
    /// Of the log before that batch.
    var head: LogHead
  }

  /// Where the first batch begins.
  var start: Boundary {
    Boundary(
      frame: 0, batch: 0, offset: UInt64(length),
      head: LogHead(sequence: firstSequence - 1, chain: previousChain))
  }

  /// Hands over the boundaries in order while `body` returns true.
  private func forEachBoundary(_ body: (Boundary) -> Bool) {
    var place = start
    var plain: UInt64 = 0
    var framesPlain: UInt64 = 0
    guard body(place) else { return }
    for frame in frames {
      for _ in 0..<frame.batchesEnded {
        place.head.sequence += batches[place.batch].eventCount
        plain += batches[place.batch].plainLength
        place.batch += 1
      }
      framesPlain += UInt64(frame.entry.plainLength)
      place.offset += UInt64(frame.entry.storedLength)
      place.frame += 1
      guard plain == framesPlain else { continue }
      place.head.chain = frame.chain
      guard body(place) else { return }
    }
  }

  /// The last boundary before the first one that is not wanted; the segment's beginning if there is none.
  func lastBoundary(while isWanted: (Boundary) -> Bool) -> Boundary {
    var found = start
    forEachBoundary { boundary in
      guard isWanted(boundary) else { return false }
      found = boundary
      return true
    }
    return found
  }

  /// The first boundary from an offset on, without that of the segment's end; nil if there is none.
  func boundary(from offset: UInt64) -> Boundary? {
    var found: Boundary?
    forEachBoundary { boundary in
      if boundary.offset >= offset, boundary.batch < batches.count { found = boundary }
      return found == nil
    }
    return found
  }
}
