import ArgumentParser
import CatalogEngine
import EventLog

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the log: every CRC, count and chain hash.",
    discussion: """
      Repairs nothing, and continues after damage. For each damaged place it prints file, offset, sequence, \
      what is wrong and which events are missing. Exit status 3 if the log is damaged, or lacks events that \
      the database has applied; 2 if it ends with a write that a crash interrupted.
      """.examples(
        "\(ProgramName.current) check",
        "\(ProgramName.current) check --events copy/events"))

  @OptionGroup var history: HistoryOptions

  func run() throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let observer = progress.observer
    let report: CheckReport
    let lost: EventLogError?
    do {
      report = try history.store().check { done in
        observer(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
      }
      lost = report.findings.isEmpty ? try findLost() : nil
    } catch let error as EventLogError where error.code == .io {
      // If there is no log, a database may still tell of one; else there is no catalog.
      if let lost = try findLost() { throw lost }
      _ = try history.reader()
      throw error
    }
    progress.finish()
    switch history.options.format {
    case .text: write(report, lost, to: console)
    case .json: try console.write(json: CheckJSON(report, lost))
    }
    if lost != nil || !report.findings.isEmpty { throw Exit(status: .damaged) }
    if report.torn != nil { throw Exit(status: .findings) }
  }

  /// Nil too where a folder of events alone is looked at.
  private func findLost() throws -> EventLogError? {
    history.events == nil ? try LostEvents.find(in: history.options.directory) : nil
  }

  private func write(_ report: CheckReport, _ lost: EventLogError?, to console: Console) {
    for segment in report.segments {
      console.write(
        "\(segment.name)  \(segment.isSealed ? "sealed" : "open")  "
          + "\(Count.of(segment.batches, "batch"))"
          + ", \(Count.of(segment.events, "event")), \(Count.bytes(segment.plainBytes)) in "
          + Count.bytes(segment.storedBytes))
    }
    for finding in report.findings {
      console.failure("\(ProgramName.current): \(finding.error)")
      console.error("  \(finding.range ?? "no event is missing")")
    }
    if let lost { console.failure("\(ProgramName.current): \(lost)") }
    if let torn = report.torn {
      console.write(
        "torn tail: \(torn); \(TornTail.remedy(isLosing: lost != nil))")
    }
    if lost == nil, report.findings.isEmpty {
      console.write(
        (report.torn == nil ? "the log is intact" : "before it the log is intact")
          + ": head \(report.head.sequence) \(report.head.chain.hex)")
    }
  }
}

private struct CheckJSON: Encodable {
  struct Segment: Encodable {
    let name: String
    let sealed: Bool
    let batches: Int
    let events: Int
    let bytes: Int
    let storedBytes: Int
  }

  let whole: Bool
  let sequence: UInt64
  let chain: String
  let segments: [Segment]
  let torn: String?
  let tornTail: TornTailJSON?
  let damage: [String]
  let findings: [LogFindingJSON]

  init(_ report: CheckReport, _ lost: EventLogError?) {
    whole = lost == nil && report.findings.isEmpty
    sequence = report.head.sequence
    chain = report.head.chain.hex
    torn = report.torn.map { "\($0)" }
    tornTail = report.torn.map(TornTailJSON.init)
    damage = report.damage.map { "\($0)" } + (lost.map { ["\($0)"] } ?? [])
    findings = report.findings.map(LogFindingJSON.init)
    segments = report.segments.map {
      Segment(
        name: $0.name, sealed: $0.isSealed, batches: Int($0.batches), events: Int($0.events),
        bytes: Int($0.plainBytes), storedBytes: Int($0.storedBytes))
    }
  }
}
