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
    package internal(set) var batches = 0
    package internal(set) var events: UInt64 = 0
    package internal(set) var plainBytes: UInt64 = 0
    package internal(set) var storedBytes: UInt64 = 0
  }

  package internal(set) var logID: LogID?
  /// The end of what is whole.
  package internal(set) var head = LogHead(
    sequence: 0, chain: ChainHash(bytes: Array(repeating: 0, count: 32)))
  package internal(set) var segments: [Segment] = []
  package internal(set) var torn: TornTail?
  /// Every damaged place behind which batches could be found again, and the first of each stretch that
  /// could not be read; in the order of the log.
  package internal(set) var findings: [LogFinding] = []
  package var damage: [EventLogError] { findings.map(\.error) }
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
