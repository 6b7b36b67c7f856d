import CatalogEngine
import EventLog

/// A damaged place of the log, as `check` and `salvage` print it.
struct LogFindingJSON: Encodable {
  let problem: String
  let file: String
  let offset: UInt64
  let sequence: UInt64
  let firstMissing: UInt64?
  let lastMissing: UInt64?
  let message: String

  init(_ finding: LogFinding) {
    problem = "\(finding.problem)"
    file = finding.file
    offset = finding.offset
    sequence = finding.error.sequence ?? 0
    firstMissing = finding.firstSequence
    lastMissing = finding.lastSequence
    message = "\(finding.error)"
  }
}

/// An interrupted write at the log's end.
struct TornTailJSON: Encodable {
  let file: String
  let offset: UInt64
  let bytes: UInt64
  let sequence: UInt64

  init(_ torn: TornTail) {
    file = torn.file
    offset = torn.offset
    bytes = torn.length
    sequence = torn.sequence
  }
}

extension LogFinding {
  /// One line: what, where, and which events are missing.
  var line: String {
    "\(file)  \(place): \(problem.rawValue)" + (range.map { "; \($0)" } ?? "; no event is missing")
  }
}
