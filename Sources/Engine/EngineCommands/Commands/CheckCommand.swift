import ArgumentParser
import CatalogEngine
import EventLog

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the log: every CRC, count and chain hash.",
    discussion: """
      Repairs nothing, and continues after damage. For each damaged place it prints file, offset, sequence, \
      what is wrong and which events are missing. Exit status 3 if the log is damaged, or lacks events that \
      the database has applied; 2 if it ends with a write that a crash interrupted.

      With --contains it also checks that the log begins with the events of an earlier head, which you kept. A log that \
      only grew has each of its earlier heads. Exit status 3 if it does not.
      """.examples(
        "\(ProgramName.current) check",
        "\(ProgramName.current) check --contains catalog.receipt.json",
        "\(ProgramName.current) check --events copy/events",
        "\(ProgramName.current) check --contains last.receipt.json --format github"))

  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: HistoryOptions.eventsHelp, completion: .directory)
  var events: String?

  @Option(name: .long, help: "Output format; github: annotations of a GitHub workflow.")
  var format: FindingsFormat = .text

  // Earlier releases took it, and it meant nothing here.
  @Flag(name: .long, help: .hidden)
  var noHistory = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A head that the log must contain: as head prints it, or a file with that, or a receipt; - is standard input.",
      valueName: "head"),
    completion: .file())
  var contains: String?

  func run() async throws { try await format.annotating("Catalog log", check) }

  private func check() throws {
    let kept = try contains.map { try NamedHead($0) }
    let console = Console.current
    let progress = ProgressPrinter(console)
    let observer = progress.observer
    let report: CheckReport
    let lost: EventLogError?
    do {
      report = try store().check { done in
        observer(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
      }
      lost =
        report.findings.isEmpty
        ? try findLost() ?? kept.flatMap { try refusal($0, head: report.head) } : nil
    } catch let error as EventLogError where error.code == .io {
      // If there is no log, a database may still tell of one; else there is no catalog.
      if let lost = try findLost() { throw lost }
      if let events {
        _ = try HistoryOptions.reader(ofEvents: events)
      } else {
        _ = try location.reader()
      }
      throw error
    }
    progress.finish()
    let contained = lost == nil && report.findings.isEmpty ? kept?.head : nil
    if format == .github {
      annotate(report, lost, contained, to: console)
    } else {
      try console.write(format.plain, json: report.json(lost, contained)) {
        write(report, lost, to: $0)
        if let contained { $0.write(Self.words(contained)) }
      }
    }
    if lost != nil || !report.findings.isEmpty { throw Exit(status: .damaged) }
    if report.torn != nil { throw Exit(status: .findings) }
  }

  private func store() throws -> any LogStore {
    try events.map(HistoryOptions.store) ?? location.directory.store()
  }

  /// Nil too where a folder of events alone is looked at.
  private func findLost() throws -> EventLogError? {
    events == nil ? try LostEvents.find(in: location.directory) : nil
  }

  /// Why the log does not contain a head; nil if it does. No database knows the head: the error has no sequence, and so no advice to rebuild
  /// one.
  ///
  /// - Parameter last: the head of the log.
  private func refusal(_ named: NamedHead, head last: LogHead) throws -> EventLogError? {
    let (log, head) = (try store(), named.head)
    if let id = named.logID, let own = try log.logID()?.description, id != own {
      return EventLogError(
        .lostEvents,
        "\(log.place) has log \(own), and the head that was kept is of log \(id): restore that log, or keep a head of this one if it took its place on purpose",
        file: log.place)
    }
    do {
      _ = try log.cursor(after: head)
      return nil
    } catch let error as EventLogError where error.code == .lostEvents {
      let named = "\(head.sequence) \(head.chain.hex.prefix(12))…"
      let place = log.place
      guard head.sequence <= last.sequence else {
        return EventLogError(
          .lostEvents,
          "\(place) ends with event \(last.sequence), and does not contain \(named): it lost events, or that is the head of a log "
            + "that others continued", file: place)
      }
      let batch = try log.batch(containing: head.sequence)
      guard batch.lastSequence == head.sequence else {
        return EventLogError(
          .lostEvents,
          "\(place) does not contain \(named): its batch of events \(batch.firstSequence) to \(batch.lastSequence) continues after event "
            + "\(head.sequence), as if both continued an earlier state, or that is not a head, which is the end of a batch; "
            + "\(do: .findFork) finds the first batch", file: place)
      }
      return EventLogError(
        .lostEvents,
        "\(place) does not contain \(named): it has other events up to \(head.sequence), as if both continued an earlier state; "
          + "\(do: .findFork) finds the first batch", file: place)
    }
  }

  private static func words(_ contained: LogHead) -> String {
    "it contains \(contained.sequence) \(contained.chain.hex)"
  }

  /// One line for each damaged place, and one for the whole log.
  private func annotate(
    _ report: CheckReport, _ lost: EventLogError?, _ contained: LogHead?, to console: Console
  ) {
    func write(_ level: Annotation.Level, _ message: String, file: String? = nil) {
      console.write(Annotation(level, title: "Catalog log", message, file: file).line)
    }
    for finding in report.findings {
      write(
        .error, "\(finding.error); \(finding.range ?? "no event is missing")",
        file: SharedLogs.isAddress(finding.file) ? nil : finding.file)
    }
    if let lost {
      write(.error, "\(lost)" + (LostEvents.advice(on: lost).map { "; \($0)" } ?? ""))
    }
    if let torn = report.torn {
      write(.error, "torn tail: \(torn); \(TornTail.remedy(isLosing: lost != nil))")
    }
    guard lost == nil, report.findings.isEmpty, report.torn == nil else { return }
    write(.notice, Self.words(report) + (contained.map { "; " + Self.words($0) } ?? ""))
  }

  private static func words(_ report: CheckReport) -> String {
    (report.torn == nil ? "the log is intact" : "before it the log is intact")
      + ": head \(report.head.sequence) \(report.head.chain.hex)"
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
    if lost == nil, report.findings.isEmpty { console.write(Self.words(report)) }
  }
}

