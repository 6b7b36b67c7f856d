import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation
package import Projections
import Support

struct BlameCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
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
  }

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long, help: ArgumentHelp("Show only this column.", valueName: "name"),
    completion: CatalogCompletion.columns)
  var column: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The moment to show; default the log's head.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @OptionGroup var described: DescriptionOptions

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many rows of a table; all are counted.", valueName: "n"))
  var rows = 100

  @Argument(
    help: "A table of the catalog.",
    completion: CatalogCompletion.tables)
  var table: String

  @Argument(
    help:
      "The values of its key, in the order of the key's columns; none, or the first ones, for all rows that have them.",
    completion: CatalogCompletion.keys)
  var key: [String] = []

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    try described.requireMoment(at)
    if at == .live {
      throw ValidationError(
        "blame reads the log: name a sequence or a time, not live; `\(ProgramName.current) verify` finds rows that were changed "
          + "by hand")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let states = try described.states(
      history.states(progress), through: [at].compactMap(\.self))
    let log = states.log
    let description = try log.kind.schema.table(named: table, of: log)
    if let column, description.index(of: column) == nil {
      let advice =
        try log.words(onFormerColumn: column, of: description)
        ?? NearMiss.advice(for: column, among: description.columns.map(\.name))
      throw ValidationError("\(table) has no column \"\(column)\"; \(advice)")
    }
    if column != nil, key.count < description.key.count {
      throw ValidationError("--column shows a column of one row: name all values of its key")
    }
    let key = try description.typed(key: key) {
      try history.database(at ?? .head(back: 0), progress)
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
    let blame: Blame
    do {
      blame = try Blame(
        description, key: description.parse(key: key), in: log, through: shown, from: states,
        progress: progress.observer)
    } catch let error as CatalogError where error.code == .notFound && key.count == 1 {
      let similar = try NamedRow(key, of: description).keyInOtherCase(
        in: history.database(at ?? .head(back: 0), progress))
      throw similar.map { ValidationError("\(error.explanation); did you mean \"\($0)\"?") }
        ?? error
    }
    progress.finish()
    console.write(moment, besides: history.options.format)
    try console.write(
      history.options.format, json: blame.json(log, only: column, shown ?? 0)
    ) { try write(blame, log, to: $0) }
  }

  private func write(_ blame: Blame, _ log: CatalogLog, to console: Console) throws {
    if let removed = blame.row.removed {
      console.write("the row was deleted by \(removed.line)")
      console.write(reason: try log.reason(of: removed), of: removed)
    }
    for (place, column) in blame.row.columns.enumerated()
    where self.column.map({ $0 == column.name }) ?? true {
      console.write(
        "\(column.name) = \(column.value.literal)\(blame.references[place].map { " (\($0))" } ?? "")",
        as: .heading)
      let before = column.before.map { ", before \($0.literal)" } ?? ""
      console.write("    \(column.event.line)\(before)")
      console.write(reason: try log.reason(of: column.event), of: column.event)
    }
    guard column == nil else { return }
    for tag in blame.related {
      let event = tag.row.removed ?? tag.row.columns.first?.event
      let verb = tag.row.removed == nil ? "" : "gone: "
      console.write("\(tag.relation.name): \(verb)\(tag.name)", as: .heading)
      if let event {
        console.write("    \(event.line)")
        console.write(reason: try log.reason(of: event), of: event)
      }
    }
  }

  /// Writes the rows of a table, each after the event that made it what it is.
  private func write(
    _ found: (rows: [(row: [Value], event: EventEnvelope)], count: Int),
    of table: TableDescription, _ names: RowNames?, _ sequence: UInt64, to console: Console
  ) throws {
    try console.write(
      history.options.format, json: table.json(found.rows, names, sequence)
    ) { console in
      var event: UInt64?
      for (row, writer) in found.rows {
        if writer.sequence != event {
          event = writer.sequence
          console.write(writer.line, as: .heading)
        }
        let key = table.keyWords(table.key.map { row[$0] })
        let name = try names?.name(of: table, row).map { " (\($0))" } ?? ""
        console.write("  \(key)\(name)")
      }
    }
    if found.count > found.rows.count {
      console.error("\(Count.of(found.count - found.rows.count, "more row")); --rows lists more")
    }
    console.note(Count.of(found.count, "row"))
  }
}

extension Console {
  /// Says why an operation was made, below an event of it.
  ///
  /// - Parameter reason: nil if the person did not say why.
  func write(reason: String?, of event: EventEnvelope) {
    guard let reason else { return }
    let what = event.by.hasPrefix("revert:") ? "reverted because" : "because"
    write("    \(what) \"\(reason)\"")
  }
}

extension TableDescription {
  /// The words of a row's key, if the user typed the row's name or the beginning of its id instead.
  ///
  /// - Parameter database: called if the words are not a key.
  func typed(key words: [String], in database: () throws -> PastDatabase) throws -> [String] {
    guard key.count == 1, !words.isEmpty, columns[key[0]].type != .any else { return words }
    if words.count == 1, (try? parse(key: words)) != nil {
      // Any text can be a key: it is a name if no row has this key.
      guard columns[key[0]].type == .text else { return words }
      let row = NamedRow(words, of: self)
      let database = try database()
      if try row.isKey(in: database) { return words }
      return try row.keyIfNamed(in: database).map { [$0] } ?? words
    }
    return [try NamedRow(words, of: self).key(in: database())]
  }

  /// A row's key from the words of a command line.
  ///
  /// - Parameter isPart: whether the first values of the key are enough.
  /// - Throws: `ValidationError` if they are too few, too many, or of another type.
  package func parse(key words: [String], isPart: Bool = false) throws -> [Value] {
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
        // No key has such a column.
        case .any: nil
        }
      guard let value else {
        throw ValidationError(
          "\"\(word)\" is not a value for \(name).\(column.name), which is of type \(column.type)")
      }
      return value
    }
  }
}

// MARK: JSON

extension Blame {
  fileprivate func json(
    _ log: CatalogLog, only column: String?, _ sequence: UInt64
  ) throws -> JSONObject {
    let columns = row.columns.filter { column == nil || $0.name == column }
    let tags = column == nil ? related : []
    return [
      "table": row.table.name,
      // The row's name.
      "name": name,
      // The last event that was looked at.
      "sequence": sequence, "removed": row.removed?.json,
      "columns": try columns.map { column in
        [
          "column": column.name, "value": column.value.literal, "before": column.before?.literal,
          "event": column.event.json,
          // Why the operation of the event was made.
          "reason": try log.reason(of: column.event),
        ] as JSONObject
      },
      "tags": tags.map { tag in
        [
          "dimension": tag.relation.name, "name": tag.name, "isThere": tag.row.removed == nil,
          "event": (tag.row.removed ?? tag.row.columns.first?.event)?.json,
        ] as JSONObject
      },
    ]
  }
}

extension TableDescription {
  /// Rows of it with the events that made each of them what it is.
  fileprivate func json(
    _ found: [(row: [Value], event: EventEnvelope)], _ names: RowNames?, _ sequence: UInt64
  ) throws -> JSONObject {
    [
      "table": name,
      // The last event that was looked at.
      "sequence": sequence, "columns": [JSONObject](), "tags": [JSONObject](),
      "rows": try found.map { row, event in
        [
          "key": named(key: key.map { row[$0] }), "name": try names?.name(of: self, row),
          "event": event.json,
        ] as JSONObject
      },
    ]
  }
}
