/// The end of a log, found from its last segment alone.
struct LogTail {
  let logID: LogID
  let head: LogHead
  /// First sequence of the last segment.
  let segment: UInt64
  let isSealed: Bool
  /// Where the next batch goes in an open segment.
  let offset: UInt64
  /// Plain bytes in an open segment.
  let plainLength: UInt64
  let torn: TornTail?

  /// Walks the headers of the last segment and checks every stored byte of its last batch; nil where
  /// there is no segment.
  ///
  /// - Throws: damage that stands in its way.
  init?(_ folder: LogFolder, limits: LogLimits) throws {
    guard let last = try folder.segments()?.last else { return nil }
    segment = last
    let file = try LogFile(folder.path(LogFolder.name(last)), .read, folder.calls)
    let magic = try file.read(4, at: 0)
    if magic.count == 4, magic.number(UInt32.self, at: 0) == SealHeader.magic {
      let header = try SealHeader(file, firstSequence: last, limits: limits)
      logID = header.logID
      head = header.head
      isSealed = true
      offset = try file.size()
      plainLength = header.plainLength
      torn = nil
      return
    }

    isSealed = false
    let segment = OpenSegment(file: file, limits: limits)
    let fixed = try file.read(BatchHeader.fixedLength, at: 0)
    let first: BatchHeader
    do throws(BatchHeader.Flaw) {
      first = try BatchHeader(fixed: fixed, limits: limits)
    } catch {
      throw EventLogError.damaged(error.damage, error.what, file.path, 0, last)
    }
    let walk = try OpenSegmentCursor(segment, logID: first.logID, checksFrames: false)
    var head = LogHead(sequence: last - 1, chain: first.previousChain)
    var before = (offset: walk.offset, plain: walk.plainLength, head: head)
    while true {
      let here = (offset: walk.offset, plain: walk.plainLength, head: head)
      guard let info = try walk.nextBatch(due: head) else { break }
      before = here
      head = info.head
    }
    // The walk trusted stored bytes; the last batch may have been interrupted within them.
    let check = try OpenSegmentCursor(segment, logID: first.logID)
    check.move(to: before.offset, plainLength: before.plain)
    let isWhole = try check.nextBatch(due: before.head) != nil
    logID = first.logID
    self.head = isWhole ? head : before.head
    offset = check.offset
    plainLength = check.plainLength
    torn = isWhole ? walk.torn : check.torn
  }
}
