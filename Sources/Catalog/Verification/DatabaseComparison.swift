import CatalogStore
import GRDB
import Projections

/// Holds a database against one that a replay filled: schema, rows, full-text indexes.
struct DatabaseComparison {
  /// What is known of a table of the replay: one with the same digest needs no look at its rows.
  struct Digest {
    let rows: Int
    let exact: String?
  }

  let subject: VerificationFinding.Subject
  /// What findings call the database that is looked at.
  let name: String
  let expected: Database
  /// By table.
  let digests: [String: Digest]

  /// Reads a replay's digests from its rows.
  static func digests(of expected: Database) throws -> [String: Digest] {
    var digests: [String: Digest] = [:]
    for table in try Receipt(of: SoundLibrarySchema.schema, in: expected).tables {
      digests[table.table] = Digest(rows: table.rows, exact: table.exact)
    }
    return digests
  }

  static func digests(of receipt: RecordedReceipt) -> [String: Digest] {
    var digests: [String: Digest] = [:]
    for table in receipt.tables {
      digests[table.table] = Digest(rows: table.rows, exact: table.exact)
    }
    return digests
  }

  /// - Returns: the digests of the database that is looked at.
  @discardableResult
  func run(on database: Database, _ found: inout Findings) throws -> [TableDigest] {
    try compareSchema(of: database, &found)
    var digests: [TableDigest] = []
    for table in SoundLibrarySchema.schema.tables {
      // A missing table was found with the schema.
      guard try database.tableExists(table.name) else { continue }
      let columns = try database.columns(in: table.name).map(\.name)
      let missing = table.columns.map(\.name).filter { !columns.contains($0) }
      guard missing.isEmpty else {
        let list = missing.joined(separator: ", ")
        found.add(subject, "\(name) cannot be compared in \(table.name): it lacks \(list)")
        continue
      }
      let digest = try TableDigest(of: table, in: database)
      digests.append(digest)
      guard let known = self.digests[table.name], known.exact != digest.exact else { continue }
      try RowComparison.compare(table, live: database, expected: expected) { difference in
        found.add(subject, name, difference, table)
      }
    }
    for index in SoundLibrarySchema.schema.fullTextIndexes
    where try database.tableExists(index.terms) {
      let digest: TableDigest
      do {
        digest = try TableDigest(of: index, in: database)
      } catch let error as StoreError {
        found.add(
          subject, "\(name) cannot read the full-text index \(index.name): \(error)")
        continue
      }
      digests.append(digest)
      guard let known = self.digests[index.terms], known.exact != digest.exact else { continue }
      let places =
        digest.rows == known.rows ? "" : ": \(digest.rows) places, should be \(known.rows)"
      found.add(
        subject, "\(name) finds other words through the full-text index \(index.name)\(places)")
    }
    return digests
  }

  private func compareSchema(of database: Database, _ found: inout Findings) throws {
    let has = try SchemaListing(database).entries
    let should = try SchemaListing(expected).entries
    for entry in should {
      guard let other = has.first(where: { $0.name == entry.name }) else {
        found.add(subject, "\(name) lacks the \(entry.type) \(entry.name)")
        continue
      }
      if other != entry {
        found.add(
          subject,
          "\(name) has the \(entry.type) \(entry.name) as \(other.sql) instead of \(entry.sql)")
      }
    }
    for entry in has where !should.contains(where: { $0.name == entry.name }) {
      found.add(subject, "\(name) has the \(entry.type) \(entry.name), which no projector made")
    }
  }

  /// What SQLite itself finds wrong with the live database.
  static func checkIntegrity(of database: Database, _ found: inout Findings) throws {
    let statement = try database.makeStatement(sql: "PRAGMA integrity_check(20)")
    let rows = try Row.fetchCursor(statement)
    while try rows.next() != nil {
      guard case .text(let message) = StoredValue(statement, at: 0), message != "ok" else {
        continue
      }
      found.add(.live, "SQLite's integrity check says: \(message)")
    }
  }
}
