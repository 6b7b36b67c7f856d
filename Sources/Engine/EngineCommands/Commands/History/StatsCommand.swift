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

  @Option(name: .long, help: ArgumentHelp("List this many batches and days.", valueName: "n"))
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
    switch history.options.format {
    case .text: write(statistics, segments.count, stored, to: console)
    case .json: try console.write(json: StatsJSON(statistics, segments.count, stored))
    }
  }

  private func write(
    _ statistics: LogStatistics, _ segments: Int, _ stored: UInt64, to console: Console
  ) {
    let ratio = (Double(statistics.bytes) / Double(max(1, stored)) * 10).rounded() / 10
    console.write(
      "\(Count.of(statistics.events, "event")) in "
        + "\(Count.of(statistics.batches, "batch")), \(Count.bytes(statistics.bytes)), stored in "
        + "\(Count.bytes(stored)) (\(ratio) : 1), \(Count.of(segments, "segment"))")
    if let first = statistics.first, let last = statistics.last {
      console.write("from \(first) to \(last)")
    }
    chart("by type", statistics.types, to: console)
    chart("by source", statistics.sources, to: console)
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
    let names = shares.map(\.name.count).max() ?? 0
    let counts = shares.map { Count.grouped($0.events).count }.max() ?? 0
    let most = shares.map(\.bytes).max() ?? 1
    console.write(title, as: .heading)
    for share in shares {
      let number = Count.grouped(share.events)
      let size = Count.bytes(share.bytes)
      console.write(
        "  " + share.name + String(repeating: " ", count: names - share.name.count + 2)
          + String(repeating: " ", count: counts - number.count) + number + "  "
          + String(repeating: " ", count: max(0, 10 - size.count)) + size + "  "
          + String(repeating: "█", count: max(1, share.bytes * 20 / most)))
    }
  }
}

private struct StatsJSON: Encodable {
  struct Share: Encodable {
    let name: String
    let events: Int
    let bytes: Int

    init(_ share: LogStatistics.Share) {
      name = share.name
      events = share.events
      bytes = share.bytes
    }
  }

  struct Batch: Encodable {
    let firstSequence: UInt64
    let lastSequence: UInt64
    let events: UInt64
    let bytes: UInt64
    let at: String
    let by: String
    let op: String

    init(_ batch: LogStatistics.Batch) {
      firstSequence = batch.info.firstSequence
      lastSequence = batch.info.lastSequence
      events = batch.info.eventCount
      bytes = batch.info.plainLength
      at = batch.at.description
      by = batch.by
      op = batch.operation.description
    }
  }

  let events: Int
  let batches: Int
  let bytes: Int
  let storedBytes: UInt64
  let segments: Int
  let first: String?
  let last: String?
  let types: [Share]
  let sources: [Share]
  let days: [Share]
  let largestBatches: [Batch]

  init(_ statistics: LogStatistics, _ segments: Int, _ stored: UInt64) {
    events = statistics.events
    batches = statistics.batches
    bytes = statistics.bytes
    storedBytes = stored
    self.segments = segments
    first = statistics.first?.description
    last = statistics.last?.description
    types = statistics.types.map(Share.init)
    sources = statistics.sources.map(Share.init)
    days = statistics.days.map(Share.init)
    largestBatches = statistics.largest.map(Batch.init)
  }
}
