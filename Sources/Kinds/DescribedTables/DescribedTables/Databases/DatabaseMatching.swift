import CatalogModel
import CatalogStore
import GRDB
import Projections

/// Finds the tables and columns that two databases have in common, and the key by which rows of both are the same.
struct DatabaseMatching {
  /// A key that a person named.
  struct StatedKey {
    let table: String
    let columns: [String]

    init(_ table: String, _ columns: [String]) {
      (self.table, self.columns) = (table, columns)
    }
  }

  private(set) var tables: [ComparedTable] = []
  private(set) var differences: [SchemaDifference] = []
  private(set) var leftOut: [String] = []
  private(set) var keyless: [String: String] = [:]
  private(set) var faults = TableFaults()
  private let files: (old: String, new: String)
  private let keys: [StatedKey]
  private let words: DocumentWords

  init(_ files: (old: String, new: String), keys: [StatedKey], _ words: DocumentWords) {
    (self.files, self.keys, self.words) = (files, keys, words)
  }

  mutating func match(_ old: OpenedDatabase, _ new: OpenedDatabase) throws {
    requireKnownKeys(old.schema, new.schema)
    guard faults.count == 0 else { return }
    for table in old.schema.tables where new.schema.table(table.name) == nil {
      differences.append(.table(table.name, try Self.only(in: old, table)))
      // All of its rows are gone.
      try match(table, table, old, old, .old)
    }
    for table in new.schema.tables {
      guard let before = old.schema.table(table.name) else {
        differences.append(.table(table.name, try Self.only(in: new, table)))
        try match(table, table, new, new, .new)
        continue
      }
      try match(before, table, old, new, .both)
    }
    try compareListings(old, new)
    let sides = [new.schema, old.schema].map { schema in
      schema.leftOutSentences + schema.tables.flatMap(\.generatedSentences)
    }
    leftOut = sides[0] + sides[1].filter { !sides[0].contains($0) }
  }

  private static func only(
    in opened: OpenedDatabase, _ table: DatabaseSchema.Table
  ) throws -> String {
    let statement = try PreparedStatement(
      opened.database, "SELECT count(*) FROM \(DatabaseSchema.quoted(table.name))")
    let rows = try statement.step() ? statement.integer(0) : 0
    return "only in \(opened.name), \(rows) \(rows == 1 ? "row" : "rows")"
  }

  // MARK: A table

  /// - Parameter presence: the databases that have the table. If only one has it, that one is both.
  private mutating func match(
    _ before: DatabaseSchema.Table, _ after: DatabaseSchema.Table, _ old: OpenedDatabase,
    _ new: OpenedDatabase, _ presence: ComparedTable.Presence
  ) throws {
    // The same column can be written otherwise.
    var pairs: [(old: String, new: String)] = []
    for column in after.columns {
      guard
        let earlier = before.columns.first(where: { DatabaseSchema.isSame($0.name, column.name) })
      else {
        differences.append(Self.place(after, column.name, only: new.name, before))
        continue
      }
      pairs.append((earlier.name, column.name))
    }
    for column in before.columns where !pairs.contains(where: { $0.old == column.name }) {
      differences.append(Self.place(before, column.name, only: old.name, after))
    }
    guard !pairs.isEmpty else {
      leftOut.append("\(after.name): no column is in both databases")
      return
    }
    let stated = keys.first { old.schema.table($0.table)?.name == before.name }
    let key = try self.key(stated, before, after, pairs, old, new, presence)
    let isWhole = key.columns.isEmpty
    if isWhole { keyless[after.name] = key.because }
    guard !isWhole || pairs.count <= Self.widest else {
      return refuse(
        new.name, after.name,
        "its rows are compared whole, since \(key.because), and that is possible up to \(Self.widest) columns",
        words.key(after.name))
    }
    let names = isWhole ? pairs.map(\.new) : key.columns
    let oldNames = names.compactMap { name in pairs.first { $0.new == name }?.old }
    tables.append(
      ComparedTable(
        description: TableDescription(
          foreign: after.name, columns: pairs.map(\.new), key: names,
          isName: { name in
            !names.contains(name) && after.columns.contains { $0.name == name && $0.isName }
          }),
        old: .init(table: before, columns: pairs.map(\.old), key: oldNames, isWholeRow: isWhole),
        new: .init(table: after, columns: pairs.map(\.new), key: names, isWholeRow: isWhole),
        presence: presence))
  }

  private static func place(
    _ table: DatabaseSchema.Table, _ column: String, only file: String,
    _ other: DatabaseSchema.Table
  ) -> SchemaDifference {
    let isGenerated = other.generated.contains { DatabaseSchema.isSame($0, column) }
    return SchemaDifference(
      table: table.name,
      sentence: "column \(table.name).\(column): "
        + (isGenerated ? "generated from other columns, but not in \(file)" : "only in \(file)"))
  }

  /// SQLite sorts by no more than 2,000 expressions, and a value that is compared whole is two.
  private static let widest = 1_000

  // MARK: Its key

