/// A damaged place of a log.
package struct LogFinding: Sendable {
  /// What, where and what to do. Its code is `damaged`.
  package let error: EventLogError
  package let problem: EventLogError.Damage
  /// Path of the file.
  package let file: String
  /// Byte offset in it; 0 for a segment that is missing.
  package let offset: UInt64
  /// The first event that is missing between the batches before and behind this place; nil if none
  /// is: a batch stands out of its place, or only what is no event is damaged.
  package let firstSequence: UInt64?
  /// The last such event; nil also where nothing behind the place tells how many there were.
  package let lastSequence: UInt64?
  /// Whether the batches after it were not read: a store gives them in their order alone.
  package var isRestUnread = false

  /// What the file should be called; nil if its name is not what is wrong.
  package var properName: String? {
    problem == .name ? error.sequence.map(LogFolder.name) : nil
  }
}

/// Batches that stand behind each other in one file, each of them the next in the chain.
struct BatchRun {
  /// Of the first one.
  let place: BatchPlace
  /// The head of the log behind the last one.
  var after: LogHead

  var before: LogHead { place.head }
}

/// Reads every byte of a log, checks it, and goes on behind damage where batches can be found again.
struct LogSurvey {
  let folder: LogFolder
  private let limits: LogLimits
  private let finder: BatchFinder

  private(set) var logID: LogID?
  /// The segments that can be opened, by name, and what was read of them.
  private(set) var segments: [CheckReport.Segment] = []
  /// The end of what is whole: the last batch before any finding.
  private(set) var whole: LogHead?
  private(set) var findings: [LogFinding] = []
  private(set) var torn: TornTail?
  private(set) var runs: [BatchRun] = []
  /// The head with the greatest sequence, wherever its batch stands.
  private(set) var reached: LogHead?
  /// The greatest sequence that any intact header tells of.
  private(set) var lastKnown: UInt64 = 0

  /// The segments as they were listed last, and the place among them of the first that may not have been entered: a
  /// long log must not be listed once a segment.
  private var listed: [UInt64] = []
  private var nextUnread = 0
  private var current: UInt64?
  /// The segment of the batch that was counted last, its place among `segments`, and the stored bytes before it.
  private var counted: (segment: UInt64, index: Int?, before: Int) = (0, nil, 0)
  private var entered: Set<UInt64> = []
  /// Places behind damage where reading went on: none of them twice.
  private var tried: Set<BatchPlace> = []

  private enum Start {
    case beginning
    case place(BatchPlace)
    /// A segment that is taken at its word: what the one before ends with is not known.
    case segment(UInt64)
  }

  init(_ folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
    finder = BatchFinder(folder, limits: limits)
  }

  /// Lists the segments that `run` counts.
  ///
  /// - Throws: `io` if there is none at all; damage if a file has the name of a segment that cannot be.
  mutating func look() throws {
    let firsts = try folder.segments()
    guard let firsts, !firsts.isEmpty else { throw EventLogError.noLog(folder.path) }
    segments = try firsts.compactMap { first in
      let file: LogFile
      do {
        file = try folder.open(segment: first)
      } catch let error as EventLogError where error.damage != nil {
        // A name of something else than a file is a finding when it is its turn.
        return nil
      }
      return try CheckReport.Segment(file, first)
    }
  }

  /// Reads the log.
  ///
  /// - Parameter didRead: called with each batch, all of which is right.
  /// - Throws: what is no damage: a file that the system does not let be read.
  mutating func run(
    progress: (CheckProgress) -> Void, didRead: (BatchInfo) -> Void
  ) throws {
    let total = segments.reduce(0) { $0 + Int($1.storedBytes) }
    var next: Start? = .beginning
    while let start = next {
      let cursor = LogCursor(folder, limits: limits, policy: .tolerant)
      var reading: BatchInfo?
      var isFresh = true
      do {
        try move(cursor, to: start)
        while let batch = try cursor.nextBatch(), enter(batch.segmentFirst) {
          reading = batch
          while try cursor.nextLines() != nil {}
          reading = nil
          try take(batch, of: cursor.id, isFresh: isFresh)
          isFresh = false
          count(batch)
          didRead(batch)
          progress(
            CheckProgress(bytes: counted.before + Int(batch.offset), totalBytes: total))
        }
        end(cursor, isFresh: isFresh)
        next = try unread()
      } catch let error as EventLogError {
        guard let damage = error.damage else { throw error }
        next = try place(
          behind: error, damage, from: start, isFresh: isFresh, reading: reading, cursor)
      }
    }
  }

