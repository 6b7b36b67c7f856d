import CatalogStore
import Foundation
import GRDB
import Projections

/// The tables of another program's database, as far as rows can be read from them.
struct DatabaseSchema {
  struct Column {
    fileprivate(set) var name: String
    /// The type as it is declared; empty if it is not.
    let declared: String
    let isNotNull: Bool
    /// The place in the primary key from 1; 0 if it is not in it.
    let keyPlace: Int

    /// Whether it is called as columns are that say what a row is called.
    var isName: Bool { ["name", "title", "label"].contains(name.lowercased()) }

    /// How SQLite converts values that are stored here: <https://sqlite.org/datatype3.html>, section 3.1.
    var affinity: Affinity {
      let type = declared.uppercased()
      if type.contains("INT") { return .integer }
      if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
      if type.isEmpty || type.contains("BLOB") { return .none }
      if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return .real }
      return .numeric
    }
  }

  enum Affinity { case integer, text, none, real, numeric }

  /// A column whose values are keys of another table.
  struct Reference {
    let column: String
    let table: String
    /// The column of that table; nil if it is the primary key.
    let to: String?
  }

  /// An index that no two rows have the same values in.
  struct UniqueIndex {
    let name: String
    /// Nil if it is over an expression, or a column that is made from others.
    let columns: [String]?
    /// Whether texts are the same only if their bytes are.
    let isExact: Bool
  }

  struct Table {
    fileprivate(set) var name: String
    fileprivate(set) var columns: [Column]
    /// Columns that are made from others.
    let generated: [String]
    /// Columns in which no two rows are the same: those of each unique index without conditions and expressions.
    let uniques: [[String]]
    /// All unique indexes but that of the primary key.
    let uniqueIndexes: [UniqueIndex]
    let references: [Reference]
    /// The first columns of references that have several.
    let wideReferences: [String]
    let isWithoutRowID: Bool

    /// The columns of the primary key, in its order.
    var primaryKey: [String] {
      columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
    }

    /// The name by which SQL reads the number of a row that no column is; nil if the table has none.
    var rowID: String? {
      guard !isWithoutRowID else { return nil }
      let names = columns.map(\.name) + generated
      return ["rowid", "_rowid_", "oid"].first { name in
        !names.contains { DatabaseSchema.isSame($0, name) }
      }
    }

    /// The table with the number of its rows as a column, if a caller names it. `VACUUM` can give rows other numbers.
    func numbered(if isNamed: (String) -> Bool) -> Table {
      guard let rowID, isNamed(rowID) else { return self }
      var table = self
      table.columns.insert(
        Column(name: rowID, declared: "INTEGER", isNotNull: true, keyPlace: 0), at: 0)
      return table
    }

    /// The statement that reads columns of all rows. An index could have another order than its bytes.
    func selection(_ columns: [String]) -> String {
      let list = columns.map(DatabaseSchema.quoted).joined(separator: ", ")
      return "SELECT \(list) FROM \(DatabaseSchema.quoted(name))"
        + (isWithoutRowID ? "" : " NOT INDEXED")
    }
  }

  /// Something that has no rows of its own.
  struct OmittedObject: Hashable {
    /// `view`, `trigger`, `virtual table`, `part of a virtual table`, `table of SQLite`.
    let what: String
    let name: String
    /// The virtual table that a part belongs to.
    var owner: String?
    /// Whether its texts are in no table.
    var hasOwnContent = false
  }

  private(set) var tables: [Table]
  let leftOut: [OmittedObject]
  /// Collations that this program does not have.
  let unknownCollations: [String]

  /// - Throws: `StoreError` if SQLite cannot read the schema.
  init(_ database: Database) throws {
    let entries = try Self.rows(
      "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", database
    ) {
      (type: try $0.text(0), name: try $0.text(1), sql: try $0.optionalText(2)?.lowercased() ?? "")
    }
    let kinds = try Self.rows("PRAGMA main.table_list", database) {
      (name: try $0.text(1), kind: try $0.text(2), isWithoutRowID: try $0.flag(4))
    }
    let virtualNames = entries.filter { $0.sql.hasPrefix("create virtual table") }.map(\.name)
    var tables: [Table] = []
    var leftOut: [OmittedObject] = []
    var collations: Set<String> = []
    for (type, name, _) in entries {
      let kind = kinds.first { $0.name == name }
      switch type {
      case "view", "trigger": leftOut.append(OmittedObject(what: type, name: name))
      case "table" where name.lowercased().hasPrefix("sqlite_"):
        leftOut.append(OmittedObject(what: "table of SQLite", name: name))
      case "table" where virtualNames.contains(name):
        leftOut.append(OmittedObject(what: "virtual table", name: name))
      case "table":
        let table = try Self.table(
          name, isWithoutRowID: kind?.isWithoutRowID ?? false, database, &collations)
        if kind?.kind == "shadow", let owner = ShadowTable.owner(of: table, among: virtualNames) {
          leftOut.append(OmittedObject(what: "part of a virtual table", name: name, owner: owner))
        } else {
          tables.append(table)
        }
      default: break
      }
    }
    self.tables = tables
    // A full-text table without texts of its own has no such part.
    self.leftOut = leftOut.map { entry in
      var entry = entry
      entry.hasOwnContent = leftOut.contains {
        $0.owner == entry.name && Self.isSame($0.name, entry.name + "_content")
      }
      return entry
    }
    unknownCollations = collations.subtracting(["BINARY", "NOCASE", "RTRIM"]).sorted()
    for name in unknownCollations {
      // Rows are compared by their bytes, so that the order of another program does not matter.
      database.add(collation: Self.byteCollation(name))
    }
  }

  /// A collation by the bytes of texts in UTF-8.
  static func byteCollation(_ name: String) -> DatabaseCollation {
    DatabaseCollation(name) { left, right in
      if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
        ? .orderedAscending : .orderedDescending
    }
  }

  private static func table(
    _ name: String, isWithoutRowID: Bool, _ database: Database, _ collations: inout Set<String>
  ) throws -> Table {
    var columns: [Column] = []
    var generated: [String] = []
    let listed = try rows("PRAGMA main.table_xinfo(\(quoted(name)))", database) { row in
      let column = Column(
        name: try row.text(1), declared: try row.optionalText(2) ?? "", isNotNull: try row.flag(3),
        keyPlace: try row.count(5))
      return (column: column, isHidden: try row.count(6) > 0)
    }
    for (column, isHidden) in listed {
      if isHidden { generated.append(column.name) } else { columns.append(column) }
    }
    var uniques: [[String]] = []
    var uniqueIndexes: [UniqueIndex] = []
    let indexes = try rows("PRAGMA main.index_list(\(quoted(name)))", database) {
      (
        name: try $0.text(1), isUnique: try $0.flag(2), origin: try $0.text(3),
        isPartial: try $0.flag(4)
      )
    }
    // SQLite lists the newest index first.
    for index in indexes.reversed() {
      let parts = try rows("PRAGMA main.index_xinfo(\(quoted(index.name)))", database) {
        (
          name: try $0.optionalText(2), collation: try $0.optionalText(4), isKey: try $0.flag(5)
        )
      }
      collations.formUnion(parts.compactMap { $0.collation?.uppercased() })
      guard index.isUnique else { continue }
      let keyParts = parts.filter(\.isKey)
      let names = keyParts.compactMap(\.name)
      // An expression has no name.
      let isOfColumns =
        names.count == keyParts.count && !names.contains(where: generated.contains)
      let isExact = keyParts.allSatisfy { $0.collation?.uppercased() == "BINARY" }
      // Changed rows keep their keys, and keys that are taken for the same are of no change.
      guard index.origin != "pk" else { continue }
      uniqueIndexes.append(
        UniqueIndex(name: index.name, columns: isOfColumns ? names : nil, isExact: isExact))
      if isOfColumns, !index.isPartial { uniques.append(names) }
    }
    var references: [Int: [Reference]] = [:]
    let keys = try rows("PRAGMA main.foreign_key_list(\(quoted(name)))", database) {
      (
        number: try $0.count(0),
        reference: Reference(
          column: try $0.text(3), table: try $0.text(2), to: try $0.optionalText(4))
      )
    }
    for (number, reference) in keys { references[number, default: []].append(reference) }
    // SQLite lists the last one first.
    let all = references.sorted { $0.key > $1.key }.map(\.value)
    return Table(
      name: name, columns: columns, generated: generated, uniques: uniques,
      uniqueIndexes: uniqueIndexes,
      references: all.filter { $0.count == 1 }.map { $0[0] },
      wideReferences: all.filter { $0.count > 1 }.map { $0[0].column },
      isWithoutRowID: isWithoutRowID)
  }

  /// A name of another program within SQL.
  static func quoted(_ name: String) -> String {
    SQLName.alwaysQuoted(name)
  }

  /// The schema with the spelling of names that a catalog has: SQL takes `Name` and `name` for the same.
  ///
  /// - Parameter names: of tables with those of their columns.
  func spelled(as names: [(table: String, columns: [String])]) -> DatabaseSchema {
    var schema = self
    for place in tables.indices {
      guard let known = names.first(where: { Self.isSame($0.table, tables[place].name) }) else {
        continue
      }
      schema.tables[place].name = known.table
      for column in tables[place].columns.indices {
        let name = tables[place].columns[column].name
        guard !known.columns.contains(name) else { continue }
        schema.tables[place].columns[column].name =
          known.columns.first { Self.isSame($0, name) } ?? name
      }
    }
    return schema
  }

  /// The table that SQL takes a name for; nil if there is none.
  func table(_ name: String) -> Table? { tables.first { Self.isSame($0.name, name) } }

  /// Whether SQL takes two names for the same: a capital letter of ASCII for the small one, and no other letter for another.
  static func isSame(_ one: String, _ other: String) -> Bool {
    func folded(_ name: String) -> some Sequence<UInt8> {
      name.utf8.lazy.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
    }
    return folded(one).elementsEqual(folded(other))
  }

  /// A name of two tables, or of two columns of a table, that differ in the normal form of their letters alone: SQLite compares
  /// bytes, and this program letters. Nil if there is none.
  var twin: String? {
    var known: Set<String> = []
    for table in tables {
      if !known.insert(table.name).inserted { return table.name }
      var columns: Set<String> = []
      for name in table.columns.map(\.name) + table.generated where !columns.insert(name).inserted {
        return "\(table.name).\(name)"
      }
    }
    return nil
  }

  // MARK: Damage

  /// The first fault that SQLite finds in the pages of the database; nil if it finds none.
  func damage(in database: Database) throws -> String? {
    // Rows that their declarations do not allow are no damage: they are taken as they are.
    let ofContent = ["NULL value in ", "non-", "NUMERIC value in ", "TEXT value in ", "CHECK "]
    let lines = try Self.rows("PRAGMA main.quick_check(20)", database) { try $0.text(0) }
    return lines.first { line in
      line != "ok" && !ofContent.contains(where: line.hasPrefix)
        && !(line.contains("PRIMARY KEY order") && !unknownCollations.isEmpty)
    }
  }

  private static func rows<Entry>(
    _ sql: String, _ database: Database, _ read: (StoredRow) throws -> Entry
  ) throws -> [Entry] {
    try PreparedStatement(database, sql).all { try read($0.row(StoredRow.Origin("sqlite_schema"))) }
  }
}
