import CatalogStore
import GRDB
import Projections

/// What can be digested of a database, whatever was done to it.
struct DatabaseDigests {
  /// Of the tables and full-text indexes that are there, in the order of the schema.
  private(set) var tables: [TableDigest] = []
  /// Columns that tables lack, by table.
  private(set) var missing: [(table: String, columns: [String])] = []
  /// Why full-text indexes cannot be read.
  private(set) var unreadable: [(index: String, reason: String)] = []

  /// - Parameter progress: called with how many tables are digested, and how many there are.
  init(of schema: Schema, in database: Database, progress: (Int, Int) -> Void = { _, _ in }) throws
  {
    let all = schema.tables
    for (done, table) in all.enumerated() {
      progress(done, all.count)
      // A missing table is a difference in the schema.
      guard try database.tableExists(table.name) else { continue }
      let columns = try database.columns(in: table.name).map(\.name)
      let missing = table.columns.map(\.name).filter { !columns.contains($0) }
      guard missing.isEmpty else {
        self.missing.append((table.name, missing))
        continue
      }
      tables.append(try TableDigest(of: table, in: database))
    }
    for index in schema.fullTextIndexes
    where try database.tableExists(index.terms) {
      do {
        tables.append(try TableDigest(of: index, in: database))
      } catch let error as StoreError {
        unreadable.append((index.name, "\(error)"))
      }
    }
  }
}

/// Compares a database with one that a replay filled: schema, rows, full-text indexes.
struct DatabaseComparison {
  let schema: Schema
  let subject: VerificationFinding.Subject
  /// What findings call the database that is looked at.
  let name: String
  let expected: Database
  /// The digests of what is expected.
  let digests: [TableDigest]

  /// - Parameter has: the digests of the database that is looked at: a table with the right one needs no look at
  ///   its rows.
  func run(on database: Database, _ has: DatabaseDigests, _ found: inout Findings) throws {
    try compareSchema(of: database, &found)
    for (table, columns) in has.missing {
      let list = columns.joined(separator: ", ")
      found.add(subject, "\(name) cannot be compared in \(table): it lacks \(list)")
    }
    for (index, reason) in has.unreadable {
      found.add(subject, "\(name) cannot read the full-text index \(index): \(reason)")
    }
    for digest in has.tables {
      guard let should = digests.first(where: { $0.table == digest.table }),
        should.exact != digest.exact
      else { continue }
      if let table = schema.tables.first(where: { $0.name == digest.table }) {
        try RowComparison.compare(table, live: database, expected: expected) { difference in
          found.add(subject, name, difference, table)
        }
      } else if let index = schema.fullTextIndexes.first(where: {
        $0.terms == digest.table
      }) {
        let places =
          digest.rows == should.rows ? "" : ": \(digest.rows) places, should be \(should.rows)"
        found.add(
          subject,
          "\(name) finds different words through the full-text index \(index.name)\(places)")
      }
    }
  }

  private func compareSchema(of database: Database, _ found: inout Findings) throws {
    let has = try SchemaListing(database).entries
    let should = try SchemaListing(expected).entries
    for entry in should {
      guard let other = has.first(where: { $0.isSameThing(as: entry) }) else {
        found.add(subject, "\(name) lacks the \(entry.type) \(entry.name)")
        continue
      }
      if other != entry {
        found.add(
          subject,
          "\(name) has the \(entry.type) \(entry.name) as \(other.sql) instead of \(entry.sql)")
      }
    }
    for entry in has where !should.contains(where: { $0.isSameThing(as: entry) }) {
      found.add(
        subject, "\(name) has the \(entry.type) \(entry.name), which the projector does not create")
    }
  }

  /// What SQLite itself finds wrong with a database, a sentence each.
  static func integrityProblems(of database: Database) throws -> [String] {
    try IntegrityCheck.problems(in: database, atMost: 20).map {
      "SQLite's integrity check says: \($0)"
    }
  }
}
