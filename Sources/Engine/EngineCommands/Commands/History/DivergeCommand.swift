import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

struct DivergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diverge",
    abstract: "Find the first batch at which two catalogs differ, and the first row.",
    discussion: """
      Compares two folders of catalogs: of two machines, a backup, what two versions of the program made of one log. With \
      one folder, the catalog itself is the other side.

      Either the logs have other events from a batch on, or the logs agree and the rows differ: then two programs made \
      them, or one projector gave two answers. Catalogs of different logs are compared by their rows alone.

      It compares the sums in both histories, and makes these if they are missing. A history that another version of the \
      program made with the same tables is compared as it is. Exit status 2 if the catalogs differ as far as both go.
      """.examples(
        of: "diverge", "\(ProgramName.current) diverge backup",
        "\(ProgramName.current) diverge one two"))

  @OptionGroup var options: CatalogOptions

  // Every other question about the past has it.
  @Flag(name: .long, help: .hidden)
  var noHistory = false

  @Argument(help: "The folder of a catalog.", completion: .directory)
  var one: String

  @Argument(help: "The folder of another one.", completion: .directory)
  var other: String?

  func validate() throws {
    if noHistory {
      throw ValidationError(
        "diverge compares what two histories keep of every batch; without them, `\(ProgramName.current) diff` compares two "
          + "states")
    }
    if other != nil, options.location.catalog != nil {
      throw ValidationError("name two folders, or one and --catalog")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    func history(_ directory: CatalogDirectory) throws -> (CatalogHistory, head: UInt64) {
      let log = try KnownKinds.current.log(
        directory.logThatShouldBe(), besides: directory.database)
      let head = try log.head()?.sequence ?? 0
      return (try CatalogHistory.required(directory, log, progress.observer), head)
    }
    let first = try other == nil ? options.directory : CatalogDirectory(one)
    let second = CatalogDirectory(other ?? one)
    let sides = (try history(first), try history(second))
    let divergence = try Divergence(sides.0.0, sides.1.0) { console.write($0) }
    progress.finish()
    let described = [
      DivergeJSON.Side(first.path, divergence.one, head: sides.0.head, divergence.tables),
      DivergeJSON.Side(second.path, divergence.other, head: sides.1.head, divergence.tables),
    ]
    switch options.format {
    case .text: write(divergence, described, to: console)
    case .json: try console.write(json: DivergeJSON(divergence, described))
    }
    if divergence.verdict != .same { throw Exit(status: .findings) }
  }

  private func write(
    _ found: Divergence, _ sides: [DivergeJSON.Side], to console: Console
  ) {
    for (letter, side) in zip(["A", "B"], sides) {
      let rest =
        side.sequence < side.head
        ? " of \(side.head), as far as its history goes" : ""
      console.write(
        "\(letter) \(side.catalog): log \(side.log), events 1 to \(side.sequence)\(rest), projector "
          + "\(side.projector.prefix(12))…")
    }
    console.write(found.words, as: .heading)
    for (letter, side) in zip(["A", "B"], sides) {
      guard let batch = side.batch else { continue }
      console.write(
        "\(letter): events \(batch.firstSequence) to \(batch.lastSequence), \(batch.at), \(batch.by), operation "
          + batch.op)
      for (type, count) in batch.types.sorted(by: { $0.key < $1.key }) {
        console.write("    \(Count.grouped(count)) \(type)")
      }
      for table in batch.tables {
        console.write(
          "    \(table.table): \(Count.grouped(table.added)) added, \(Count.grouped(table.removed)) removed, "
            + "\(Count.grouped(table.changed)) changed")
      }
    }
    if let row = found.row {
      write(row, to: console)
    } else if found.verdict == .log {
      console.write("both batches made the same rows")
    } else if found.verdict == .rows {
      console.write(
        "the sums differ, and the rows do not: a history was changed; `\(ProgramName.current) history make --again` makes one "
          + "again")
    }
  }

  private func write(_ row: Divergence.DifferingRow, to console: Console) {
    var values = ValueExcerpts(isWhole: true)
    let key = zip(row.table.key, row.key).map {
      "\(row.table.columns[$0.0].name)=\(values.text(StoredValue($0.1)))"
    }
    let name = row.name.map { " (\($0))" } ?? ""
    console.write("first row: \(row.table.name) \(key.joined(separator: " "))\(name)", as: .heading)
    for (letter, cells, event) in [("A", row.one, row.oneEvent), ("B", row.other, row.otherEvent)] {
      let text =
        cells.map { cells in
          row.columns.map {
            "\(row.table.columns[$0].name)=\(values.text(StoredValue(cells[$0])))"
          }.joined(separator: " ")
        } ?? "no such row"
      console.write("  \(letter): \(text)")
      console.write("    \(event?.line ?? "no event wrote it")")
    }
  }
}

private struct DivergeJSON: Encodable {
  struct Table: Encodable {
    let table: String
    let added: Int
    let removed: Int
    let changed: Int
  }

  struct Batch: Encodable {
    let firstSequence: UInt64
    let lastSequence: UInt64
    let at: String
    let by: String
    let op: String
    let types: [String: Int]
    let tables: [Table]

    init(_ batch: Divergence.Batch, _ tables: [TableDescription]) {
      firstSequence = batch.range.firstSequence
      lastSequence = batch.range.lastSequence
      at = batch.event.at.description
      by = batch.event.by
      op = batch.event.operation.description
      types = batch.types
      self.tables = batch.steps.map {
        Table(
          table: tables[$0.table].name, added: $0.added, removed: $0.removed, changed: $0.changed)
      }
    }
  }

  struct Side: Encodable {
    let catalog: String
    let log: String
    /// The last event that is compared.
    let sequence: UInt64
    /// The last event of the log.
    let head: UInt64
    let projector: String
    let batch: Batch?

    init(
      _ path: String, _ side: Divergence.Side, head: UInt64, _ tables: [TableDescription]
    ) {
      catalog = path
      log = side.checkpoint.logID.description
      sequence = side.checkpoint.sequence
      self.head = head
      projector = side.checkpoint.fingerprint.description
      batch = side.batch.map { Batch($0, tables) }
    }
  }

  struct Row: Encodable {
    struct Side: Encodable {
      let values: [String: String]?
      let event: EventJSON?
    }

    let table: String
    let key: [String: String]
    /// The row's name.
    let name: String?
    let sides: [Side]

    init(_ row: Divergence.DifferingRow) {
      func named(_ places: [Int], _ cells: [Value]) -> [String: String] {
        Dictionary(
          zip(places, cells).map { (row.table.columns[$0].name, $1.literal) },
          uniquingKeysWith: { $1 })
      }
      table = row.table.name
      name = row.name
      key = named(row.table.key, row.key)
      sides = [(row.one, row.oneEvent), (row.other, row.otherEvent)].map { cells, event in
        Side(
          values: cells.map { cells in named(row.columns, row.columns.map { cells[$0] }) },
          event: event.map(EventJSON.init))
      }
    }
  }

  let verdict: String
  let sameLog: Bool
  let sameThrough: UInt64
  let commonEvents: UInt64?
  let sides: [Side]
  let row: Row?

  init(_ found: Divergence, _ sides: [Side]) {
    verdict = found.verdict.rawValue
    sameLog = found.isSameLog
    sameThrough = found.sameThrough
    commonEvents = found.commonEvents
    self.sides = sides
    row = found.row.map(Row.init)
  }
}
