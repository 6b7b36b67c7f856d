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
      The kind, the head of the log with its time, sizes, the database, the history, the server of a shared log, and the last \
      event of each source. Reads the log once and verifies nothing: `doctor` examines the files, `verify` replays the log.
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
    let (head, sources, known) = try Self.state(of: log, history, in: directory)
    let applied = LostEvents.checkpoint(in: directory)?.sequence
    let address = try directory.logAddress()?.description
    let last = sources.first?.at
    let logBytes = directory.logBytes
    let databaseBytes = DatabaseFile.byteCount(directory.database)
    progress.finish()
    let json: JSONObject = [
      "catalog": directory.path, "kind": log.kind.name, "sequence": head.sequence,
      "chain": head.chain.hex, "at": last?.description, "log": address,
      "logBytes": logBytes, "databaseBytes": databaseBytes, "applied": applied,
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
      field("database", Self.words(directory.database, applied, head.sequence))
      field(
        "history",
        Self.words(
          known == nil ? nil : history.path, known, head.sequence,
          missing: "none; the first question about the past makes it"))
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
    of log: CatalogLog, _ history: CatalogHistory, in directory: CatalogDirectory
  ) throws -> (LogHead, [Source], UInt64?) {
    do {
      return (try log.requireEnd().head, try sources(of: log), try sequence(of: history))
    } catch let error as EventLogError where error.isSilence {
      return (try directory.applied(without: error).head, [], nil)
    }
  }

  private typealias Source = (by: String, at: Timestamp, sequence: UInt64, events: Int)

  /// The sources of a log, the one that wrote last first.
  private static func sources(of log: CatalogLog) throws -> [Source] {
    try LogStatistics(of: log.reader, largest: 0).sources.byEvents.compactMap { share in
      share.last.map { (share.name, $0.at, $0.sequence, share.events) }
    }.sorted { $0.sequence > $1.sequence }
  }

  private static func sequence(of history: CatalogHistory) throws -> UInt64? {
    guard case .within(let checkpoint) = try history.standing() else { return nil }
    return checkpoint.sequence
  }

  private static func words(
    _ path: String?, _ sequence: UInt64?, _ head: UInt64,
    missing: String = "none; the next command that needs it makes it"
  ) -> String {
    guard let path, let sequence else { return missing }
    let behind = head - min(head, sequence)
    return Count.bytes(DatabaseFile.byteCount(path)) + ", up to event \(sequence)"
      + (behind == 0 ? "" : ", \(Count.of(behind, "event")) behind the log")
  }
}
