/// Reads the batches of one segment in order.
protocol SegmentCursor: AnyObject {
  var path: String { get }
  var logID: LogID? { get }

  /// Moves to a batch boundary before the batch that holds a sequence.
  ///
  /// - Parameter known: gives a known place in an open segment of this log, from which a walk may begin.
  /// - Returns: the log's id, and its head there.
  func skip(
    toBefore sequence: UInt64, known: (LogID) -> VerifiedOffsets.Place?
  ) throws -> (logID: LogID, head: LogHead)

  /// Continues with a batch that was found again after damage.
  func move(to place: BatchPlace)

  /// The next batch; nil at the end of what is there.
  ///
  /// - Parameter head: of the log before it.
  func nextBatch(due head: LogHead) throws -> BatchInfo?

  /// Batches that are there at once, instead of as many calls of `nextBatch`; nil if only that can tell
  /// what comes next.
  ///
  /// - Parameters:
  ///   - head: of the log before them.
  ///   - length: how many plain bytes they have at most; a longer batch is left to `nextBatch`, which gives it
  ///     in parts.
  func nextBatches(due head: LogHead, length: Int) throws -> BatchBlock?

  /// Whole lines of the batch; nil when all were given.
  func nextText() throws -> UnsafeRawBufferPointer?

  /// Whether the chain hash of a batch was recomputed and found right before the batch was given.
  var isChainChecked: Bool { get }

  /// Whether the text ended within a line.
  var isWithinLine: Bool { get }
}

extension SegmentCursor {
  func nextBatches(due head: LogHead, length: Int) throws -> BatchBlock? { nil }
}
