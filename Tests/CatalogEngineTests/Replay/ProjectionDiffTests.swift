import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import Testing

@testable import CatalogEngine
@testable import CatalogStore

/// Two versions of a kind over one log: each planted change is named with its table, its column and the type of its events.
@Suite(
  .promise(
    "A change of a projector is named with table, column and types of events",
    by: "twelve planted changes"))
struct ProjectionDiffTests {
  @Test(arguments: PlantedShelf.Plant.allCases, [31, 32] as [UInt64])
  func eachPlantedChangeIsNamed(plant: PlantedShelf.Plant, seed: UInt64) async throws {
    let trial = try await Trial(seed: seed)
    let diff = try trial.diff(to: plant)
    let named = Set(diff.findings.map { "\($0.change.rawValue) \($0.place)" })
    #expect(named == plant.expected, "\(plant), seed \(seed)")
    for finding in diff.findings where finding.rows != nil {
      let types = finding.types.compactMap(\.type)
      #expect(types.contains(plant.cause), "\(plant), seed \(seed): \(finding.types)")
      #expect(finding.types.reduce(0) { $0 + $1.rows } == finding.typedRows)
      #expect(finding.typedRows == finding.rows && (finding.rows ?? 0) > 0)
      #expect(!finding.examples.isEmpty && finding.examples.count <= 3)
      #expect(finding.examples.allSatisfy { $0.event != nil }, "\(plant), seed \(seed)")
    }
  }

  /// The numbers of rows and of types are those that a plain comparison of two lists finds.
  @Test(arguments: [41, 42] as [UInt64])
  func rowsAndTypesAreThoseOfAPlainComparison(seed: UInt64) async throws {
    let trial = try await Trial(seed: seed)
    let finding = try #require(try trial.diff(to: .rule).findings.first)
    var readers: [EntityID: (reader: String?, type: String)] = [:]
    for (event, _) in trial.events {
      switch event {
      case .added(let id, _, _): readers[id] = readers[id] ?? (nil, "shelf.added")
      case .lent(let id, let reader):
        if readers[id] != nil { readers[id] = (reader, "shelf.lent") }
      case .returned(let id):
        if readers[id]?.reader != nil { readers[id] = (nil, "shelf.returned") }
      }
    }
    let differing = readers.values.filter {
      $0.reader != nil && $0.reader != $0.reader?.uppercased()
    }
    #expect(finding.rows == differing.count)
    #expect(finding.types.map(\.type) == ["shelf.lent"])
  }

  @Test func anUnchangedProjectorMakesNoDifference() async throws {
    let trial = try await Trial(seed: 51)
    #expect(try trial.diff(to: nil).findings.isEmpty)
    // Nor does one that only grew its version.
    #expect(try trial.diff(from: nil, to: nil, version: 7).findings.isEmpty)
  }

  @Test func whatIsAllowedDoesNotFail() async throws {
    let trial = try await Trial(seed: 52)
    var diff = try trial.diff(to: .rule)
    #expect(diff.allow(["book.title", "other"]) == ["book.title", "other"])
    #expect(!diff.failing.isEmpty)
    #expect(diff.allow(["book.reader"]).isEmpty && diff.failing.isEmpty && !diff.findings.isEmpty)
    var table = try trial.diff(to: .newTable)
    #expect(table.allow(["reader"]).isEmpty && table.failing.isEmpty)
    // A column is not all of its table.
    var dropped = try trial.diff(to: .droppedRow)
    #expect(dropped.allow(["book.id"]) == ["book.id"] && !dropped.failing.isEmpty)
    #expect(dropped.allow(["book"]).isEmpty && dropped.failing.isEmpty)
  }

  /// Both directions: what is new in one is missing in the other.
  @Test func theOtherWayRoundNewIsMissing() async throws {
    let trial = try await Trial(seed: 53)
    func places(_ plant: PlantedShelf.Plant) throws -> Set<String> {
      Set(try trial.diff(from: plant, to: nil).findings.map { "\($0.change.rawValue) \($0.place)" })
    }
    #expect(try places(.newTable) == ["missingTable reader"])
    #expect(try places(.droppedColumn) == ["newColumn book.shelf"])
    #expect(try places(.droppedRow) == ["newRows book"])
  }

