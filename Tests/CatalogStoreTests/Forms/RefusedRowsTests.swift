import CatalogModel
import CatalogTestSupport
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// Whatever somebody else's projector hands over, the process goes on: both stores throw the same error, which names
/// the table and the column, and nothing has changed.
@Suite(
  .promise(
    "A row that its table cannot have is an error that names table and column, the same "
      + "from both row stores, and changes nothing"),
  .promise(
    "A second row with the same value in a unique column is a contradiction of its event"))
struct RefusedRowsTests {
  private let forms = TableForms()
  private let folder: ScratchFolder
  private let database: ProjectionDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ProjectionDatabase(
      path: folder.file("rows.sqlite"), migrations: forms.migrations)
    try database.createTables()
  }

  /// Calls both stores, once each and after a row that fits.
  private func expectRefusal(
    _ message: String, _ code: ProjectionError.Code = .invalidRow,
    after rows: [([Value], TableDescription)] = [],
    _ body: @escaping (any RowStore) throws -> Void
  ) throws {
    let memory = MemoryRowStore(schema: forms.schema)
    func check(_ store: some RowStore) throws {
      for (row, table) in rows { try store.put(row, in: table) }
      let error = #expect(throws: ProjectionError.self) { try body(store) }
      #expect(error?.code == code)
      #expect(error?.message == message)
      for (row, table) in rows {
        #expect(try store.row(in: table, key: table.key(of: row)) == row)
      }
    }
    try check(memory)
    try database.update { _, store in
      try check(store)
      return nil
    }
    for table in forms.schema.tables {
      #expect(memory.count(of: table) == rows.count { $0.1 === table })
    }
  }

  private static let picture: [Value] = [
    .text("a"), .blob([0, 1]), .null, .integer(5), .real(1.5),
  ]

  @Test(
    arguments: [
      (0, .null, "pictures.name is NULL, but must not be"),
      (0, .integer(1), "pictures.name is an integer, should be a text"),
      (0, .text("a\0b"), "pictures.name is a text with U+0000, which no text here may hold"),
      (1, .null, "pictures.data is NULL, but must not be"),
      (1, .text("a"), "pictures.data is a text, should be a blob"),
      (2, .integer(0), "pictures.thumb is an integer, should be a blob or NULL"),
      (3, .null, "pictures.added_at is NULL, but must not be"),
      (3, .real(1), "pictures.added_at is a real number, should be an integer"),
      (3, .time(Timestamp(milliseconds: 0)), "pictures.added_at is a time, should be an integer"),
      (3, .blob([]), "pictures.added_at is a blob, should be an integer"),
      (4, .integer(1), "pictures.rating is an integer, should be a real number or NULL"),
      (4, .real(.nan), "pictures.rating is nan, should be a finite number"),
      (4, .real(-.infinity), "pictures.rating is -inf, should be a finite number"),
      (
        4, .id(EntityID(high: 0, low: 1)),
        "pictures.rating is an id, should be a real number or NULL"
      ),
    ] as [(Int, Value, String)])
  func aValueThatItsColumnCannotHold(place: Int, value: Value, message: String) throws {
    var row = Self.picture
    row[place] = value
    let forms = forms
    try expectRefusal(message) { try $0.put(row, in: forms.pictures) }
    row[0] = .text("b")
    if place > 0 {
      try expectRefusal(message, after: [(Self.picture, forms.pictures)]) {
        try $0.put(row, in: forms.pictures)
      }
    }
  }

  @Test(arguments: [0, 1, 4, 6])
  func tooFewOrTooManyValues(count: Int) throws {
    let row = Array((Self.picture + [.null]).prefix(count))
    let forms = forms
    let values = count == 1 ? "1 value" : "\(count) values"
    try expectRefusal(
      "a row of pictures has \(values) instead of 5: name, data, thumb, added_at, rating"
    ) { try $0.put(row, in: forms.pictures) }
  }

  @Test func keysAndSearchesThatNoRowCanHave() throws {
    let forms = forms
    let table = forms.positions
    try expectRefusal("a key of positions has 1 value instead of 2: collection, position") {
      _ = try $0.row(in: table, key: [.text("a")])
    }
    try expectRefusal("positions.position is NULL, but must not be") {
      try $0.remove(key: [.text("a"), .null], from: table)
    }
    try expectRefusal("positions.collection is an integer, should be a text") {
      _ = try $0.value(1, in: table, key: [.integer(1), .integer(1)])
    }
    let index = IndexReference(table: table, ordinal: 0)
    try expectRefusal("positions.track is a blob, should be a text") {
      _ = try $0.rows(by: index, equal: [.blob([1])])
    }
    try expectRefusal("a search of positions has 0 values instead of 1: track") {
      _ = try $0.value(0, by: index, equal: [])
    }
  }

  @Test func twoRowsWithTheSameInWhatIsUnique() throws {
    let forms = forms
    try expectRefusal(
      "another row of collections has the same name, which is unique: \"n\"", .duplicate,
      after: [([.text("a"), .text("n"), .null, .null], forms.collections)]
    ) { try $0.put([.text("b"), .text("n"), .integer(1), .null], in: forms.collections) }
    try expectRefusal(
      "another row of collections has the same rank, owner, which is unique: 7, "
        + "00000000-0000-0000-0000-000000000001", .duplicate,
      after: [
        ([.text("a"), .text("n"), .integer(7), .id(EntityID(high: 0, low: 1))], forms.collections),
        ([.text("b"), .text("m"), .integer(7), .null], forms.collections),
        ([.text("c"), .text("o"), .integer(7), .null], forms.collections),
      ]
    ) {
      try $0.put(
        [.text("b"), .text("m"), .integer(7), .id(EntityID(high: 0, low: 1))],
        in: forms.collections)
    }
    try expectRefusal(
      "another row of positions has the same track, note, which is unique: \"t\", \"x\"",
      .duplicate,
      after: [([.text("a"), .text("t"), .text("x"), .integer(1)], forms.positions)]
    ) { try $0.put([.text("a"), .text("t"), .text("x"), .integer(2)], in: forms.positions) }
  }

  /// A row that goes, or changes, makes room.
  @Test func whatWasUniqueBeforeIsFree() throws {
    let table = forms.collections
    func row(_ id: String, _ name: String) -> [Value] { [.text(id), .text(name), .null, .null] }
    let memory = MemoryRowStore(schema: forms.schema)
    func change(_ store: some RowStore) throws {
      try store.put(row("a", "n"), in: table)
      try store.put(row("a", "m"), in: table)
      try store.put(row("b", "n"), in: table)
      try store.put(row("b", "n"), in: table)
      try store.remove(key: [.text("b")], from: table)
      try store.put(row("c", "n"), in: table)
    }
    try change(memory)
    try database.update { _, store in
      try change(store)
      #expect(try store.row(in: table, key: [.text("c")]) == row("c", "n"))
      return nil
    }
    #expect(memory.rows(in: table) == [row("a", "m"), row("c", "n")])
  }

  private static let longVersion = String(repeating: "9", count: 100)

  /// What an expression says is asked when rows are written: memory does not know SQL.
  @Test(
    arguments: [
      ([.integer(2), .text("1"), .real(1), .null], "state[id=2] does not pass CHECK(id = 1)"),
      (
        [.integer(1), .text(longVersion), .real(1), .null],
        "state[id=1] does not pass CHECK(length(version) < 100)"
      ),
      (
        [.integer(1), .text("1"), .real(1), .integer(0)],
        "state[id=1] does not pass CHECK(level > '0')"
      ),
      (
        [.integer(1), .text("1"), .real(1), .integer(11)],
        "state[id=1] does not pass CHECK(level <= 10 OR size > 1)"
      ),
      (
        [.integer(1), .text("1"), .real(2), .integer(1_001)],
        "state[id=1] does not pass CHECK(level <= 1000)"
      ),
    ] as [([Value], String)])
  func aRowThatDoesNotPassACheck(row: [Value], message: String) throws {
    try expectFailure(row, forms.state, message)
  }

  @Test func aRowThatDoesNotPassACheckOfItsTable() throws {
    try expectFailure(
      [.text("a"), .text("t"), .null, .integer(-1)], forms.positions,
      "positions[collection=\"a\", position=-1] does not pass CHECK(position >= 0)")
  }

  private func expectFailure(
    _ row: [Value], _ table: TableDescription, _ message: String
  ) throws {
    let memory = MemoryRowStore(schema: forms.schema)
    try memory.put(row, in: table)
    let errors = [
      #expect(throws: ProjectionError.self) {
        try BulkWriter(forms.migrations).write(
          memory, checkpoint: forms.checkpoint, to: folder.file("pages.sqlite"))
      },
      #expect(throws: ProjectionError.self) {
        try database.update { _, store in
          try store.put(row, in: table)
          return nil
        }
      },
    ]
    #expect(errors.map { $0?.code } == [.invalidRow, .invalidRow])
    #expect(errors.map { $0?.message } == [message, message])
  }

  /// Rows that were there before may have been changed behind the projector's back: so says the database that has
  /// them.
  @Test func aDuplicateOfARowThatWasThereBefore() throws {
    let forms = forms
    func put(_ id: String) throws {
      try database.update { _, store in
        try store.put([.text(id), .text("n"), .null, .null], in: forms.collections)
        return ProjectionAdvance(forms.checkpoint)
      }
    }
    try put("a")
    let error = #expect(throws: StoreError.self) { try put("b") }
    #expect(error?.code == .drifted)
    #expect(
      error?.message.contains(
        "another row of collections has the same name, which is unique: \"n\"") == true)
  }

  /// No projector wrote it.
  @Test func aStoredTextWithAZero() throws {
    let forms = forms
    try database.update { _, store in
      try store.put(Self.picture, in: forms.pictures)
      return ProjectionAdvance(forms.checkpoint)
    }
    try database.pool.write { try $0.execute(sql: "UPDATE pictures SET name = 'a' || char(0)") }
    let errors = [
      #expect(throws: StoreError.self) { _ = try database.loadAll() },
      #expect(throws: StoreError.self) {
        try database.update { _, store in
          let index = IndexReference(table: forms.pictures, ordinal: 2)
          _ = try store.rows(by: index, equal: [.integer(5)])
          return nil
        }
      },
    ]
    #expect(errors.map { $0?.code } == [.drifted, .drifted])
  }

  /// A row of a table that has more columns than a word has bits keeps those that did not change.
  @Test func aRowOfManyColumns() throws {
    var schema = Schema()
    let table = schema.add(
      "wide", columns: (0..<80).map { Column("c\($0)", .integer) }, key: ["c0"])
    let migrations = ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "wide", layout: 1, version: 1, schema: schema))
    let database = try ProjectionDatabase(
      path: folder.file("wide.sqlite"), migrations: migrations)
    defer { try? database.close() }
    try database.createTables()
    var row = (0..<80).map { Value.integer(Int64($0)) }
    for change in [70, 6, 79, 64] {
      row[change] = .integer(-1)
      try database.update { _, store in
        try store.put(row, in: table)
        return ProjectionAdvance(forms.checkpoint)
      }
      let found = try database.readProved { try $0.row(in: table, key: [.integer(0)]) }
      #expect(found == row)
    }
  }

  /// SQLite has one zero, and a projector may ask for the row that it has just put.
  @Test func negativeZeroIsStoredAsZero() throws {
    let forms = forms
    let memory = MemoryRowStore(schema: forms.schema)
    func check(_ store: some RowStore) throws {
      try store.put([.real(-0.0), .integer(1), .null], in: forms.ranks)
      guard case .real(let score)? = try store.row(in: forms.ranks, key: [.integer(1)])?[0] else {
        Issue.record("no score")
        return
      }
      #expect(score.sign == .plus)
      #expect(throws: ProjectionError.self) {
        try store.put([.real(0), .integer(2), .null], in: forms.ranks)
      }
    }
    try check(memory)
    try database.update { _, store in
      try check(store)
      return nil
    }
  }

  /// Rows with large blobs are written before they fill the memory.
  @Test func largeBlobsAreWrittenEarly() throws {
    let blob = Value.blob(Array(repeating: 7, count: 1 << 20))
    try database.update { _, store in
      for number in 0..<70 {
        try store.put([.text("p\(number)"), blob, .null, .integer(0), .null], in: forms.pictures)
      }
      let statement = try PreparedStatement(store.database, "SELECT count(*) FROM pictures")
      guard try statement.step(), case .integer(let count) = statement.cell(0) else { return nil }
      #expect(count > 60)
      return nil
    }
  }
}
