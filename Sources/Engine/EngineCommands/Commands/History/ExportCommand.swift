import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

/// Writes a catalog as documents that an import of its kind reads: `export DIR`.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the catalog as documents that import reads, now or in the past.",
    discussion: """
      DIR is a new or empty folder, which gets the documents that imports of this kind of catalog read.

      The documents are imported again, into no catalog, before they get their names, and exported once more. Standard error names \
      what would not be the same, and the exit status is 2 then. It also lists the rows that no document of the kind can have: \
      `\(ProgramName.current) copy` keeps the log, with all of them.
      """.examples(
        "\(ProgramName.current) export documents",
        "\(ProgramName.current) export documents --at 2026-10-17"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("The moment to export; default live.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @Argument(help: ArgumentHelp("A new folder.", valueName: "dir"), completion: .directory)
  var folder: String

  func validate() throws {
    if folder.isEmpty { throw ValidationError("a folder needs a name") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let kind = try history.log().kind
    guard let kind = kind as? any ExportingKind else {
      throw CatalogError(
        .wrongKind,
        "catalogs of kind \"\(kind.name)\" have no documents; `\(ProgramName.current) copy` copies the log"
      )
    }
    let moment = if let at { at } else { try await history.newest(progress) }
    let database = try history.database(moment, of: history.states(progress), progress)
    let report = try await Blocking.run { [folder, history] in
      try CatalogExporter(kind).write(
        database.rows(of: kind), at: database.receipt(of: kind).head, to: folder,
        apartFrom: history.places)
    }
    progress.finish()
    if at != nil { console.write(database.moment, besides: history.options.format) }
    try console.write(history.options.format, json: report.json) {
      $0.write(report, folder)
    }
    for rows in report.omitted { console.error(rows.sentence) }
    for sentence in report.findings.flatMap(\.sentences) { console.error(sentence) }
    if !report.findings.isEmpty { throw Exit(status: .findings) }
  }
}

extension Console {
  fileprivate func write(_ report: ExportReport, _ folder: String) {
    let entries = report.entries.map { Count.of($0.count, $0.noun) }.joined(separator: ", ")
    if report.documents.count == 1 {
      write("\(report.documents[0].path): \(entries)")
    } else {
      write("\(folder): \(Count.of(report.documents.count, "document")): \(entries)")
    }
  }
}

extension ExportReport {
  fileprivate var json: JSONObject {
    [
      "documents": documents.map { document -> JSONObject in
        ["path": document.path, "bytes": document.bytes, "sha256": document.sha256]
      },
      "entries": entries.map { entry -> JSONObject in ["name": entry.noun, "count": entry.count] },
      "omitted": omitted.map { rows -> JSONObject in
        ["table": rows.table, "rows": rows.count, "meaning": rows.meaning]
      }, "sequence": head.sequence, "chain": head.chain,
    ]
  }
}

extension OmittedRows {
  /// `not in the documents: 3 rows of loan, the loans`
  fileprivate var sentence: String {
    "not in the documents: \(Count.of(count, "row")) of \(table), \(meaning)"
  }
}

extension ExportReport.Finding {
  fileprivate var sentences: [String] {
    switch self {
    case .refused(let error):
      // Each fault has a line.
      ["an import refuses the documents:"]
        + "\(error)".split(separator: "\n").map(String.init)
    case .contradiction(let error): ["an import contradicts itself: \(error)"]
    case .differs(let path, let line):
      ["\(path): an import reads something else from line \(line) on"]
    }
  }
}