extension CheckReport {
  /// - Parameter contained: the head that was asked for, if the log contains it.
  fileprivate func json(_ lost: EventLogError?, _ contained: LogHead?) -> JSONObject {
    [
      "contains": contained.map { head -> JSONObject in
        ["sequence": head.sequence, "chain": head.chain.hex]
      },
      "whole": lost == nil && findings.isEmpty, "sequence": head.sequence, "chain": head.chain.hex,
      "segments": segments.map(\.json), "torn": torn.map { "\($0)" }, "tornTail": torn?.json,
      "damage": damage.map { "\($0)" } + (lost.map { ["\($0)"] } ?? []),
      "findings": findings.map(\.json),
    ]
  }
}

extension CheckReport.Segment {
  fileprivate var json: JSONObject {
    [
      "name": name, "sealed": isSealed, "batches": batches, "events": events, "bytes": plainBytes,
      "storedBytes": storedBytes,
    ]
  }
}

extension LogFinding {
  var json: JSONObject { json { $0 } }

  /// A damaged place of the log, as `check` and `salvage` print it.
  ///
  /// - Parameter shown: changes a text in which the file is named.
  func json(as shown: (String) -> String) -> JSONObject {
    [
      "problem": "\(problem)", "file": shown(file), "offset": offset,
      "sequence": error.sequence ?? 0, "firstMissing": firstSequence,
      "lastMissing": lastSequence, "message": shown("\(error)"),
    ]
  }

  /// One line: what, where, and which events are missing.
  var line: String {
    "\(file)  \(place): \(problem.rawValue)" + (range.map { "; \($0)" } ?? "; no event is missing")
  }
}

extension TornTail {
  var json: JSONObject { json { $0 } }

  /// An interrupted write at the log's end.
  ///
  /// - Parameter shown: changes a text in which the file is named.
  func json(as shown: (String) -> String) -> JSONObject {
    ["file": shown(file), "offset": offset, "bytes": length, "sequence": sequence]
  }
}
