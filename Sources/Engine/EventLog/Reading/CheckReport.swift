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
      // Of the end of the log. What comes before it is read, and may be damaged earlier.
      var damaged: EventLogError?
      do {
        guard let end = try store.end() else { throw EventLogError.noLog(store.place) }
        logID = end.logID
        head = .empty(end.logID)
      } catch let error as EventLogError where error.damage != nil {
        damaged = error
      }
      let cursor = try store.reading(after: nil, readsAhead: true)
      while let batch = try cursor.nextBatch() {
        while try cursor.nextLines() != nil {}
        part.count(batch)
        part.storedBytes += batch.storedLength ?? 0
        head = batch.head
        progress(CheckProgress(bytes: Int(part.storedBytes), totalBytes: Int(part.storedBytes)))
      }
      if let damaged { throw damaged }
    } catch let error as EventLogError {
      guard let problem = error.damage else { throw error }
      findings = [
        LogFinding(
          error: error, problem: problem, file: store.place, offset: 0,
          firstSequence: error.sequence, lastSequence: nil)
      ]
    }
    segments = [part]
  }
}

extension CheckReport {
  /// Reads every byte of the log in a folder and checks it.
  ///
  /// - Throws: what is not damage: there is no log, or a file that the system does not let be read.
  init(of folder: LogFolder, limits: LogLimits, progress: (CheckProgress) -> Void) throws {
    var survey = LogSurvey(folder, limits: limits)
    do {
      try survey.look()
    } catch let error as EventLogError where error.isDamage {
      survey.note(error, .segments, last: nil)
      findings = survey.findings
      return
    }
    try survey.run(progress: progress) { _ in }
    if let whole = survey.whole { head = whole }
    (logID, torn) = (survey.logID, survey.torn)
    (segments, findings) = (survey.segments, survey.findings)
  }
}

extension CheckReport.Segment {
  init(_ file: LogFile, _ first: UInt64) throws {
    self.init(name: LogFolder.name(first), isSealed: try SealHeader.begins(file))
    storedBytes = try file.size()
  }

  mutating func count(_ batch: BatchInfo) {
    batches += 1
    events += batch.eventCount
    plainBytes += batch.plainLength
  }
}
