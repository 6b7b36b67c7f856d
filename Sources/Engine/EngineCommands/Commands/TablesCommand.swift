import ArgumentParser
import CatalogEngine
import CatalogStore
import Projections

struct TablesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tables",
    abstract: "List the tables of the catalog, with their rows, keys and columns.",
    discussion: "The program's own tables (projection_…) are left out unless --all asks for them."
      .examples(
        "\(ProgramName.current) tables",
        "\(ProgramName.current) tables --at yesterday",
        "\(ProgramName.current) tables --format csv"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("The moment whose rows are counted; default live.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @Flag(name: [.long, .customShort("v"), .customLong("verbose")], help: "List all tables.")
  var all = false

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let moment = if let at { at } else { try await history.newest(progress) }
    let database = try history.database(moment, progress)
    let schema = try history.log().kind.schema
    let tables = schema.tables.filter { all || !$0.isOwn }
    let rows = try tables.map { table in
      var count: Int64 = 0
      try database.forEachRow(
        of: "SELECT count(*) FROM \(table.sqlName)", until: nil
      ) { _ in
      } _: {
        if case .integer(let rows) = $0[0] { count = rows }
      }
      return (table: table, count: count)
    }
    progress.finish()
    console.write(database.moment, besides: history.options.format)
    let json = rows.map { table, count -> JSONObject in
      [
        "table": table.name, "rows": count, "key": table.key.map { table.columns[$0].name },
        "columns": table.columns.map(\.name),
      ]
    }
    try console.write(history.options.format, json: json) { console in
      let width = tables.map(\.name.displayWidth).max() ?? 0
      let counts = rows.map { Count.grouped(Int($0.count)) }
      let digits = counts.map(\.count).max() ?? 0
      for (row, count) in zip(rows, counts) {
        console.write(
          row.table.name.padded(to: width + 2) + count.aligned(to: digits) + "  "
            + row.table.columns.map(\.name).joined(separator: ", "))
      }
      console.note(Count.of(rows.count, "table"))
    }
  }
}
