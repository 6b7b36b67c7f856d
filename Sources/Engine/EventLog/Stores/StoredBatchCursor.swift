/// Gives the batches of a store one after the other.
package protocol StoredBatchSource: AnyObject {
  /// The batch that follows a head; nil if there is none yet. Called with the head of the batch that it gave last, or with
  /// the one after which the reading begins; nil is the beginning of the log.
  func next(after head: LogHead?) throws -> StoredBatch?
}

/// The batches of a store after any head, for one reader.
package protocol StoredBatches: StoredBatchSource {
  /// Whether a batch follows a head, which it names, so that no other question proves that the log has the head. Called before the
  /// reading begins there.
  ///
  /// - Returns: false if the log ends there, or if it has no such head.
  func begins(after head: LogHead) throws -> Bool
}

/// Batches that are at hand, and then those of a store, if there is one.
final class BatchesAtHand: StoredBatchSource {
  private let later: (any StoredBatchSource)?
  /// Those that are given next, in reverse.
  private var waiting: [StoredBatch]

  init(_ batches: [StoredBatch], before later: (any StoredBatchSource)? = nil) {
    self.later = later
    waiting = batches.reversed()
  }

  func next(after head: LogHead?) throws -> StoredBatch? {
    try waiting.popLast() ?? later?.next(after: head)
  }
}

/// Reads the batches of a store that has no files.
package final class StoredBatchCursor: BatchCursor {
  private let source: any StoredBatchSource
  private let place: String
  private let splitter = LineSplitter(lineLimit: LogLimits.standard.line)
  private let decompressor: ZstdDecompressor
  private var head: LogHead?
  private var logID: LogID?
  private var batch: StoredBatch?
  private var frames: ArraySlice<FrameEntry> = []
  private var offset = 0
  private var stream: BatchStream?

  /// - Parameter head: the end of a batch that the store has.
  package init(
    _ source: any StoredBatchSource, after head: LogHead?, of id: LogID?, place: String
  ) throws {
    self.source = source
    self.head = head
    self.place = place
    logID = id
    decompressor = try ZstdDecompressor()
  }

  package func nextBatch() throws -> BatchInfo? {
    stream = nil
    guard let next = try source.next(after: head) else { return nil }
    try next.require(after: head, of: logID, place: place)
    batch = next
    logID = next.logID
    head = next.info.head
    frames = next.header.frames[...]
    offset = next.header.length
    splitter.reset()
    stream = BatchStream(next.info)
    return next.info
  }

  package func nextLines() throws -> LineBlock? {
    guard let batch, stream != nil, stream?.isDone == false else { return nil }
    let sequence = batch.info.firstSequence
    while true {
      if let text = try splitter.next(path: place, offset: 0, sequence: sequence) {
        return try stream?.take(text, path: place)
      }
      guard let frame = frames.popFirst() else { break }
      let room = splitter.room(for: Int(frame.plainLength))
      let problem = batch.bytes.withUnsafeBytes { bytes in
        decompressor.decode(
          UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(frame.storedLength)]),
          into: room)
      }
      if let problem { throw EventLogError.damagedBatch(.init(.frame, problem), place, sequence) }
      offset += Int(frame.storedLength)
      splitter.feed(0..<room.count)
    }
    try stream?.finish(isWithinLine: splitter.isWithinLine, path: place)
    return nil
  }
}
