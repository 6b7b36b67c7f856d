import ArgumentParser
import CatalogEngine
import CatalogStore
import Foundation

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Query the catalog, now or in the past, with read-only SQL.",
    discussion: HistoryOptions.moments.examples(
      of: "query", "\(ProgramName.current) query 'SELECT count(*) FROM TABLE'",
      "\(ProgramName.current) query --at 3533 'SELECT count(*) FROM TABLE'"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The moment to query; default live, or the log's head with --events.", valueName: "when"))
  var at: Moment?

  @OptionGroup var limit: StatementLimitOptions

  @Argument(help: "One SQL statement.")
  var sql: String

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let database = try history.database(at ?? history.latest(), progress)
    progress.finish()
    let answer = try await database.query(sql, timeout: limit.duration)
    if at != nil { console.write(database.moment, besides: history.options.format) }
    switch history.options.format {
    case .text:
      write(answer, to: console)
    case .json: try console.write(json: AnswerJSON(answer, database.sequence))
    }
  }

  private func write(_ answer: PastDatabase.Answer, to console: Console) {
    let rows = answer.rows.map { $0.map(\.plain) }
    let widths = answer.columns.enumerated().map { index, name in
      rows.reduce(name.count) { max($0, $1[index].count) }
    }
    func line(_ cells: [String]) -> String {
      var text = ""
      for (index, cell) in cells.enumerated() {
        if index > 0 { text += "  " }
        text += cell
        if index < cells.count - 1 {
          text += String(repeating: " ", count: max(0, widths[index] - cell.count))
        }
      }
      return text
    }
    console.write(line(answer.columns))
    for row in rows { console.write(line(row)) }
    console.error(Count.of(rows.count, "row"))
  }
}

extension StoredValue {
  /// As a table shows it: text without quotes.
  fileprivate var plain: String {
    if case .text(let text) = self { return text }
    return description
  }
}

private struct AnswerJSON: Encodable {
  enum Cell: Encodable {
    case value(StoredValue)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      guard case .value(let value) = self else { return }
      switch value {
      case .null: try container.encodeNil()
      case .integer(let integer): try container.encode(integer)
      case .real(let real) where real.isFinite: try container.encode(real)
      case .text(let text): try container.encode(text)
      // JSON has neither blobs, nor texts that are not UTF-8, nor an infinity.
      case .real, .blob, .malformed: try container.encode(value.description)
      }
    }
  }

  /// The last event of the state that was asked; nil for the live database.
  let sequence: UInt64?
  let columns: [String]
  let rows: [[Cell]]

  init(_ answer: PastDatabase.Answer, _ sequence: UInt64?) {
    self.sequence = sequence
    columns = answer.columns
    rows = answer.rows.map { $0.map(Cell.value) }
  }
}
