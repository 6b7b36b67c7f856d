import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation
import Projections
import Support

struct BlameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract:
      "Show which event last wrote each column of a row, and each row that belongs to it.",
    discussion: """
      For a deleted row, shows the event that deleted it. The row is read from the log; the live database is \
      not used. Without a key, or with the first values of it, lists the rows of the table with the event that made \
      each of them what it is.
      """.examples(
        of: "blame", "\(ProgramName.current) blame TABLE KEY",
        "\(ProgramName.current) blame TABLE KEY --column title",
        "\(ProgramName.current) blame TABLE"))

  @OptionGroup var history: HistoryOptions

  @Option(name: .long, help: ArgumentHelp("Show only this column.", valueName: "name"))
  var column: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The moment to show; default the log's head.", valueName: "when"))
  var at: Moment?

  @Option(
    name: .long,
    help: ArgumentHelp("List at most this many rows of a table; all are counted.", valueName: "n"))
  var rows = 100

  @Argument(
    help: "A table of the catalog.",
    completion: .list(KnownKinds.current.tableNames))
  var table: String

  @Argument(
    help:
      "The values of its key, in the order of the key's columns; none, or the first ones, for all rows that have them."
  )
  var key: [String] = []

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    if at == .live {
      throw ValidationError(
        "blame reads the log: name a sequence or a time, not live; `\(ProgramName.current) verify` finds rows that were changed "
          + "by hand")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let states = try history.states(progress)
    let log = states.log
    let description = try log.kind.schema.table(named: table)
    if let column, description.index(of: column) == nil {
      throw ValidationError(
        "\(table) has no column \"\(column)\"; "
          + NearMiss.advice(for: column, among: description.columns.map(\.name)))
    }
    if column != nil, key.count < description.key.count {
      throw ValidationError("--column shows a column of one row: name all values of its key")
    }
    let moment = try at.map(states.found)
    let shown = try moment?.sequence ?? log.head()?.sequence
    if key.count < description.key.count {
      let found = try states.writers(
        of: description, key: description.parse(key: key, isPart: true), through: shown ?? 0,
        limit: rows)
      progress.finish()
      console.write(moment, besides: history.options.format)
      return try write(
        found, of: description, states.names(through: shown ?? 0), shown ?? 0, to: console)
    }
    let blame = try Blame(
      description, key: description.parse(key: key), in: log, through: shown, from: states,
      progress: progress.observer)
    progress.finish()
    console.write(moment, besides: history.options.format)
    let names = try states.names(through: shown ?? 0)
    switch history.options.format {
    case .text: try write(blame, names, log, to: console)
    case .json: try console.write(json: BlameJSON(blame, names, log, only: column, shown ?? 0))
    }
  }

  private func write(
    _ blame: Blame, _ names: RowNames?, _ log: CatalogLog, to console: Console
  ) throws {
    if let removed = blame.row.removed {
      console.write("the row was deleted by \(removed.line)")
      try console.write(reasonOf: removed, in: log)
    }
    let row = blame.row.columns.map(\.value)
    let labels =
      row.isEmpty ? [:] : try names?.labels(in: blame.row.table, row, false) ?? [:]
    for (place, column) in blame.row.columns.enumerated()
    where self.column.map({ $0 == column.name }) ?? true {
      console.write(
        "\(column.name) = \(column.value.literal)\(labels[place] ?? "")", as: .heading)
      let before = column.before.map { ", before \($0.literal)" } ?? ""
      console.write("    \(column.event.line)\(before)")
      try console.write(reasonOf: column.event, in: log)
    }
    guard column == nil else { return }
    for tag in blame.related {
      let event = tag.row.removed ?? tag.row.columns.first?.event
      let verb = tag.row.removed == nil ? "" : "gone: "
      console.write("\(tag.relation.name): \(verb)\(tag.name)", as: .heading)
      if let event {
        console.write("    \(event.line)")
        try console.write(reasonOf: event, in: log)
      }
    }
  }

  /// Writes the rows of a table, each after the event that made it what it is.
  private func write(
    _ found: (rows: [(row: [Value], event: EventEnvelope)], count: Int),
    of table: TableDescription, _ names: RowNames?, _ sequence: UInt64, to console: Console
  ) throws {
    switch history.options.format {
    case .text:
      var event: UInt64?
      for (row, writer) in found.rows {
        if writer.sequence != event {
          event = writer.sequence
          console.write(writer.line, as: .heading)
        }
        let key = table.key.map { "\(table.columns[$0].name)=\(row[$0].literal)" }
        let name = try names?.name(of: table, row).map { " (\($0))" } ?? ""
        console.write("  \(key.joined(separator: " "))\(name)")
      }
    case .json: try console.write(json: BlameJSON(found.rows, of: table, names, sequence))
    }
    if found.count > found.rows.count {
      console.error("\(Count.of(found.count - found.rows.count, "more row")); --rows lists more")
    }
    console.error(Count.of(found.count, "row"))
  }
}

