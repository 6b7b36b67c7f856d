import Support

/// Reads a log forward, batch by batch, over all its segments.
///
/// At the end of what is there `nextBatch` gives nil; called again later it gives what was appended
/// since, by whatever process. Not Sendable: one reader owns it.
package final class LogCursor {
  /// The checks of a walk.
  enum Policy {
    /// Every stored byte of a batch, before the batch is given. A file that is one too many is damage.
    case strict
    /// As `strict`, but files that are one too many are left out: a survey reports them by itself.
    case tolerant
    /// Headers alone.
    case headers
  }

  private let folder: LogFolder
  private let limits: LogLimits
  /// Buffers of the thread that decodes frames; nil if there is none.
  private let spent: FramesAhead.Spent?
  private let policy: Policy
  @exclusivity(unchecked) private var order: SegmentOrder
  @exclusivity(unchecked) private var logID: LogID?
  /// The head after the last batch that was given.
  @exclusivity(unchecked) private var head: LogHead?
  @exclusivity(unchecked) private(set) var segment: (any SegmentCursor)?
  @exclusivity(unchecked) private var segmentFirst: UInt64 = 0
  /// The segment behind it, whose first frames are decoded while the last of this one is read.
  @exclusivity(unchecked) private var following: SealedSegmentCursor?
  /// The segment behind which one was looked for last.
  @exclusivity(unchecked) private var followed: UInt64?
  @exclusivity(unchecked) private var batch: BatchStream?
  /// The empty head that was asked for before there was a log.
  @exclusivity(unchecked) private var start: LogHead?

  init(
    _ folder: LogFolder, limits: LogLimits, policy: Policy = .strict,
    decodesAhead: Bool = false
  ) {
    order = SegmentOrder(folder: folder, limits: limits)
    self.policy = policy
    self.folder = folder
    self.limits = limits
    spent = decodesAhead ? FramesAhead.Spent(capacity: 3) : nil
  }

  /// The torn tail before which the last `nextBatch` ended.
  package var torn: TornTail? { openCursor?.torn }

  /// The cursor of the segment that is read, if that is open.
  var openCursor: OpenSegmentCursor? { segment as? OpenSegmentCursor }
  var id: LogID? { logID }
  var position: LogHead? { head }

  /// The next batch, all stored bytes of which are there and right; nil at the end.
  ///
  /// Lines of the batch before that were not asked for are passed over.
  package func nextBatch() throws -> BatchInfo? {
    batch = nil
    while true {
      if segment == nil, try !openSegment() { return nil }
      guard let segment else { return nil }
      let due = try self.due(segment)
      if let info = try segment.nextBatch(due: due) { return try begin(info, segment) }
      guard try order.isFollowed(segmentFirst) else { return nil }
      // Only now is the segment closed: its writer may have gone on since the end was read.
      if let info = try segment.nextBatch(due: due) { return try begin(info, segment) }
      try requireWhole()
      self.segment = nil
    }
  }

  /// Several of the next batches at once; nil if they are not at hand so, which `nextBatch` goes on from.
  ///
  /// A shorter way through a log of small batches, where each would cost four calls. What is wrong with a frame is
  /// told as by `nextBatch`; what is wrong with a batch alone is left to it.
  ///
  /// - Parameter length: how many plain bytes they have at most.
  package func nextBatches(length: Int) throws -> BatchBlock? {
    batch = nil
    guard start == nil, let segment, let due = head,
      let block = try segment.nextBatches(due: due, length: length), let last = block.batches.last
    else { return nil }
    head = last.head
    openFollowing(segment)
    return block
  }

  private func begin(_ info: BatchInfo, _ segment: any SegmentCursor) throws -> BatchInfo {
    if let start, info.previousChain != start.chain {
      throw EventLogError.anotherLog(folder.path)
    }
    start = nil
    logID = segment.logID ?? logID
    head = info.head
    openFollowing(segment)
    batch = BatchStream(info, isChainChecked: segment.isChainChecked)
    return info
  }

  /// Whole lines of the batch, in order; nil when all were given and its chain hash is right.
  package func nextLines() throws -> LineBlock? {
    guard let segment, batch != nil, batch?.isDone == false else { return nil }
    if let text = try segment.nextText() {
      return try batch?.take(text, path: segment.path)
    }
    try batch?.finish(isWithinLine: segment.isWithinLine, path: segment.path)
    return nil
  }

  /// Moves behind the batch that ends at `target`.
  ///
  /// - Throws: `lostEvents` if the log has no batch that ends there with that chain hash.
  func seek(after target: LogHead) throws {
    guard target.sequence > 0 else { return try checkStart(target) }
    try seek(toSegmentWith: target.sequence)
    while let position = head, position.sequence < target.sequence {
      guard try nextBatch() != nil else { break }
    }
    batch = nil
    // The way there was made by headers alone; what comes now is given out.
    openCursor?.checksFrames = policy != .headers
    let end = head?.sequence ?? 0
    if end < target.sequence {
      throw EventLogError.ends(at: end, before: target, folder.path)
    }
    guard head == target else {
      throw EventLogError(
        .lostEvents,
        "the log in \(folder.path) holds other events up to \(target.sequence) than were "
          + "acknowledged (chain hash \(head?.chain.hex.prefix(12) ?? "none")… instead of "
          + "\(target.chain.hex.prefix(12))…); restore it from a copy", sequence: target.sequence)
    }
  }

  /// Moves to a batch boundary before the batch that holds a sequence, as near as is cheap.
  func seek(toSegmentWith sequence: UInt64) throws {
    guard let first = try folder.segments()?.last(where: { $0 <= sequence }) else { return }
    try enter(segment: first, before: sequence, isChecked: false)
  }

  /// Opens a segment, and moves to a batch boundary before the batch that holds a sequence.
  ///
  /// In an open segment, what comes next is read by headers alone.
  ///
  /// - Parameter isChecked: whether to begin only at a known place before which all stored bytes were checked.
  /// - Returns: the log's id, and its head at that boundary.
  @discardableResult
  func enter(
    segment first: UInt64, before sequence: UInt64, isChecked: Bool
  ) throws -> (logID: LogID, head: LogHead) {
    let cursor = try open(first)
    (segment, segmentFirst) = (cursor, first)
    let found = try cursor.skip(toBefore: sequence) { id in
      folder.places?.last(in: first, of: id, before: sequence, isChecked: isChecked)
    }
    (logID, head) = found
    return found
  }

  /// The head before the segment's next batch; at the very beginning it follows from the log's id.
  private func due(_ segment: any SegmentCursor) throws -> LogHead {
    if let head { return head }
    guard let id = segment.logID else {
      // The first batch of an open segment tells the id, and is checked against it.
      return LogHead(sequence: 0, chain: ChainHash(bytes: Array(repeating: 0, count: 32)))
    }
    return .empty(id)
  }

  private func checkStart(_ target: LogHead) throws {
    guard try openSegment(), let segment else {
      start = target
      return
    }
    let fixed = try openCursor?.file.read(BatchHeader.fixedLength, at: 0)
    let first = fixed.flatMap { BatchHeader.isIntact($0) ? LogID($0, at: 16) : nil }
    guard let id = segment.logID ?? first else { return }
    guard LogHead.empty(id) == target else { throw EventLogError.anotherLog(folder.path) }
  }

  /// Moves to the beginning of a segment, whatever the segments before it hold.
  func move(toSegment first: UInt64) throws {
    try seek(toSegmentWith: first)
    openCursor?.checksFrames = true
  }

  /// Moves to a batch that was found again behind damage. What its header says of the log before it is
  /// believed; everything else is checked as always.
  func move(to place: BatchPlace) throws {
    let cursor = try open(place.segment, isNameRight: false)
    cursor.move(to: place)
    (segment, segmentFirst) = (cursor, place.segment)
    (logID, head) = (place.logID, place.head)
  }

  /// Whether the cursor was opened within this segment, and not only tried to.
  func isWithin(segment first: UInt64) -> Bool {
    segment != nil && segmentFirst == first
  }

  /// Opens the segment that begins after the head; false if there is none yet.
  private func openSegment() throws -> Bool {
    let due = (head?.sequence ?? 0) + 1
    let found = try order.segment(
      after: head == nil ? nil : segmentFirst, due: due, of: logID,
      passesStrays: policy == .tolerant)
    guard found != nil else { return false }
    let cursor = try opened(due) ?? open(due)
    if let header = (cursor as? SealedSegmentCursor)?.header {
      try check(header.logID, header.previousChain, path: cursor.path, first: due)
    }
    segment = cursor
    segmentFirst = due
    return true
  }

  /// Opens the segment behind this one, once and where nearly all frames of this one are decoded, and has its
  /// frames decoded. What is not there yet, or cannot be opened, is looked for again when this one is at its end.
  private func openFollowing(_ segment: any SegmentCursor) {
    guard spent != nil, followed != segmentFirst, let sealed = segment as? SealedSegmentCursor,
      sealed.isNearlyDecoded
    else { return }
    followed = segmentFirst
    following = try? open(sealed.header.lastSequence + 1) as? SealedSegmentCursor
    following?.decodeAhead()
  }

  /// The segment that begins there, where it was opened before the one in front of it was at its end.
  private func opened(_ first: UInt64) -> SealedSegmentCursor? {
    defer { following = nil }
    return following?.header.firstSequence == first ? following : nil
  }

  /// Checks that a segment, by its header, follows what was read.
  private func check(
    _ id: LogID, _ previous: ChainHash, path: String, first: UInt64
  ) throws {
    if let logID, id != logID {
      throw EventLogError.damaged(.logID, "the segment belongs to another log", path, 0, first)
    }
    guard previous == (head ?? .empty(id)).chain else {
      throw EventLogError.damaged(
        .chain, "the segment does not follow the segment before it", path, 0, first)
    }
  }

  /// Checks that a segment that another one follows does not end with a torn tail.
  private func requireWhole() throws {
    if let torn {
      throw EventLogError.damaged(
        .incomplete, "a batch is cut short, and another segment follows", torn.file, torn.offset,
        torn.sequence)
    }
  }

  /// - Parameter isNameRight: whether a sealed segment must begin with the event that its name says.
  private func open(_ first: UInt64, isNameRight: Bool = true) throws -> any SegmentCursor {
    let file = try folder.open(segment: first)
    if try SealHeader.begins(file) {
      return try SealedSegmentCursor(
        file, firstSequence: isNameRight ? first : nil, limits: limits, spent: spent,
        checksFrames: policy != .headers)
    }
    return try OpenSegmentCursor(
      file, limits: limits, logID: logID, checksFrames: policy != .headers)
  }

  /// Checks that the segments follow each other, by their headers, and leaves the end of the last one to `LogTail`.
  ///
  /// A missing or foreign segment is damage that the end of the log does not show. A strict walk compares every
  /// stored byte of all segments but the last with its CRC. Nothing is decompressed.
  func checkSegments() throws {
    while try openSegment(), let segment {
      let isLast = try !order.isFollowed(segmentFirst)
      switch segment {
      case let sealed as SealedSegmentCursor:
        if policy != .headers, !isLast { try sealed.checkFrames() }
        (logID, head) = (sealed.header.logID, sealed.header.head)
      case let open as OpenSegmentCursor:
        let header = try open.firstHeader()
        try check(header.logID, header.previousChain, path: open.path, first: segmentFirst)
        (logID, head) = (header.logID, header.previousHead)
        while !isLast, let batch = try open.nextBatch(due: due(open)) { head = batch.head }
      default: break
      }
      if isLast { return }
      try requireWhole()
      self.segment = nil
    }
  }
}
