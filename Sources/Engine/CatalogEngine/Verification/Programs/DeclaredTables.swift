import CatalogModel
import CatalogStore
import GRDB
import Projections

/// The tables of a database as SQLite describes them, whichever program made it.
struct DeclaredTables {
  struct Column: Hashable {
    let name: String
    /// Type, NOT NULL, default and place in the key.
    let declaration: String
  }

  struct Table: Hashable {
    let name: String
    let columns: [Column]
    let sql: String

    func column(_ name: String) -> Column? { columns.first { $0.name == name } }
  }

  /// An index, a trigger, a view, or a full-text index.
  struct Other: Hashable {
    let type: String
    let name: String
    /// The table of an index or a trigger.
    let table: String
    let sql: String

    func isSameThing(as other: Other) -> Bool { type == other.type && name == other.name }
  }

  let tables: [Table]
  let others: [Other]

  private static let origin = StoredRow.Origin("sqlite_schema", ("name", 1))

  init(_ database: Database) throws {
    let things = try database.rows(
      of: Self.origin,
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """
    ) {
      Other(
        type: try $0.text(0), name: try $0.text(1), table: try $0.text(2), sql: try $0.text(3))
    }
    let isVirtual = { (thing: Other) in
      thing.sql.prefix(14).lowercased() == "create virtual"
    }
    // The tables in which a virtual table keeps what it has.
    let shadows = things.filter(isVirtual).map { $0.name + "_" }
    let own = things.filter { thing in !shadows.contains { thing.table.hasPrefix($0) } }
    tables = try own.filter { $0.type == "table" && !isVirtual($0) }.map { thing in
      let columns = try database.rows(
        of: Self.origin,
        """
        SELECT name, type || iif("notnull", ' NOT NULL', '') || iif(dflt_value IS NULL, '', ' DEFAULT ' || dflt_value)
          || iif(pk > 0, ' KEY ' || pk, '') || iif(hidden > 0, ' HIDDEN', '')
        FROM pragma_table_xinfo(?)
        """, [thing.name]
      ) { Column(name: try $0.text(0), declaration: try $0.text(1)) }
      return Table(name: thing.name, columns: columns, sql: thing.sql)
    }
    others = own.filter { $0.type != "table" || isVirtual($0) }.map { thing in
      isVirtual(thing)
        ? Other(type: "full-text index", name: thing.name, table: thing.name, sql: thing.sql)
        : thing
    }
  }

  func table(_ name: String) -> Table? { tables.first { $0.name == name } }
}
