import CatalogModel
package import GRDB
import Support

/// The SQL of everything in a database, as SQLite keeps it.
package struct SchemaListing: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let type: String
    package let name: String
    package let sql: String

    package func isSameThing(as other: Entry) -> Bool {
      type == other.type && name == other.name
    }
  }

  /// Tables, indexes, triggers and views by type and name. SQLite's own tables are left out, and so are
  /// `projection_digest` and `projection_conflict`: a receipt is the same with them and without. What only has a name
  /// like theirs is not. `PRAGMA user_version` is one of them where it is not 0, which is what SQLite gives a database.
  package let entries: [Entry]

  /// The tables that are left out: SQLite runs the SQL of an entry, whatever type and name it has.
  private static let leftOut: Set<String> = [
    RunningDigests.sql, ConflictTable.sql, "CREATE TABLE sqlite_sequence(name,seq)",
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
  ]

  package init(_ database: Database) throws {
    let version = try database.rows(
      of: StoredRow.Origin("user_version"), "PRAGMA user_version"
    ) { try $0.integer(0) }
    .filter { $0 != 0 }
    .map { Entry(type: "pragma", name: "user_version", sql: "PRAGMA user_version = \($0)") }
    let things = try database.rows(
      of: StoredRow.Origin("sqlite_schema", ("name", 1)),
      """
      SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name, sql
      """
    ) { Entry(type: try $0.text(0), name: try $0.text(1), sql: try $0.text(2)) }
    .filter { !($0.type == "table" && Self.leftOut.contains($0.sql)) }
    entries = version + things
  }

  /// SHA-256 over type, name and SQL of every entry; 64 hex digits.
  package var digest: String {
    var hash = SHA256()
    for entry in entries {
      for text in [entry.type, entry.name, entry.sql] { hash.update(data: Array(text.utf8) + [0]) }
    }
    return Hex.string(hash.finalize())
  }
}
