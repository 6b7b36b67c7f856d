/// A batch: where it stands in the log and in which file.
package struct BatchInfo: Hashable, Sendable {
  package var firstSequence: UInt64
  package var eventCount: UInt64
  package var plainLength: UInt64
  /// Bytes of header and frames in an open segment; nil in a sealed one, where batches share frames.
  package var storedLength: UInt64?
  package var previousChain: ChainHash
  package var chain: ChainHash
  /// The first sequence of the segment, which its file is named by. No string: what is copied for each of a
  /// million batches, by three threads, counts no references.
  package var segmentFirst: UInt64
  /// Where its header is in an open segment; where its first frame is in a sealed one.
  package var offset: UInt64

  package var lastSequence: UInt64 { firstSequence + eventCount - 1 }
  package var head: LogHead { LogHead(sequence: lastSequence, chain: chain) }
  /// The head of the log before the batch.
  package var previousHead: LogHead {
    LogHead(sequence: firstSequence - 1, chain: previousChain)
  }
  /// The head after which a cursor begins to give the batch; nil if that is the beginning of the log.
  package var start: LogHead? { firstSequence == 1 ? nil : previousHead }
}

extension BatchInfo {
  /// A batch of which only its place in the log is known.
  ///
  /// - Parameter previous: the chain hash before it; nil at the beginning of the log.
  package init(from first: UInt64, after previous: ChainHash?, through end: LogHead) {
    self.init(
      firstSequence: first, eventCount: end.sequence - first + 1, plainLength: 0, storedLength: nil,
      previousChain: previous ?? ChainHash(bytes: Array(repeating: 0, count: 32)), chain: end.chain,
      segmentFirst: first, offset: 0)
  }
}

/// Some whole lines of a batch, each with its line feed. The bytes live until the next call of the
/// cursor that gave them.
package struct LineBlock {
  package let firstSequence: UInt64
  package let lineCount: Int
  package let bytes: UnsafeRawBufferPointer
}

/// Whole batches that lie one behind the other in memory. Everything about them was checked. The bytes live
/// until the next call of the cursor that gave them.
package struct BatchBlock {
  package let batches: [BatchInfo]
  package let bytes: UnsafeRawBufferPointer
}
