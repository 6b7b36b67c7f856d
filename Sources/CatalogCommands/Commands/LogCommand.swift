import ArgumentParser
import Catalog
import CatalogModel
import EventLog

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List events: one line each, or JSON Lines.",
    discussion: "Several options mean all of them.".examples(
      "catalogctl log --newest --limit 5",
      "catalogctl log --by person --since 2026-01-31T12:00:00Z",
      "catalogctl log --format json | jq -r .type | sort | uniq -c"))

  @OptionGroup var history: HistoryOptions
  @OptionGroup var filter: EventFilter

  @Option(name: .long, help: ArgumentHelp("Only events after this sequence.", valueName: "seq"))
  var after: UInt64 = 0

  @Option(name: .long, help: ArgumentHelp("At most this many events.", valueName: "n"))
  var limit: Int?

  @Flag(name: .long, help: "The newest first.")
  var newest = false

  @Flag(name: .long, help: "Go on with what is appended, until interrupted.")
  var follow = false

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
    if newest, follow {
      throw ValidationError("--newest and --follow cannot be had together")
    }
  }

  func run() async throws {
    let console = Console.current
    let log = try history.log()
    guard after < .max else { return }
    var left = limit ?? .max
    var found: [(record: EventRecord, json: String)] = []
    let head = try forEach(in: log) { record, json in
      if newest {
        found.append((record, json))
        if let limit, found.count > 2 * limit { found.removeFirst(found.count - limit) }
        return true
      }
      write(record, json, to: console)
      left -= 1
      return left > 0
    }
    for (record, json) in found.reversed().prefix(left) { write(record, json, to: console) }
    if follow, left > 0 { try await follow(log, after: head, left, console) }
  }

  /// Hands over the events that are wanted, oldest first, until `body` says that it has enough.
  ///
  /// - Returns: how far the log was read.
  private func forEach(
    in log: EventLogReader, _ body: (EventRecord, String) throws -> Bool
  ) throws -> LogHead? {
    var head = try LogPosition(before: after + 1, in: log).head
    let cursor = try log.cursor(after: head)
    var decoder = EventDecoder()
    var isDone = false
    while !isDone, let batch = try cursor.nextBatch() {
      while let block = try cursor.nextLines() {
        try EventReplay.forEachLine(block.bytes, first: block.firstSequence) { line, sequence in
          guard !isDone, sequence > after else { return }
          let record = try decoder.decode(line: line, expecting: sequence)
          let json = String(decoding: line, as: UTF8.self)
          if filter.matches(record, json) { isDone = try !body(record, json) }
        }
      }
      head = batch.head
    }
    return head
  }

  private func follow(
    _ log: EventLogReader, after head: LogHead?, _ limit: Int, _ console: Console
  ) async throws {
    var left = limit
    var decoder = EventDecoder()
    for try await element in log.follow(after: head) {
      for (index, line) in element.lines.enumerated() {
        let record = try decoder.decode(
          line: line, expecting: element.batch.firstSequence + UInt64(index))
        let json = String(decoding: line, as: UTF8.self)
        guard record.sequence > after, filter.matches(record, json) else { continue }
        write(record, json, to: console)
        left -= 1
        if left == 0 { return }
      }
    }
  }

  private func write(_ record: EventRecord, _ json: String, to console: Console) {
    if history.options.format == .json {
      console.write(jsonText: json)
    } else {
      console.write(EventLine.text(record, json: json))
    }
  }
}

/// The batch boundary before a sequence.
struct LogPosition {
  /// Nil at the beginning of the log.
  let head: LogHead?

  init(before sequence: UInt64, in log: EventLogReader) throws {
    guard let end = try log.head() else { throw ValidationError("the log is empty") }
    guard sequence >= 1, sequence <= end.sequence else {
      // After the head there is nothing, which is no error when listing.
      head = sequence <= 1 ? nil : end
      return
    }
    let batch = try log.batch(containing: sequence)
    head =
      batch.firstSequence == 1
      ? nil : LogHead(sequence: batch.firstSequence - 1, chain: batch.previousChain)
  }
}

/// An event on one line, for people.
enum EventLine {
  static func text(_ record: EventRecord, json: String) -> String {
    "\(record.sequence)  \(record.at)  \(record.event.type)  \(record.by)  \(data(of: json))"
  }

  /// The payload, cut to what fits a line.
  private static func data(of json: String) -> String {
    guard let range = json.firstRange(of: "\"data\":") else { return "" }
    let data = json[range.upperBound...].dropLast()
    return data.count <= 120 ? String(data) : data.prefix(119) + "…"
  }
}
