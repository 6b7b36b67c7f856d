import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation
import Synchronization

struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a log to a folder or to PostgreSQL.",
    discussion: """
      A log is the address of one in PostgreSQL, the folder of a catalog, or a folder of segments. If one is named, \
      the log of the catalog is copied there. A folder that does not exist becomes that of a catalog. Sequences, \
      chain hashes and heads are the same in the copy. A copy that exists gets what it lacks; one that has other \
      events is refused, with exit status 3.
      """.examples(
        "\(ProgramName.current) copy archive",
        "\(ProgramName.current) copy postgresql://db.example/catalogs#sounds archive"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The log to copy, and where to; or where to.", valueName: "logs"),
    completion: .directory)
  var logs: [String]

  @Flag(help: "Copy also to a server that may lose what it acknowledges.")
  var acceptLoss = false

  func validate() throws {
    guard (1...2).contains(logs.count) else {
      throw ValidationError("copy takes one or two logs, not \(logs.count)")
    }
    if logs.contains("") { throw ValidationError("a log needs a name: a folder, or an address") }
  }

  func run() async throws {
    let console = Console.current
    let from = try logs.count == 2 ? Self.existing(logs[0]) : options.reader()
    let to = try Self.new(logs[logs.count - 1])
    let progress = ProgressPrinter(console)
    let observer = progress.observer
    let copied = Mutex<UInt64?>(nil)
    let copy: LogCopy
    do {
      copy = try await Blocking.run {
        try LogCopy(from: from, to: to, acceptsLoss: acceptLoss) { reached, last in
          copied.withLock { $0 = reached }
          observer(
            CatalogProgress(phase: .copying, done: Int(reached), total: Int(max(reached, last))))
        }
      }
    } catch {
      progress.finish()
      // The next copy continues there.
      if let end = copied.withLock({ $0 }) {
        console.error("\(to.place) has the events up to \(end)")
      }
      throw error
    }
    if copy.batches == 0 { try await Self.requireWhole(to, like: from, observer) }
    progress.finish()
    let json: JSONObject = [
      "log": "\(copy.logID)", "from": from.place, "to": to.place, "batches": copy.batches,
      // The last events of the copy, before and now.
      "before": copy.before.sequence, "sequence": copy.after.sequence,
      "chain": copy.after.chain.hex,
    ]
    try console.write(options.format, json: json) { console in
      let events = copy.after.sequence - copy.before.sequence
      console.write(
        copy.batches == 0
          ? "\(to.place) lacks nothing of \(from.place): head \(copy.after.sequence) \(copy.after.chain.hex)"
          : "copied \(Count.of(events, "event")) in \(Count.of(copy.batches, "batch")) to \(to.place): "
            + "head \(copy.after.sequence) \(copy.after.chain.hex)")
    }
  }

  /// Makes sure that a log which ends like another has all of it: what is before its end was not written again.
  private static func requireWhole(
    _ log: any LogStore, like other: any LogStore, _ observer: @escaping ProgressObserver
  ) async throws {
    let findings = try await Blocking.run {
      try log.check { done in
        observer(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
      }.findings
    }
    guard let error = findings.first?.error else { return }
    throw EventLogError(
      error.code,
      "\(error.message); it ends where \(other.place) does, and copy only writes after that: copy \(other.place) to a new place, or "
        + "remove all batches from the damaged one on and copy again",
      file: error.file, sequence: error.sequence)
  }

  /// The log at an address or in a folder.
  private static func existing(_ text: String) throws -> any LogStore {
    let log = try store(text)
    guard try log.end() != nil else {
      throw CatalogError(.noCatalog, "there is no event log in \(log.place)")
    }
    // A copy of what is left is one all the same, and no archive of the catalog.
    if !SharedLogs.isAddress(text), !CatalogDirectory.isFolderOfSegments(text),
      let lost = try LostEvents.find(in: CatalogDirectory(text), log)
    {
      Console.current.warn(ofLost: lost)
    }
    return log
  }

  /// The log at an address or in a folder, which is made if it is not there.
  private static func new(_ text: String) throws -> any LogStore {
    let log = try store(text)
    if log.keepsOthersOut, !CatalogDirectory.isFolderOfSegments(text) {
      try CatalogDirectory(text).make()
    }
    return log
  }

  private static func store(_ text: String) throws -> any LogStore {
    if SharedLogs.isAddress(text) { return try SharedLogAddress(text).store() }
    if CatalogDirectory.isFolderOfSegments(text) { return EventLogReader(directory: text) }
    let directory = CatalogDirectory(text)
    try directory.requireFolderOrNothing()
    return try directory.store()
  }
}