extension Console {
  /// Says why an operation was reverted, below an event of the revert.
  fileprivate func write(reasonOf event: EventEnvelope, in log: CatalogLog) throws {
    if let reason = try log.reason(ofRevert: event) { write("    reverted because \"\(reason)\"") }
  }
}

extension Schema {
  /// - Throws: `ValidationError` if there is none.
  func table(named name: String) throws -> TableDescription {
    guard let table = tables.first(where: { $0.name == name }) else {
      throw ValidationError(
        "there is no table \"\(name)\"; " + NearMiss.advice(for: name, among: tables.map(\.name)))
    }
    return table
  }

  /// - Returns: nil if no name is given.
  func tables(named names: [String]) throws -> [TableDescription]? {
    guard !names.isEmpty else { return nil }
    let chosen = Set(try names.map { try table(named: $0).ordinal })
    return tables.filter { chosen.contains($0.ordinal) }
  }
}

extension TableDescription {
  /// A row's key from the words of a command line.
  ///
  /// - Parameter isPart: whether the first values of the key are enough.
  /// - Throws: `ValidationError` if they are too few, too many, or of another type.
  func parse(key words: [String], isPart: Bool = false) throws -> [Value] {
    let names = key.map { columns[$0].name }
    guard words.count == key.count || isPart && words.count < key.count else {
      throw ValidationError(
        "the key of \(name) is \(names.joined(separator: ", ")): \(Count.of(names.count, "value"))")
    }
    return try zip(key, words).map { index, word in
      let column = columns[index]
      let value: Value? =
        switch column.type {
        case .integer: Int64(word).map { .integer($0) }
        case .real: Double(word).map { .real($0) }
        case .text: .text(word)
        case .id: EntityID(word).map { .id($0) }
        case .time: Timestamp(word).map { .time($0) }
        case .blob: Hex.bytes(word).map { .blob($0) }
        }
      guard let value else {
        throw ValidationError(
          "\"\(word)\" is not a value for \(name).\(column.name), which is of type \(column.type)")
      }
      return value
    }
  }
}

private struct BlameJSON: Encodable {
  struct Column: Encodable {
    let column: String
    let value: String
    let before: String?
    let event: EventJSON
    /// Why the event took an operation back.
    let reason: String?
  }

  struct Tag: Encodable {
    let dimension: String
    let name: String
    let isThere: Bool
    let event: EventJSON?
  }

  let table: String
  /// The row's name.
  let name: String?
  /// The last event that was looked at.
  let sequence: UInt64
  let removed: EventJSON?
  let columns: [Column]
  let tags: [Tag]
  /// The rows of a table; nil if one row was asked for.
  let rows: [Row]?

  struct Row: Encodable {
    let key: [String: String]
    let name: String?
    let event: EventJSON
  }

  init(
    _ found: [(row: [Value], event: EventEnvelope)], of table: TableDescription, _ names: RowNames?,
    _ sequence: UInt64
  ) throws {
    self.table = table.name
    self.sequence = sequence
    (name, removed, columns, tags) = (nil, nil, [], [])
    rows = try found.map { row, event in
      Row(
        key: Dictionary(
          table.key.map { (table.columns[$0].name, row[$0].literal) }, uniquingKeysWith: { $1 }),
        name: try names?.name(of: table, row), event: EventJSON(event))
    }
  }

  init(
    _ blame: Blame, _ names: RowNames?, _ log: CatalogLog, only column: String?,
    _ sequence: UInt64
  ) throws {
    self.sequence = sequence
    rows = nil
    table = blame.row.table.name
    let row = blame.row.columns.map(\.value)
    name = row.isEmpty ? nil : try names?.name(of: blame.row.table, row)
    removed = blame.row.removed.map(EventJSON.init)
    columns = try blame.row.columns.filter { column == nil || $0.name == column }.map {
      Column(
        column: $0.name, value: $0.value.literal, before: $0.before?.literal,
        event: EventJSON($0.event), reason: try log.reason(ofRevert: $0.event))
    }
    tags =
      column != nil
      ? []
      : blame.related.map {
        Tag(
          dimension: $0.relation.name, name: $0.name, isThere: $0.row.removed == nil,
          event: ($0.row.removed ?? $0.row.columns.first?.event).map(EventJSON.init))
      }
  }
}