  /// The columns, by their names in the newer database, that identify rows in both; none, with the reason, if rows are known by all
  /// of their values.
  private mutating func key(
    _ stated: StatedKey?, _ before: DatabaseSchema.Table, _ after: DatabaseSchema.Table,
    _ pairs: [(old: String, new: String)], _ old: OpenedDatabase, _ new: OpenedDatabase,
    _ presence: ComparedTable.Presence
  ) throws -> (columns: [String], because: String) {
    func pair(_ name: String) -> (old: String, new: String)? {
      pairs.first { $0.new == name || $0.old == name }
        ?? pairs.first { DatabaseSchema.isSame($0.new, name) }
    }
    if let stated {
      let found = stated.columns.compactMap(pair)
      guard found.count == stated.columns.count else {
        let missing = stated.columns.filter { pair($0) == nil }
        refuse(
          new.name, "\(after.name).\(missing[0])",
          presence == .both
            ? "one of the databases has no such column" : "the table has no such column",
          NearMiss.advice(for: missing[0], among: pairs.map(\.new)))
        return ([], "")
      }
      if presence == .both { try requireUnique(before, found.map(\.old), old) }
      try requireUnique(after, found.map(\.new), new)
      return (found.map(\.new), "")
    }
    let uniques = (
      before.uniqueSets.map { Set($0.compactMap { pair($0)?.new ?? "\0" + $0 }) },
      after.uniqueSets.map(Set.init)
    )
    var because = after.primaryKey.isEmpty ? "it has no primary key" : ""
    for candidate in after.uniqueSets + before.uniqueSets {
      let found = candidate.compactMap(pair)
      let names = Set(found.map(\.new))
      guard found.count == candidate.count, uniques.0.contains(where: names.isSuperset),
        uniques.1.contains(where: names.isSuperset)
      else {
        if because.isEmpty { because = "its primary key is not the same in both databases" }
        continue
      }
      let hasNulls =
        try Self.hasNulls(before, found.map(\.old), old)
        || Self.hasNulls(after, found.map(\.new), new)
      guard hasNulls else { return (found.map(\.new), "") }
      if because.isEmpty { because = "its primary key has NULL" }
    }
    return ([], because)
  }

  private static func hasNulls(
    _ table: DatabaseSchema.Table, _ columns: [String], _ opened: OpenedDatabase
  ) throws -> Bool {
    let (_, evidence) = try DatabaseEvidence.of(table, columns, in: opened.database)
    return evidence.values.contains { $0.nulls > 0 }
  }

  /// Refuses a key that two rows share.
  private mutating func requireUnique(
    _ table: DatabaseSchema.Table, _ columns: [String], _ opened: OpenedDatabase
  ) throws {
    let terms = columns.map { "\(DatabaseSchema.quoted($0)) COLLATE \(opened.byteOrder)" }
    let statement = try PreparedStatement(
      opened.database,
      "\(table.selection(columns)) GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
    )
    guard try statement.step() else { return }
    let values = columns.indices.map { "\(columns[$0])=\(StoredValue(statement.cell($0)))" }
    refuse(
      opened.name, "\(table.name)[\(values.joined(separator: ", "))]",
      "several rows have the same key", words.key(table.name), .duplicateValue)
  }

  private mutating func requireKnownKeys(_ old: DatabaseSchema, _ new: DatabaseSchema) {
    for key in keys {
      if old.table(key.table) == nil, new.table(key.table) == nil {
        refuse(
          files.new, key.table, "the database has no such table",
          NearMiss.advice(for: key.table, among: (new.tables + old.tables).map(\.name)))
      }
      if key.columns.isEmpty {
        refuse(files.new, key.table, "the key has no column", words.key(key.table))
      }
    }
  }

  private mutating func refuse(
    _ file: String, _ path: String, _ message: String, _ advice: String?,
    _ code: DocumentError.Code = .invalidValue
  ) {
    faults.add {
      DocumentError(
        code: code, file: file, path: JSONExcerpt.printable(path), message: message, advice: advice)
    }
  }

  // MARK: Everything else of the schema

  /// Notes what is declared otherwise, unless a sentence about a table or a column explains it.
  private mutating func compareListings(_ old: OpenedDatabase, _ new: OpenedDatabase) throws {
    let explained = differences.compactMap(\.table)
    let listings = (
      try SchemaListing(old.database).entries, try SchemaListing(new.database).entries
    )
    /// SQL takes `T` and `t` for the same.
    func same(_ entry: SchemaListing.Entry, in entries: [SchemaListing.Entry]) -> SchemaListing
      .Entry?
    {
      entries.first { $0.type == entry.type && DatabaseSchema.isSame($0.name, entry.name) }
    }
    for entry in listings.0 + listings.1.filter({ same($0, in: listings.0) == nil }) {
      let before = same(entry, in: listings.0)
      let after = same(entry, in: listings.1)
      guard before?.sql != after?.sql,
        entry.type != "table"
          || !explained.contains(where: { DatabaseSchema.isSame($0, entry.name) })
      else { continue }
      let words =
        entry.type == "pragma"
        ? "\(Self.value(of: before)) in \(old.name), \(Self.value(of: after)) in \(new.name)"
        : before == nil
          ? "only in \(new.name)" : after == nil ? "only in \(old.name)" : "declared otherwise"
      differences.append(
        SchemaDifference(
          table: entry.type == "table" ? entry.name : nil,
          sentence: "\(entry.type) \(entry.name): \(words)"))
    }
  }

  /// `PRAGMA user_version = 3`: 3. SQLite gives a database 0.
  private static func value(of pragma: SchemaListing.Entry?) -> String {
    pragma?.sql.split(separator: " ").last.map(String.init) ?? "0"
  }
}

/// Something that only one of two databases has, or that both declare otherwise.
struct SchemaDifference: Sendable {
  /// The table that it is, or that has the column. An index, a view or a trigger has none.
  let table: String?
  let sentence: String

  static func table(_ name: String, _ words: String) -> SchemaDifference {
    SchemaDifference(table: name, sentence: "table \(name): \(words)")
  }
}

extension DatabaseSchema.Table {
  /// Columns in which no two rows have the same values, unless there are NULLs: the primary key first.
  var uniqueSets: [[String]] { (primaryKey.isEmpty ? [] : [primaryKey]) + uniques }
}
