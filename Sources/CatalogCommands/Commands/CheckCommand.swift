import ArgumentParser
import Catalog
import EventLog

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read the whole log and check every CRC, count and chain hash.",
    discussion: """
      Repairs nothing. Exit status 3 where the log is damaged, with file and offset, or lacks events \
      that the database has applied.
      """.examples(
        "catalogctl check"))

  @OptionGroup var options: CatalogOptions

  func run() throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let observer = progress.observer
    let lost = try LostEvents.find(in: options.directory)
    let log: EventLogReader
    do {
      log = try options.log()
    } catch let error as CatalogError where error.code == .noCatalog {
      throw lost ?? error as any Error
    }
    let report = try log.check { done in
      observer(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
    }
    progress.finish()
    let damage = report.damage.isEmpty ? lost.map { [$0] } ?? [] : report.damage
    switch options.format {
    case .text: print(report, damage, to: console)
    case .json: try console.write(json: CheckJSON(report, damage))
    }
    if !damage.isEmpty { throw Exit(status: .damaged) }
  }

  private func print(_ report: CheckReport, _ damage: [EventLogError], to console: Console) {
    for segment in report.segments {
      console.write(
        "\(segment.name)  \(segment.isSealed ? "sealed" : "open")  "
          + "\(Count.of(segment.batches, "batch"))".replacing("batchs", with: "batches")
          + ", \(Count.of(segment.events, "event")), \(Count.bytes(segment.plainBytes)) in "
          + Count.bytes(segment.storedBytes))
    }
    for error in damage { console.failure("catalogctl: \(error)") }
    if let torn = report.torn, damage.isEmpty {
      console.write("torn tail: \(torn); the next writer keeps it aside")
    }
    if damage.isEmpty {
      console.write("the log is whole: head \(report.head.sequence) \(report.head.chain.hex)")
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
  let damage: [String]

  init(_ report: CheckReport, _ found: [EventLogError]) {
    whole = found.isEmpty
    sequence = report.head.sequence
    chain = report.head.chain.hex
    torn = report.torn.map { "\($0)" }
    damage = found.map { "\($0)" }
    segments = report.segments.map {
      Segment(
        name: $0.name, sealed: $0.isSealed, batches: Int($0.batches), events: Int($0.events),
        bytes: Int($0.plainBytes), storedBytes: Int($0.storedBytes))
    }
  }
}
