package import GRDB
package import Projections

/// The findings of one scan of a database: how its schema differs from the projector's, and its rows from its running
/// digests. No event is replayed.
package struct ProjectionInspection: Sendable {
  /// A table whose rows are not what the projector wrote.
  package struct Drift: Hashable, Sendable {
    package let table: String
    package let message: String
  }

  package private(set) var schema: [SchemaCheck.Difference] = []
  package private(set) var drifted: [Drift] = []
  /// Whether that was changed by hand which says what the rows should be: they were not looked at then.
  package var hasChangedDigests: Bool { drifted.first?.table == RunningDigests.table }
  package private(set) var conflicts: [ProjectionConflict] = []
  /// Conflicts beyond those that are listed.
  package private(set) var moreConflicts = 0
  package private(set) var tables = 0
  /// Rows that were read.
  package private(set) var rows: Int64 = 0

  private static let listedConflicts = 100

  /// - Parameter progress: called with each table and the rows read so far.
  /// - Throws: `StoreError` with `stale` if nothing proves the rows.
  package init(
    _ database: Database, _ migrations: ProjectionMigrations,
    progress: (String, Int64) throws -> Void = { _, _ in }
  ) throws {
    schema = try SchemaCheck(migrations).differences(database)
    let proof: RowProof
    do {
      proof = try RowProof(database)
    } catch let error as StoreError where error.code == .drifted {
      drifted = [Drift(table: RunningDigests.table, message: RunningDigests.changed)]
      return
    }
    let lost = Set(schema.filter { $0.type == "table" && $0.kind != .unexpected }.map(\.name))
    for table in migrations.schema.tables where !lost.contains(table.name) {
      try progress(table.name, rows)
      tables += 1
      let drift = try proof.check(table)
      let expected = try table.keptSum(in: database).rows
      let found = drift.reduce(expected) { $0 &+ $1.rows &- $1.expected }
      rows &+= found
      guard !drift.isEmpty else { continue }
      drifted.append(
        Drift(table: table.name, message: Self.message(table, found, expected)))
    }
    drifted += try Self.fullTextDrift(of: migrations.schema, database, besides: lost)
    let all = try ConflictTable.read(database)
    conflicts = Array(all.prefix(Self.listedConflicts))
    moreConflicts = all.count - conflicts.count
  }

  /// The full-text indexes that cannot be asked, or have not as many rows as their tables.
  package static func fullTextDrift(
    of schema: Schema, _ database: Database, besides lost: Set<String> = []
  ) throws -> [Drift] {
    try schema.fullTextIndexes
      .filter { !lost.contains($0.name) && !lost.contains($0.table.name) }
      .compactMap { index in
        try problem(of: index, database).map { Drift(table: index.name, message: $0) }
      }
  }

  /// Whether a full-text index can be asked, and has as many rows as its table. What words it has is not compared.
  private static func problem(
    of index: FullTextIndexDescription, _ database: Database
  ) throws -> String? {
    do {
      let found = try PreparedStatement(
        database, "SELECT count(*) FROM \(index.sqlName) WHERE \(index.sqlName) MATCH 'a'")
      _ = try found.step()
      let counts = try PreparedStatement(
        database,
        """
        SELECT (SELECT count(*) FROM \(index.name)_docsize), (SELECT count(*) FROM \(index.table.sqlName))
        """)
      guard try counts.step(), case .integer(let indexed) = counts.cell(0),
        case .integer(let rows) = counts.cell(1), indexed == rows
      else {
        return "the full-text index \(index.name) lacks rows of \(index.table.name)"
      }
      if index.content == .own, try hasOtherTexts(index, database) {
        return "the texts of the full-text index \(index.name) are not those of \(index.table.name)"
      }
      return nil
    } catch is StoreError {
      return "the full-text index \(index.name) cannot be read: it was changed by hand"
    }
  }

  /// Whether an index with texts of its own has others than its table, of as many rows.
  private static func hasOtherTexts(
    _ index: FullTextIndexDescription, _ database: Database
  ) throws -> Bool {
    let key = index.table.columns[index.table.key[0]].sqlName
    // The plus keeps SQLite from taking the text '1977' for the number of an INTEGER column.
    let others = index.columns.enumerated().map {
      "texts.c\($0) IS NOT +rows.\(SQLName.quoted($1))"
    }
    let statement = try PreparedStatement(
      database,
      """
      SELECT 1 FROM \(index.table.sqlName) AS rows LEFT JOIN \(index.name)_content AS texts
      ON texts.id = rows.\(key)
      WHERE texts.id IS NULL OR \(others.joined(separator: " OR ")) LIMIT 1
      """)
    return try statement.step()
  }

  package var isSound: Bool { schema.isEmpty && drifted.isEmpty }

  private static func message(
    _ table: TableDescription, _ found: Int64, _ expected: Int64
  ) -> String {
    found == expected
      ? "rows of \(table.name) are not what the projector wrote: they were changed by hand"
      : "\(table.name) has \(found) rows and should have \(expected): it was changed by hand"
  }
}
