import CatalogTestSupport
import Foundation
import GRDB
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
  func wholeDocumentsHaveNoFinding() async throws {
    let trial = try await Trial(.none)
    let report = try await trial.export()
    #expect(report.findings.isEmpty)
    #expect(report.documents.map(\.path) == ["\(trial.out)/titles.json"])
    #expect(report.head == (try await trial.catalog.head()))
    #expect(try trial.titles() == ["Title 1", "Title 2"])
  }

  @Test("The catalog as it was is exported as it was")
  func pastIsExported() async throws {
    let trial = try await Trial(.none)
    let report = try await trial.catalog.past(after: 2).export(to: URL(fileURLWithPath: trial.out))
    #expect(report.findings.isEmpty)
    #expect(report.head.sequence == 2)
    #expect(try trial.titles() == ["Title 1"])
  }

  @Test("Rows that were changed by hand are no documents")
  func driftIsRefused() async throws {
    let trial = try await Trial(.none)
    try trial.write("UPDATE title SET words = 'Oops' WHERE number = 1")
    let error = await #expect(throws: StoreError.self) { try await trial.export() }
    #expect(error?.code == .drifted)
    #expect(!FileManager.default.fileExists(atPath: trial.out))
  }

  @Test("A folder that is no place for documents is refused")
  func placesAreRefused() async throws {
    let trial = try await Trial(.none)
    let events = URL(fileURLWithPath: trial.catalog.directory.events)
    let own = await #expect(throws: CatalogError.self) {
      try await trial.catalog.export(to: events)
    }
    #expect(own?.code == .directory)
    let web = await #expect(throws: DocumentError.self) {
      try await trial.catalog.export(to: #require(URL(string: "https://example.com/out")))
    }
    #expect(web?.description.contains("https://example.com/out: it is not a file URL") == true)
  }

  @Test("A document that says less than the rows has a finding with its line")
  func lostRowsAreFound() async throws {
    let trial = try await Trial(.losesTheLast)
    let report = try await trial.export()
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
  func refusalsAreFound() async throws {
    let trial = try await Trial(.refuses)
    let report = try await trial.export()
    guard case .refused(let error)? = report.findings.first else {
      Issue.record("\(report.findings)")
      return
    }
    #expect(error.file == "\(trial.out)/titles.json")
  }

  @Test("An import whose events contradict each other is a finding")
  func contradictionsAreFound() async throws {
    let trial = try await Trial(.contradicts)
    guard case .contradiction? = try await trial.export().findings.first else {
      Issue.record("no contradiction was found")
      return
    }
  }

  @Test("An export that fails leaves the folder as it was", arguments: [true, false])
  func failuresLeaveNothing(isThere: Bool) async throws {
    let trial = try await Trial(.cannotExport)
    if isThere {
      try FileManager.default.createDirectory(atPath: trial.out, withIntermediateDirectories: false)
    }
    await #expect(throws: Failed.self) { try await trial.export() }
    #expect(FileManager.default.fileExists(atPath: trial.out) == isThere)
    if isThere { #expect(try FileManager.default.contentsOfDirectory(atPath: trial.out).isEmpty) }
  }

  /// A catalog with two titles, a batch each, and the folder in which it is exported.
  private struct Trial {
    let folder: ScratchFolder
    let catalog: EventCatalog<Titles>
    var out: String { folder.file("out") }

    init(_ fault: Titles.Fault) async throws {
      folder = try ScratchFolder()
      catalog = try await EventCatalog.open(
        CatalogDirectory(folder.file("catalog")), Titles(fault: fault))
      try await catalog.create(by: "test")
      for number in 1...2 {
        try await catalog.change(by: "test") { _ in [.title(number, "Title \(number)")] }
      }
    }

    @discardableResult
    func export() async throws -> ExportReport { try await catalog.export(to: out) }

    /// The titles that the document has.
    func titles() throws -> [String] {
      struct Document: Decodable { let titles: [String] }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(out)/titles.json"))
      return try JSONDecoder().decode(Document.self, from: bytes).titles
    }

    /// Changes the database by hand.
    func write(_ sql: String) throws {
      try DatabaseQueue(path: catalog.directory.database).write { try $0.execute(sql: sql) }
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
