import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Count the events by type, source and day, and list the largest batches.",
    discussion: "Bytes are counted before compression. Days are in UTC."
      .examples(
        "\(ProgramName.current) stats",
        "\(ProgramName.current) stats --limit 3"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List this many batches and days.", valueName: "n"))
  var limit = 10

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  func run() throws {
    let console = Console.current
    let log = try history.reader()
    let progress = ProgressPrinter(console)
    let statistics = try LogStatistics(of: log, largest: limit, progress: progress.observer)
    let segments = try log.check().segments
    progress.finish()
    let stored = segments.reduce(0) { $0 + $1.storedBytes }
    try console.write(
      history.options.format, json: statistics.json(segments.count, stored)
    ) { write(statistics, segments.count, stored, to: $0) }
  }

  private func write(
    _ statistics: LogStatistics, _ segments: Int, _ stored: UInt64, to console: Console
  ) {
    let whole = statistics.whole
    let ratio = (Double(whole.bytes) / Double(max(1, stored)) * 10).rounded() / 10
    console.write(
      "\(Count.of(whole.events, "event")) in "
        + "\(Count.of(whole.batches, "batch")), \(Count.bytes(whole.bytes)), stored in "
        + "\(Count.bytes(stored)) (\(ratio) : 1), \(Count.of(segments, "segment"))")
    if let first = whole.first, let last = whole.last {
      console.write("from \(first) to \(last)")
    }
    chart("by type", statistics.types.byBytes, to: console)
    chart("by source", statistics.sources.byBytes, to: console)
    let days = statistics.days.suffix(limit)
    let left = statistics.days.count - days.count
    chart("by day" + (left > 0 ? ", the last \(days.count)" : ""), Array(days), to: console)
    console.write("largest batches", as: .heading)
    for batch in statistics.largest {
      console.write(
        "  \(batch.info.firstSequence)–\(batch.info.lastSequence)  \(batch.at)  "
          + "\(Count.of(batch.info.eventCount, "event")), \(Count.bytes(batch.info.plainLength)), "
          + "\(batch.by), operation \(batch.operation)")
    }
  }

  /// A bar for the bytes of each; the longest is 20 characters.
  private func chart(_ title: String, _ shares: [LogStatistics.Share], to console: Console) {
    let names = shares.map(\.name.displayWidth).max() ?? 0
    let counts = shares.map { Count.grouped($0.events).count }.max() ?? 0
    let most = shares.map(\.bytes).max() ?? 1
    console.write(title, as: .heading)
    for share in shares {
      let number = Count.grouped(share.events)
      let size = Count.bytes(share.bytes)
      console.write(
        "  " + share.name.padded(to: names + 2) + number.aligned(to: counts) + "  "
          + size.aligned(to: 10) + "  "
          + String(repeating: "█", count: max(1, share.bytes * 20 / most)))
    }
  }
}

// MARK: JSON

extension LogStatistics {
  fileprivate func json(_ segments: Int, _ stored: UInt64) -> JSONObject {
    [
      "events": whole.events, "batches": whole.batches, "bytes": whole.bytes,
      "storedBytes": stored, "segments": segments, "first": whole.first?.description,
      "last": whole.last?.description, "types": types.byBytes.map(\.json),
      "sources": sources.byBytes.map(\.json), "days": days.map(\.json),
      "largestBatches": largest.map(\.json),
    ]
  }
}

extension LogStatistics.Share {
  fileprivate var json: JSONObject { ["name": name, "events": events, "bytes": bytes] }
}

extension LogStatistics.Batch {
  fileprivate var json: JSONObject {
    [
      "firstSequence": info.firstSequence, "lastSequence": info.lastSequence,
      "events": info.eventCount, "bytes": info.plainLength, "at": at.description, "by": by,
      "op": operation.description,
    ]
  }
}
