import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract:
      "Show on one screen what a catalog is, and which events its database and history have.",
    discussion: """
      The kind, the head of the log with its time, sizes, the database, drift, the history, the server of a shared log, and the \
      last event of each source. Drift is what another program changed in the database: rows are compared with their digests if \
      one may have written to it. `doctor` examines the files, `verify` replays the log.
      """.examples(
        "\(ProgramName.current) status", "\(ProgramName.current) status --format json"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let log = try options.log()
    let directory = try options.directory
    let history = CatalogHistory(directory, log)
    let (head, sources, standing) = try Self.state(
      of: log, history, in: directory, isStrict: options.isStrict)
    let known: UInt64? = if case .within(let mark)? = standing { mark.sequence } else { nil }
    let isAhead = try standing != nil && LostEvents.find(in: directory, log.reader) != nil
    let applied = LostEvents.checkpoint(in: directory)?.sequence
    let address = try directory.logAddress()?.description
    let last = sources.first?.at
    let drift = standing == nil || isAhead ? nil : try LiveProof(directory).finding(for: log)
    let logBytes = directory.logBytes
    let databaseBytes = DatabaseFile.byteCount(directory.database)
    progress.finish()
    let json: JSONObject = [
      "catalog": directory.path, "kind": log.kind.name, "sequence": head.sequence,
      "chain": head.chain.hex, "at": last?.description, "log": address,
      "logBytes": logBytes, "databaseBytes": databaseBytes, "applied": applied,
      "drift": drift?.reason,
      "historyBytes": history.byteCount, "historySequence": known,
      "sources": sources.map {
        ["by": $0.by, "events": $0.events, "at": $0.at.description, "sequence": $0.sequence]
          as JSONObject
      },
    ]
    try console.write(options.format, whole: json) { console in
      func field(_ name: String, _ value: String) {
        console.write(name.padded(to: 10) + value)
      }
      field("catalog", directory.path)
      field("kind", log.kind.name)
      field("head", "event \(head.sequence)" + (last.map { ", \($0)" } ?? ""))
      field(
        "log",
        address ?? Count.bytes(logBytes))
      field(
        "database",
        isAhead
          ? Count.bytes(databaseBytes) + ", of events that the log does not have"
          : Self.words(directory.database, applied, head.sequence))
      if let words = drift?.words { field("drift", words) }
      field("history", Self.words(history, standing, head.sequence))
      if !sources.isEmpty { console.write("last event of each source", as: .heading) }
      let width = sources.map(\.by.displayWidth).max() ?? 0
      for source in sources {
        console.write(
          "  " + source.by.padded(to: width + 2)
            + "\(source.at)  event \(source.sequence)  \(Count.of(source.events, "event")) in all")
      }
    }
  }

  /// The head of the log, its sources, and the last event of its history; what the database knows of them if the log does not answer.
  private static func state(
    of log: CatalogLog, _ history: CatalogHistory, in directory: CatalogDirectory, isStrict: Bool
  ) throws -> (LogHead, [Source], CatalogHistory.Standing?) {
    do {
      return (try log.requireEnd().head, try sources(of: log), try history.standing())
    } catch let error as EventLogError where error.isSilence {
      return (try directory.applied(without: error, isStrict: isStrict).head, [], nil)
    }
  }

  private typealias Source = (by: String, at: Timestamp, sequence: UInt64, events: Int)

  /// The sources of a log, the one that wrote last first.
  private static func sources(of log: CatalogLog) throws -> [Source] {
    try LogStatistics(of: log.reader, largest: 0).sources.byEvents.compactMap { share in
      share.last.map { (share.name, $0.at, $0.sequence, share.events) }
    }.sorted { $0.sequence > $1.sequence }
  }

  /// - Parameter standing: nil if the log does not answer.
  private static func words(
    _ history: CatalogHistory, _ standing: CatalogHistory.Standing?, _ head: UInt64
  ) -> String {
    switch standing {
    case .within(let mark)?: words(history.path, mark.sequence, head)
    case .missing?: "none; the first question about the past makes it"
    case .unfit(let reason)?:
      "\(Count.bytes(history.byteCount)), and of no use: \(reason)"
    case nil:
      history.byteCount == 0
        ? "none" : "\(Count.bytes(history.byteCount)), compared with the log once that answers"
    }
  }

  private static func words(_ path: String, _ sequence: UInt64?, _ head: UInt64) -> String {
    guard let sequence else { return "none; the next command that needs it makes it" }
    let behind = head - min(head, sequence)
    return Count.bytes(DatabaseFile.byteCount(path)) + ", up to event \(sequence)"
      + (behind == 0 ? "" : ", \(Count.of(behind, "event")) behind the log")
  }
}

extension LiveProof.Finding {
  /// Why the database is not what the projector wrote; nil if it is, and if that could not be found out.
  fileprivate var reason: String? {
    if case .changed(let reason) = self { reason } else { nil }
  }

  /// The finding for a person; nil without a database.
  fileprivate var words: String? {
    switch self {
    case .missing: nil
    case .sound: "none"
    case .unknown(let reason): "not known: \(reason)"
    case .changed(let reason): reason
    }
  }
}