  /// Notes that a segment is being read; false if it was left before: segments whose names were
  /// changed lead there again.
  private mutating func enter(_ segment: UInt64?) -> Bool {
    guard segment != current else { return true }
    current = segment
    return segment.map { entered.insert($0).inserted } ?? false
  }

  /// A segment that nothing led to.
  private mutating func unread() throws -> Start? {
    // A writer may have begun further ones.
    if firstListed() == nil { try list() }
    guard let segment = firstListed() else { return nil }
    _ = enter(segment)
    return .segment(segment)
  }

  private mutating func list() throws {
    listed = try folder.segments() ?? []
    nextUnread = 0
  }

  private mutating func firstListed() -> UInt64? {
    while nextUnread < listed.count, entered.contains(listed[nextUnread]) { nextUnread += 1 }
    return nextUnread < listed.count ? listed[nextUnread] : nil
  }

  private mutating func move(_ cursor: LogCursor, to start: Start) throws {
    switch start {
    case .beginning: return
    case .place(let place): try cursor.move(to: place)
    case .segment(let first):
      try cursor.move(toSegment: first)
      // Nothing is missing before it, and still it does not follow.
      if let reached, let position = cursor.position, position.sequence == reached.sequence,
        position.chain != reached.chain
      {
        note(
          .damaged(
            .chain, "the segment does not follow the segment before it",
            folder.path(of: first), 0, first), .chain, last: nil)
      }
    }
  }

  private mutating func take(_ batch: BatchInfo, of id: LogID?, isFresh: Bool) throws {
    if let logID, let id, id != logID {
      throw EventLogError.damaged(
        .logID, "the segment belongs to another log", folder.path(batch.segment), batch.offset,
        batch.firstSequence)
    }
    logID = id
    lastKnown = max(lastKnown, batch.lastSequence)
    if batch.lastSequence > reached?.sequence ?? 0 { reached = batch.head }
    let before = batch.previousHead
    let segment = batch.segmentFirst
    if !isFresh, let last = runs.last, last.after == before, last.place.segment == segment {
      runs[runs.count - 1].after = batch.head
    } else if let id {
      let place = BatchPlace(segment: segment, offset: batch.offset, head: before, logID: id)
      runs.append(BatchRun(place: place, after: batch.head))
    }
  }

  private mutating func count(_ batch: BatchInfo) {
    if findings.isEmpty { whole = batch.head }
    if batch.segmentFirst != counted.segment {
      let name = batch.segment
      let before = segments.filter { $0.name < name }.reduce(0) { $0 + Int($1.storedBytes) }
      counted = (batch.segmentFirst, segments.firstIndex { $0.name == name }, before)
    }
    if let index = counted.index { segments[index].count(batch) }
  }

  /// A tail is torn only where whole batches of the log's end stand before it.
  private mutating func end(_ cursor: LogCursor, isFresh: Bool) {
    guard let found = cursor.torn, torn == nil else { return }
    guard !isFresh, cursor.position == reached else {
      note(
        .damaged(
          .incomplete, "the file ends within a batch", found.file, found.offset, found.sequence),
        .incomplete, last: nil)
      return
    }
    torn = found
  }

  mutating func note(
    _ error: EventLogError, _ damage: EventLogError.Damage, last: UInt64?
  ) {
    let due = (reached?.sequence ?? 0) + 1
    let isMissing = last.map { $0 >= due } ?? true
    findings.append(
      LogFinding(
        error: error, problem: damage, file: error.file ?? folder.path, offset: error.offset ?? 0,
        firstSequence: isMissing ? due : nil, lastSequence: isMissing ? last : nil))
    if let last { lastKnown = max(lastKnown, last) }
  }
}