  @Test func ofAReceiptTablesAreNamed() async throws {
    let trial = try await Trial(seed: 54)
    let old = try trial.database(of: nil)
    let receipt = try old.read { try Receipt(of: PlantedShelf(nil).schema, in: $0) }
    for part in [Receipt.Part.whole, .content] {
      let recorded = try RecordedReceipt(json: Data(receipt.json(part).utf8))
      func findings(_ plant: PlantedShelf.Plant?) throws -> [String] {
        try ProjectionDiff(
          from: recorded, to: trial.database(of: plant), of: PlantedShelf(plant)
        ).findings.map { "\($0.change.rawValue) \($0.place)" }
      }
      #expect(try findings(nil).isEmpty)
      #expect(try findings(.rounding) == ["digest book"])
      #expect(try findings(.newTable) == ["newTable reader"])
      #expect(try findings(.timeStamp) == (part == .whole ? ["digest book"] : []))
    }
  }

  @Test func anEventIsFoundByTheKeysThatItNames() throws {
    var tokens: [String] = []
    let line = #"{"seq":1,"by":"x","data":{"a":"one","b":[1,-2.5,{"c":"t\"w"}],"d":null,"e":true}}"#
    Array(line.utf8).withUnsafeBytes { bytes in
      PayloadTokens.forEach(in: bytes) { tokens.append(String(decoding: $0, as: UTF8.self)) }
    }
    #expect(tokens == ["a", "one", "b", "1", "-2.5", "c", #"t\"w"#, "d", "e"])
  }
}

/// A shelf whose projector has one of ten changes.
struct PlantedShelf: CatalogKind {
  enum Plant: String, CaseIterable, Sendable {
    case rule
    case standard
    case order
    case droppedRow
    case newTable
    case rounding
    case droppedColumn
    case duplicateCounted
    case timeStamp
    case folding
    case declaration
    case index

    /// The differences that it makes.
    var expected: Set<String> {
      switch self {
      case .rule: ["values book.reader"]
      case .standard: ["values book.shelf"]
      case .order: ["values book.place"]
      case .droppedRow: ["missingRows book"]
      case .newTable: ["newTable reader"]
      case .rounding: ["values book.price"]
      case .droppedColumn: ["missingColumn book.shelf"]
      case .duplicateCounted: ["values book.loans"]
      case .timeStamp: ["values book.lent_at"]
      case .folding: ["values book.folded"]
      case .declaration: ["declaration book.title"]
      case .index: ["declaration book"]
      }
    }

    /// The type of the events that cause them.
    var cause: String {
      switch self {
      case .rule, .newTable, .duplicateCounted, .timeStamp: "shelf.lent"
      case .standard, .order, .droppedRow, .rounding, .droppedColumn, .folding, .declaration,
        .index:
        "shelf.added"
      }
    }
  }

  enum Event: DescribedEvent, Sendable {
    case added(EntityID, title: String, price: Int64)
    case lent(EntityID, to: String)
    case returned(EntityID)

    static let vocabulary = EventVocabulary {
      EventDescription("shelf.added", "book", "title", "price", Event.added) {
        if case .added(let id, let title, let price) = $0 { (id, title, price) } else { nil }
      }
      EventDescription("shelf.lent", "book", "reader", Event.lent) {
        if case .lent(let id, let reader) = $0 { (id, reader) } else { nil }
      }
      EventDescription("shelf.returned", "book", Event.returned) {
        if case .returned(let id) = $0 { id } else { nil }
      }
    }
  }

  let plant: Plant?
  let name = "trial-shelf"
  let version: Int
  let schema: Schema
  private let book: TableDescription
  private let reader: TableDescription

  init(_ plant: Plant?, version: Int = 1) {
    self.plant = plant
    self.version = version
    book = TableDescription(
      "book",
      columns: [
        Column("id", .id), Column("title", .text, nullable: plant == .declaration),
        Column("folded", .text), Column("reader", .text, nullable: true),
        Column("lent_at", .time, nullable: true), Column("price", .real),
        Column("loans", .integer), Column("place", .integer),
      ] + (plant == .droppedColumn ? [] : [Column("shelf", .text)]), key: ["id"],
      indexes: plant == .index ? [.index("book_title", on: ["title"])] : [])
    reader = TableDescription(
      "reader", columns: [Column("name", .text), Column("loans", .integer)], key: ["name"])
    var schema = Schema()
    schema.add(book)
    if plant == .newTable { schema.add(reader) }
    self.schema = schema
  }

