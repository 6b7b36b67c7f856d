package import GRDB
package import Projections

/// What one scan of a database finds: its schema against the projector's, its rows against its running digests. No
/// event is replayed.
package struct ProjectionInspection: Sendable {
  /// A table whose rows are not what the projector wrote.
  package struct Drift: Hashable, Sendable {
    package let table: String
    package let message: String
  }

  package private(set) var schema: [SchemaCheck.Difference] = []
  package private(set) var drifted: [Drift] = []
  /// Whether nothing says what the rows should be.
  package private(set) var isUnproved = false
  package private(set) var conflicts: [ProjectionConflict] = []
  /// Conflicts beyond those that are listed.
  package private(set) var moreConflicts = 0
  package private(set) var tables = 0
  /// Rows that were read.
  package private(set) var rows: Int64 = 0

  private static let listedConflicts = 100

  /// - Parameter progress: called with each table and the rows read so far.
  package init(
    _ database: Database, _ migrations: ProjectionMigrations,
    progress: (String, Int64) throws -> Void = { _, _ in }
  ) throws {
    schema = try SchemaCheck(migrations).differences(database)
    let proof: RowProof
    do {
      proof = try RowProof(database)
    } catch let error as StoreError where error.code == .unproved {
      isUnproved = true
      return
    }
    let lost = Set(schema.filter { $0.type == "table" && $0.kind != .unexpected }.map(\.name))
    for table in migrations.schema.tables where !lost.contains(table.name) {
      try progress(table.name, rows)
      tables += 1
      let drift = try proof.check(table)
      let expected = try proof.rows(of: table)
      let found = drift.reduce(expected) { $0 &+ $1.rows &- $1.expected }
      rows &+= found
      guard !drift.isEmpty else { continue }
      drifted.append(
        Drift(table: table.name, message: Self.message(table, found, expected)))
    }
    let all = try ConflictTable.read(database)
    conflicts = Array(all.prefix(Self.listedConflicts))
    moreConflicts = all.count - conflicts.count
  }

  package var isSound: Bool { schema.isEmpty && drifted.isEmpty && !isUnproved }

  private static func message(
    _ table: TableDescription, _ found: Int64, _ expected: Int64
  ) -> String {
    found == expected
      ? "rows of \(table.name) are not what the projector wrote: they were changed by hand"
      : "\(table.name) has \(found) rows and should have \(expected): it was changed by hand"
  }
}
