import CatalogModel
package import GRDB
import Hashing

/// The SQL of everything in a database, as SQLite keeps it.
package struct SchemaListing: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let type: String
    package let name: String
    package let sql: String
  }

  /// Tables, indexes, triggers and views by type and name. SQLite's own are left out, and so are
  /// `projection_digest` and `projection_conflict`: a receipt is the same with them and without.
  package let entries: [Entry]

  package init(_ database: Database) throws {
    entries = try database.rows(
      of: StoredRow.Origin("sqlite_schema", ("name", 1)),
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND name NOT IN ('\(RunningDigests.table)', '\(ConflictTable.table)')
      ORDER BY type, name
      """
    ) { Entry(type: try $0.text(0), name: try $0.text(1), sql: try $0.text(2)) }
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