extension LogSurvey {
  private func isNotedAsMisnamed(_ segment: UInt64) -> Bool {
    let path = folder.path(of: segment)
    return findings.contains { $0.problem == .name && $0.file == path }
  }

  /// Whether a file with a segment's name tells of nothing that is missing before it: its beginning says that it is
  /// another segment, or another log's.
  private func isStray(_ segment: UInt64) throws -> Bool {
    do {
      return try isNotedAsMisnamed(segment)
        || SegmentOrder(folder: folder, limits: limits).stray(segment, of: logID) != nil
    } catch let error as EventLogError where error.damage != nil {
      // What is not a file is noted when it is its turn.
      return false
    }
  }

  /// Notes that the segment that should follow here has another name, and goes on with it; nil if none
  /// begins with the event that is due.
  private mutating func misnamed(_ due: UInt64) throws -> Start? {
    for segment in listed where !entered.contains(segment) {
      let beginning: BatchPlace?
      do {
        beginning = try finder.beginning(of: segment, of: logID)
      } catch let error as EventLogError where error.damage != nil {
        // What is not a file is noted when it is its turn.
        continue
      }
      guard let place = beginning, place.head.sequence + 1 == due, tried.insert(place).inserted
      else { continue }
      let error = EventLogError.misnamed(folder.path(of: segment), first: due)
      note(error, .name, last: due - 1)
      return .place(place)
    }
    return nil
  }

  /// Notes damage and finds out where to go on; nil if nothing can be found behind it.
  private mutating func place(
    behind error: EventLogError, _ damage: EventLogError.Damage, from start: Start,
    isFresh: Bool, reading: BatchInfo?, _ cursor: LogCursor
  ) throws -> Start? {
    let segment = error.file.flatMap { LogFolder.firstSequence(LogFolder.fileName($0)) } ?? .max
    if !listed.contains(segment) { try list() }
    if listed.contains(segment), !enter(segment) { return try unread() }
    // The batch before stood out of its place: what follows it is due elsewhere.
    let isAstray = cursor.position != nil && cursor.position != reached && reading == nil
    if damage == .segments, isAstray, let due = reached.map({ $0.sequence + 1 }),
      listed.contains(due)
    {
      return entered.contains(due) ? try unread() : .segment(due)
    }
    let offset = error.offset ?? 0
    if damage != .notAFile, listed.contains(segment) {
      // A header that is not the one that is due may be a good one all the same.
      let isUndue = reading == nil && [.sequence, .chain, .name].contains(damage)
      let isEntered = cursor.isWithin(segment: segment)
      let from = isEntered && !isUndue ? offset + 1 : isEntered ? offset : 0
      var found = try finder.find(in: segment, from: from, of: logID)?.place
      if let again = found, tried.contains(again) {
        // A segment under another's name leads back to itself: it was read already.
        guard isFresh, case .place(again) = start else { return try unread() }
        // Taken at its word it still does not fit.
        found = try finder.find(in: segment, from: again.offset + 1, of: logID)?.place
      }
      if let found, !tried.insert(found).inserted { return try unread() }
      if let place = found {
        let isBack =
          isAstray && isUndue && damage != .name && place.offset == offset && place.head == reached
        if !isBack { note(error, damage, last: place.head.sequence) }
        return .place(place)
      }
    }
    if damage == .segments {
      if let misnamed = try misnamed(segment) { return misnamed }
      // Files that are called by greater numbers tell of nothing that is missing here.
      let later = listed.filter { $0 > segment }
      if try later.allSatisfy(isStray) { return try unread() }
    }
    if let next = try listed.first(where: {
      try $0 > segment && !entered.contains($0) && !isStray($0)
    }) {
      note(error, damage, last: next - 1)
      return .segment(next)
    }
    let isThere = damage != .notAFile && listed.contains(segment)
    let last =
      isThere
      ? try finder.find(in: segment, from: offset, of: logID, isThere: true)?.lastSequence : nil
    // A file whose first event was read elsewhere is one too many, whatever is in it.
    let read = reached.map(\.sequence).flatMap { error.sequence ?? .max <= $0 ? $0 : nil }
    note(error, damage, last: last ?? read)
    return try unread()
  }
}
