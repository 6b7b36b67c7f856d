/// Reads the batches of one segment in order.
protocol SegmentCursor: AnyObject {
  var path: String { get }
  var logID: LogID? { get }

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

  /// Passes over frames of a long batch that was begun, so that the next text begins with a line as near before a
  /// sequence as is cheap.
  ///
  /// - Parameter sequenceOf: what the beginning of a line says its sequence is.
  /// - Returns: the sequence of the line that comes next; nil if nothing was passed over.
  func skipFrames(
    before target: UInt64, _ sequenceOf: (UnsafeRawBufferPointer) -> UInt64?
  ) throws -> UInt64?

  /// Whether the chain hash of a batch was recomputed and found right before the batch was given.
  var isChainChecked: Bool { get }

  /// Whether the text ended within a line.
  var isWithinLine: Bool { get }
}

extension SegmentCursor {
  func nextBatches(due head: LogHead, length: Int) throws -> BatchBlock? { nil }
}
