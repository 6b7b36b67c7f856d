import Support

/// How far a check has come, in stored bytes.
package struct CheckProgress: Sendable {
  package let bytes: Int
  package let totalBytes: Int
}

/// What a check of the whole log found.
package struct CheckReport: Sendable {
  package struct Segment: Sendable {
    package let name: String
    package let isSealed: Bool
    package fileprivate(set) var batches = 0
    package fileprivate(set) var events: UInt64 = 0
    package fileprivate(set) var plainBytes: UInt64 = 0
    package fileprivate(set) var storedBytes: UInt64 = 0
  }

  package fileprivate(set) var logID: LogID?
  /// The end of what is whole.
  package fileprivate(set) var head = LogHead(
    sequence: 0, chain: ChainHash(bytes: Array(repeating: 0, count: 32)))
  package fileprivate(set) var segments: [Segment] = []
  package fileprivate(set) var torn: TornTail?
  /// Every damaged place behind which batches could be found again, and the first of each stretch that
  /// could not be read; in the order of the log.
  package fileprivate(set) var findings: [LogFinding] = []
  package var damage: [EventLogError] { findings.map(\.error) }
}

extension CheckReport {
  /// Reads every batch of a store that has no files. After a damaged batch nothing can be found again.
  package init(of store: some LogStore, progress: (CheckProgress) -> Void) throws {
    var part = Segment(name: store.place, isSealed: false)
    do {
      guard let end = try store.end() else { throw EventLogError.noLog(store.place) }
      logID = end.logID
      head = .empty(end.logID)
      let cursor = try store.reading(after: nil, readsAhead: true)
      while let batch = try cursor.nextBatch() {
        while try cursor.nextLines() != nil {}
        part.count(batch)
        part.storedBytes += batch.storedLength ?? 0
        head = batch.head
        progress(CheckProgress(bytes: Int(part.storedBytes), totalBytes: Int(part.storedBytes)))
      }
    } catch let error as EventLogError where error.isDamage {
      guard case .damaged(let problem) = error.code else { throw error }
      findings = [
        LogFinding(
          error: error, problem: problem, file: store.place, offset: 0,
          firstSequence: error.sequence, lastSequence: nil)
      ]
    }
    segments = [part]
  }
}

/// Reads every byte of a log and checks it.
struct LogCheck {
  private let folder: LogFolder
  private let limits: LogLimits

  init(_ folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// Nil if there is no segment yet.
  func runIfAny() throws -> CheckReport? {
    try folder.segments()?.isEmpty == false ? run { _ in } : nil
  }

  func run(progress: (CheckProgress) -> Void) throws -> CheckReport {
    var report = CheckReport()
    var survey = LogSurvey(folder, limits: limits)
    do {
      report.segments = try survey.look()
    } catch let error as EventLogError where error.isDamage {
      survey.note(error, .segments, last: nil)
      report.findings = survey.findings
      return report
    }
    let firsts = report.segments.map { LogFolder.firstSequence($0.name) ?? 0 }
    try survey.run(over: report.segments, progress: progress) { batch, survey in
      if let index = firsts.lastIndex(of: batch.segmentFirst) {
        report.segments[index].count(batch)
      }
      if survey.findings.isEmpty { report.head = batch.head }
    }
    report.logID = survey.logID
    report.torn = survey.torn
    report.findings = survey.findings
    return report
  }
}

extension LogSurvey {
  /// The segments that can be opened, by name.
  ///
  /// - Throws: `io` if there is none at all.
  func look() throws -> [CheckReport.Segment] {
    let firsts = try folder.segments()
    guard let firsts, !firsts.isEmpty else {
      throw EventLogError.noLog(folder.path)
    }
    return try firsts.compactMap { first in
      let name = LogFolder.name(first)
      let file: LogFile
      do {
        file = try folder.open(segment: first)
      } catch let error as EventLogError {
        // What is no file is a finding of the survey.
        _ = try damage(error)
        return nil
      }
      var segment = CheckReport.Segment(name: name, isSealed: try SealHeader.begins(file))
      segment.storedBytes = try file.size()
      return segment
    }
  }
}

extension CheckReport.Segment {
  fileprivate mutating func count(_ batch: BatchInfo) {
    batches += 1
    events += batch.eventCount
    plainBytes += batch.plainLength
  }
}