  func apply(_ record: Recorded<Event>, to rows: some RowStore) throws {
    switch record.event {
    case .added(let id, let title, let cents):
      if plant == .droppedRow, cents == 0 { return }
      guard try rows.row(in: book, key: [.id(id)]) == nil else {
        throw ProjectionError(contradiction: "there is a book \(id)")
      }
      let price = Double(cents) / 100
      let place = Int64(record.sequence)
      var row: [Value] = [
        .id(id), .text(title), .text(plant == .folding ? title.uppercased() : title.lowercased()),
        .null, .null, .real(plant == .rounding ? price.rounded() : price), .integer(0),
        .integer(plant == .order ? -place : place),
      ]
      if plant != .droppedColumn { row.append(.text(plant == .standard ? "new" : "main")) }
      try rows.put(row, in: book)
    case .lent(let id, let name):
      guard var row = try rows.row(in: book, key: [.id(id)]), case .integer(let loans) = row[6]
      else { throw ProjectionError(contradiction: "there is no book \(id)") }
      let isRepeated = row[3] == .text(plant == .rule ? name.uppercased() : name)
      if !isRepeated || plant == .duplicateCounted { row[6] = .integer(loans + 1) }
      row[3] = .text(plant == .rule ? name.uppercased() : name)
      row[4] = .time(
        plant == .timeStamp
          ? Timestamp(milliseconds: record.at.milliseconds / 1_000 * 1_000) : record.at)
      try rows.put(row, in: book)
      guard plant == .newTable else { return }
      var count: Int64 = 0
      if case .integer(let known)? = try rows.row(in: reader, key: [.text(name)])?[1] {
        count = known
      }
      try rows.put([.text(name), .integer(count + 1)], in: reader)
    case .returned(let id):
      guard var row = try rows.row(in: book, key: [.id(id)]) else {
        throw ProjectionError(contradiction: "there is no book \(id)")
      }
      (row[3], row[4]) = (.null, .null)
      try rows.put(row, in: book)
    }
  }
}

/// A log of a shelf, and what versions of its kind make of it.
private struct Trial {
  let folder: ScratchFolder
  let events: [(event: PlantedShelf.Event, sequence: UInt64)]
  private var directory: CatalogDirectory { CatalogDirectory(folder.file("catalog")) }

  init(seed: UInt64) async throws {
    folder = try ScratchFolder()
    var random = SplitMix(seed: seed)
    var batches: [[PlantedShelf.Event]] = []
    var books: [EntityID] = []
    for number in 0..<25 {
      var batch: [PlantedShelf.Event] = []
      for _ in 0...random.below(4) {
        let id = EntityID(high: random.next(), low: random.next())
        let isFree = random.below(4) == 0
        batch.append(
          .added(
            id, title: "Book \(number) É", price: isFree ? 0 : Int64(101 + 100 * random.below(9))))
        // Those that a change drops are never lent: their loans would contradict.
        if !isFree { books.append(id) }
      }
      for _ in 0..<3 where !books.isEmpty {
        let id = random.pick(books)
        let loan = PlantedShelf.Event.lent(id, to: random.pick(["Ann", "Bob", "Zoë"]))
        switch random.below(4) {
        case 0: batch.append(.returned(id))
        case 1: batch += [loan, loan]
        default: batch.append(loan)
        }
      }
      batches.append(batch)
    }
    var clock: Int64 = 1_767_225_600_123
    let directory = CatalogDirectory(folder.file("catalog"))
    let catalog = try OpenedCatalog.open(directory, PlantedShelf(nil), options: OpeningOptions())
    _ = try catalog.create(by: "test")
    let writer = try catalog.openLog(knownHeads: [])
    for (number, events) in batches.enumerated() {
      clock += 61_007
      var batch = try EventBatch(
        writer, after: writer.head, at: Timestamp(milliseconds: clock), by: "test",
        input: [UInt8(number)])
      for event in events { try batch.add(event, PlantedShelf(nil)) }
      _ = try batch.append(to: writer)
    }
    writer.close()
    catalog.close()
    events = batches.joined().enumerated().map { ($1, UInt64($0 + 2)) }
  }

  func log(_ kind: PlantedShelf) -> CatalogLog {
    CatalogLog(EventLogReader(directory: directory.events), kind)
  }

  func database(of plant: PlantedShelf.Plant?, version: Int = 1) throws -> PastDatabase {
    let path = folder.file("\(UUID()).sqlite")
    try ProjectionRebuild(log(PlantedShelf(plant, version: version))).write(to: path)
    return try PastDatabase(file: path)
  }

  func diff(
    from old: PlantedShelf.Plant? = nil, to new: PlantedShelf.Plant?, version: Int = 1
  ) throws -> ProjectionDiff {
    try ProjectionDiff(
      from: database(of: old), to: database(of: new, version: version),
      of: log(PlantedShelf(new, version: version)), through: events.last?.sequence ?? 0, examples: 3
    )
  }
}
