import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import CatalogStore

/// Exports of a kind whose documents or imports have a fault.
@Suite(
  .promise(
    "The documents of an export are imported back as the same rows, or the export names what is not",
    by: "kinds with a fault each"))
struct CatalogExporterTests {
  @Test("Documents that say everything have no finding")
  func wholeDocumentsHaveNoFinding() throws {
    let trial = try Trial(.none)
    let report = try trial.export()
    #expect(report.findings.isEmpty)
    #expect(report.documents.map(\.path) == ["\(trial.out)/titles.json"])
    #expect(try ScratchFolder.contents(trial.out).keys.sorted() == ["titles.json"])
  }

  @Test("A document that says less than the rows has a finding with its line")
  func lostRowsAreFound() throws {
    let trial = try Trial(.losesTheLast)
    let report = try trial.export()
    guard case .differs(let path, let line)? = report.findings.first, report.findings.count == 1
    else {
      Issue.record("\(report.findings)")
      return
    }
    #expect(path == "\(trial.out)/titles.json")
    // The brace, the key, and the first title, which a comma follows in one of them.
    #expect(line == 3)
    #expect(try ScratchFolder.contents(trial.out).keys.sorted() == ["titles.json"])
  }

  @Test("What an import refuses is a finding that names the document by its path")
  func refusalsAreFound() throws {
    let trial = try Trial(.refuses)
    let report = try trial.export()
    guard case .refused(let error)? = report.findings.first else {
      Issue.record("\(report.findings)")
      return
    }
    #expect(error.file == "\(trial.out)/titles.json")
  }

  @Test("An import whose events contradict each other is a finding")
  func contradictionsAreFound() throws {
    let trial = try Trial(.contradicts)
    guard case .contradiction? = try trial.export().findings.first else {
      Issue.record("no contradiction was found")
      return
    }
  }

  @Test("An export that fails leaves the folder as it was", arguments: [true, false])
  func failuresLeaveNothing(isThere: Bool) throws {
    let trial = try Trial(.cannotExport)
    if isThere {
      try FileManager.default.createDirectory(atPath: trial.out, withIntermediateDirectories: false)
    }
    #expect(throws: Failed.self) { try trial.export() }
    #expect(FileManager.default.fileExists(atPath: trial.out) == isThere)
    if isThere { #expect(try FileManager.default.contentsOfDirectory(atPath: trial.out).isEmpty) }
  }

  /// Two titles, and the folder in which they are exported.
  private struct Trial {
    let folder: ScratchFolder
    let kind: Titles
    var out: String { folder.file("out") }

    init(_ fault: Titles.Fault) throws {
      folder = try ScratchFolder()
      kind = Titles(fault: fault)
    }

    func export() throws -> CatalogExporter.Report {
      let rows = MemoryRowStore(schema: kind.schema)
      for number in 1...2 {
        try rows.put(Title(number: number, words: "Title \(number)"), in: kind.table)
      }
      return try CatalogExporter(kind).write(
        .replayed(rows), to: out,
        apartFrom: CatalogPlaces(of: CatalogDirectory(folder.file("catalog"))))
    }
  }
}

private struct Title: Sendable {
  var number: Int
  var words: String
}

/// A kind with one table, and with faults in its export.
private struct Titles: ExportingKind {
  enum Fault {
    case none, losesTheLast, refuses, contradicts, cannotExport
  }

  let fault: Fault
  let name = "titles"
  let version = 1
  let table: TypedTable<Title>
  let schema: Schema

  init(fault: Fault) {
    self.fault = fault
    table = TypedTable(
      "title", key: ["number"], Field("number", \Title.number), Field("words", \Title.words),
      make: { Title(number: $0, words: $1) })
    schema = Schema(table)
  }

  func apply(_ record: Recorded<ShelfEvent>, to rows: some RowStore) throws {
    guard case .title(let number, let words) = record.event else { return }
    guard try rows.row(of: table, key: number) == nil else {
      throw ProjectionError(contradiction: "there is a title \(number) already")
    }
    try rows.put(Title(number: number, words: words), in: table)
  }

  func export(_ rows: ProvedRows) throws -> CatalogExport {
    if fault == .cannotExport { throw Failed(text: "no export") }
    let titles = try rows.rows(of: table)
    return CatalogExport(
      documents: [
        ExportedDocument("titles.json", .object { $0.add("titles", titles.map(\.words)) })
      ],
      entries: [EntryCount("title", titles.count)])
  }

  func imports(from folder: String) throws -> [ImportStep<ShelfEvent>] {
    let file = "\(folder)/titles.json"
    if fault == .refuses {
      throw DocumentError(code: .invalidValue, file: file, message: "is refused")
    }
    let document = try JSONValue.parse(DocumentFile.load(file), file: file)
    guard case .array(let titles)? = document["titles"] else { return [] }
    var events = titles.enumerated().map { place, title -> ShelfEvent in
      if case .string(let words) = title { .title(place + 1, words) } else { .title(0, "") }
    }
    if fault == .losesTheLast { events.removeLast() }
    if fault == .contradicts { events += events }
    return [ImportStep(by: "test") { [events] _ in events }]
  }
}
