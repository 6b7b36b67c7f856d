import ArgumentParser
import Catalog
import CatalogModel
import EventLog

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List events, oldest first: one line each, or JSON Lines.")

  @OptionGroup var options: CatalogOptions

  @Option(name: .long, help: ArgumentHelp("Only events of this type.", valueName: "type"))
  var type: String?

  @Option(name: .long, help: ArgumentHelp("Only events after this sequence.", valueName: "seq"))
  var after: UInt64 = 0

  @Option(name: .long, help: ArgumentHelp("At most this many events.", valueName: "n"))
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes 1 or more, not \(limit)") }
    if let type, EventType(rawValue: type) == nil {
      throw ValidationError(
        "there are no events of type \"\(type)\"; types: "
          + EventType.allCases.map(\.rawValue).joined(separator: ", "))
    }
  }

  func run() throws {
    let console = Console.current
    let log = try options.log()
    guard after < .max else { return }
    let position = try LogPosition(before: after + 1, in: log)
    let cursor = try log.cursor(after: position.head)
    var left = limit ?? .max
    var decoder = EventDecoder()
    while left > 0, try cursor.nextBatch() != nil {
      while let block = try cursor.nextLines() {
        try EventReplay.forEachLine(block.bytes, first: block.firstSequence) { line, sequence in
          guard left > 0, sequence > after else { return }
          let record = try decoder.decode(line: line, expecting: sequence)
          guard type == nil || record.event.type == type else { return }
          left -= 1
          let json = String(decoding: line, as: UTF8.self)
          if options.format == .json {
            console.write(verbatim: json + "\n")
          } else {
            console.write(EventLine.text(record, json: json))
          }
        }
      }
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
