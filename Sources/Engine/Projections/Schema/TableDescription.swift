import Synchronization

/// A table of the projection, described as data.
///
/// Migrations, row stores, bulk write, digests and comparisons walk these descriptions; none of them
/// knows what a table means.
public final class TableDescription: Sendable {
  public let name: String
  /// The name as SQL has it: in quotes if it is a word of SQL.
  package let sqlName: String
  package let columns: [ColumnDescription]
  /// The columns of the primary key, in key order, as indices into `columns`.
  package let key: [Int]
  package let indexes: [IndexDescription]
  package let storage: TableStorage
  /// Columns in which no two rows may have the same values, beside the key and what contains it.
  package let uniques: [[Int]]
  /// SQL expressions that must not be false for a row.
  package let checks: [String]
  /// Columns that refer to rows, as indices into `columns`.
  package let foreignKeys: [(columns: [Int], key: ForeignKey)]
  /// Its place in the schema; -1 where it is in none.
  private let placed = Atomic(-1)
  /// The full `CREATE TABLE` statement.
  package let sql: String
  /// Columns that make the timeless digest: all but those that hold a time.
  package let timelessColumns: [Int]
  /// A column after all others, which only SQL knows: it numbers the rows, and indexes may have it. Such a table has no
  /// primary key beside it.
  package let rowNumber: String?
  /// Whether there are columns beside the key.
  package let hasValues: Bool
  /// Whether a row may be very long.
  package let hasBlobs: Bool
  package let hasReals: Bool
  /// The names of the columns that its table of versions has beside these.
  package let versionColumns: VersionColumns
  /// Whether its rows name operations of their log by id and number, which no other log has: they are not content.
  package let isOfOneLog: Bool
  /// Whether the cells of a row are what the kind's own types read, if such types describe the table.
  let isReadable: @Sendable ([Value]) -> Bool

  /// Whether it is the program's own, beside the tables that are prescribed: its name begins with `projection_`.
  package var isOwn: Bool { name.hasPrefix("projection_") }

  /// Describes a table.
  ///
  ///     TableDescription(
  ///       "box_entries",
  ///       columns: [Column("box_id", .text), Column("thing_id", .text), Column("position", .integer)],
  ///       key: ["box_id", "position"], storage: .rowIDs,
  ///       constraints: [
  ///         .foreignKey(["box_id"], .to("box", "id", onDelete: .cascade)),
  ///         .check("position >= 0"),
  ///       ],
  ///       indexes: [.index("box_entries_thing", on: ["thing_id"])])
  ///
  /// A description that is wrong in itself ends the process: it is written in the program.
  ///
  /// - Parameters:
  ///   - name: letters of ASCII, digits and `_`; words of SQL, such as `order`, as well. Columns and indexes are named likewise.
  ///   - columns: in SQL order.
  ///   - key: names of the key's columns, which hold no real number and no blob, and never NULL.
  ///   - storage: how SQLite keeps the rows; nil for row ids where the key is one column, else none.
  ///   - constraints: over several columns.
  public convenience init(
    _ name: String, columns: [ColumnDescription], key: [String], storage: TableStorage? = nil,
    constraints: [TableConstraint] = [], indexes: [TableIndex] = []
  ) {
    self.init(
      name, columns: columns, key: key, storage: storage, constraints: constraints,
      indexes: indexes, rowNumber: nil)
  }

  /// Describes a table of another program's database, whose rows are compared and never written. Its names and its values can be any
  /// that SQLite has.
  ///
  /// - Parameters:
  ///   - columns: the names of its columns, each once; at least one.
  ///   - key: names of columns that no two rows share, or of all columns if rows can be equal.
  ///   - isName: whether a column says what a row is called.
  package convenience init(
    foreign name: String, columns: [String], key: [String], isName: (String) -> Bool
  ) {
    self.init(
      name, columns: columns.map { ColumnDescription(foreign: $0, isName: isName($0)) }, key: key,
      storage: .withoutRowIDs, indexes: [], rowNumber: nil, isForeign: true)
  }

  /// - Parameters:
  ///   - rowNumber: the name of the column that numbers the rows; nil if there is none.
  ///   - isForeign: whether another program chose the names, and which values a key has.
  init(
    _ name: String, columns: [ColumnDescription], key: [String], storage: TableStorage?,
    constraints: [TableConstraint] = [], indexes: [TableIndex],
    rowNumber: String?, isOfOneLog: Bool = false, isForeign: Bool = false,
    isReadable: @escaping @Sendable ([Value]) -> Bool = { _ in true }
  ) {
    self.isOfOneLog = isOfOneLog
    self.isReadable = isReadable
    precondition(isForeign || SQLName.isFree(name), "\"\(name)\" is not a name for a table")
    precondition(!key.isEmpty, "\(name) has no key")
    func position(_ column: String) -> Int {
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        preconditionFailure("no column \(column) in \(name)")
      }
      return index
    }
    let keyColumns = key.map(position)
    precondition(
      isForeign || Set(columns.map { $0.name.lowercased() }).count == columns.count,
      "\(name) has two columns of one name; SQL takes capital letters for small ones")
    for column in keyColumns.map({ columns[$0] }) where !isForeign {
      precondition(
        !column.isNullable && ![.real, .blob, .any].contains(column.type),
        "\(column.name) cannot be in the key of \(name)")
    }
    let isComposite = key.count > 1
    let storage = storage ?? (isComposite ? .withoutRowIDs : .rowIDs)
    for (place, column) in columns.enumerated()
    where storage == .rowIDs && SQLName.isRowID(column.name) {
      precondition(
        keyColumns == [place] && column.type == .integer,
        "\(name).\(column.name) has the name that SQL gives the row id")
    }
    var lines = columns.enumerated().map { place, column in
      "  \(column.sqlName) \(column.declaration(isKey: !isComposite && place == keyColumns[0]))"
    }
    if let rowNumber {
      lines.append("  \(rowNumber) INTEGER PRIMARY KEY")
    } else if isComposite {
      lines.append("  PRIMARY KEY(\(SQLName.list(key)))")
    }
    lines += constraints.map { "  \($0.sql)" }
    let sqlName = SQLName.quoted(name)
    let sql =
      "CREATE TABLE \(sqlName) (\n\(lines.joined(separator: ",\n"))\n)"
      + (storage == .withoutRowIDs ? " WITHOUT ROWID" : "")
    self.name = name
    self.sqlName = sqlName
    self.columns = columns
    self.key = keyColumns
    self.indexes = indexes.map { index in
      IndexDescription(
        name: index.name,
        columns: index.columns.filter { $0.name != rowNumber }.map { position($0.name) },
        sql: index.sql(of: name),
        condition: index.part.map {
          IndexCondition(column: position($0.column), isAbove: $0.isAbove, bound: $0.bound)
        })
    }
    self.storage = storage
    self.rowNumber = rowNumber
    uniques = Self.uniques(columns, keyColumns, constraints, indexes, position)
    checks = Self.checks(columns, constraints)
    foreignKeys = Self.foreignKeys(columns, constraints, position)
    self.sql = sql
    timelessColumns = columns.indices.filter { !columns[$0].isTime }
    hasValues = columns.count > keyColumns.count
    hasBlobs = columns.contains { $0.type == .blob || $0.type == .any }
    hasReals = columns.contains { $0.type == .real || $0.type == .any }
    versionColumns = VersionColumns(besides: columns)
  }

  /// What has to be unique beside the key. What contains the key is unique with it.
  private static func uniques(
    _ columns: [ColumnDescription], _ key: [Int], _ constraints: [TableConstraint],
    _ indexes: [TableIndex], _ position: (String) -> Int
  ) -> [[Int]] {
    var all = columns.indices.filter { columns[$0].isUnique }.map { [$0] }
    for case .unique(let names) in constraints { all.append(names.map(position)) }
    for index in indexes where index.isUnique {
      all.append(index.columns.map { position($0.name) })
    }
    var found: [[Int]] = []
    for unique in all where !key.allSatisfy(unique.contains) {
      let isKnown = found.contains { Set($0) == Set(unique) }
      if !isKnown { found.append(unique) }
    }
    return found
  }

  private static func foreignKeys(
    _ columns: [ColumnDescription], _ constraints: [TableConstraint], _ position: (String) -> Int
  ) -> [(columns: [Int], key: ForeignKey)] {
    var all = columns.indices.compactMap { place in
      columns[place].reference.map { (columns: [place], key: $0) }
    }
    for case .foreignKey(let names, let key) in constraints {
      all.append((names.map(position), key))
    }
    return all
  }

  private static func checks(
    _ columns: [ColumnDescription], _ constraints: [TableConstraint]
  ) -> [String] {
    columns.compactMap(\.check)
      + constraints.compactMap { if case .check(let expression) = $0 { expression } else { nil } }
  }

  /// All columns, those of the key first.
  package var keyFirstColumns: [Int] { key + columns.indices.filter { !key.contains($0) } }

  /// Whether a word of a statement is the table's name, in quotes or not.
  package func isNamed(_ word: String) -> Bool {
    let word = word.lowercased()
    return [name.lowercased(), sqlName.lowercased()].contains(word)
  }

  /// Its place in the schema.
  package var ordinal: Int { placed.load(ordering: .relaxed) }

  /// Notes the place in the schema that has the table.
  fileprivate func place(at ordinal: Int) {
    let (isNew, found) = placed.compareExchange(
      expected: -1, desired: ordinal, ordering: .relaxed)
    precondition(isNew || found == ordinal, "\(name) is a table of two schemas")
  }

  package func index(of column: String) -> Int? {
    columns.firstIndex { $0.name == column }
  }

  /// The key's values of a whole row; NULL, which no key has, where the row lacks one.
  package func key(of row: [Value]) -> [Value] {
    key.map { $0 < row.count ? row[$0] : .null }
  }
}

/// Refers to an index of a table, in the order of `TableDescription.indexes`.
public struct IndexReference: Sendable {
  package let table: TableDescription
  package let ordinal: Int

  public init(table: TableDescription, ordinal: Int) {
    self.table = table
    self.ordinal = ordinal
  }

  package var description: IndexDescription { table.indexes[ordinal] }
}

/// All tables of one kind of catalog, in the order in which they are made and filled, and the
/// full-text indexes over them.
public struct Schema: Sendable {
  public private(set) var tables: [TableDescription] = []
  public private(set) var fullTextIndexes: [FullTextIndexDescription] = []
  /// What `PRAGMA user_version` of the database says, where another program looks at that before it reads the tables.
  /// The engine does not: it knows a database by its projector's fingerprint.
  public var userVersion: Int32 = 0
  /// How many rows a table can have, and how long a row can be.
  public package(set) var limits = RowLimits()

  public init() {}

  /// Adds a full-text index over columns of a table whose key is one integer.
  ///
  ///     schema.addFullTextIndex(
  ///       "page_search", over: pageTexts, columns: [.unindexed("page_id"), "search_text"],
  ///       tokenizer: .unicode61(tokenCharacters: "-."), content: .own)
  ///
  /// - Parameter prefixes: how many characters the beginnings of words have, from 1 to 9 and ascending, that are listed
  ///   besides the words: a query such as `a*` finds its rows as quickly as a word then. Without, SQLite first gathers the
  ///   rows of all words that begin so. Each length makes the index larger, by a third to a half.
  @discardableResult
  public mutating func addFullTextIndex(
    _ name: String, over table: TableDescription, columns: [FullTextColumn],
    tokenizer: FullTextTokenizer = .words, content: FullTextContent = .table,
    prefixes: [Int] = []
  ) -> FullTextIndexDescription {
    let index = FullTextIndexDescription(
      name: name, table: table, columns: columns, tokenizer: tokenizer, content: content,
      prefixes: prefixes)
    fullTextIndexes.append(index)
    return index
  }

  /// Adds a table.
  ///
  /// - Parameters: as those of `TableDescription`.
  @discardableResult
  public mutating func add(
    _ name: String, columns: [ColumnDescription], key: [String], storage: TableStorage? = nil,
    constraints: [TableConstraint] = [], indexes: [TableIndex] = []
  ) -> TableDescription {
    let table = TableDescription(
      name, columns: columns, key: key, storage: storage, constraints: constraints,
      indexes: indexes)
    add(table)
    return table
  }

  /// Whether a table is one of these.
  package func holds(_ table: TableDescription) -> Bool {
    tables.indices.contains(table.ordinal) && tables[table.ordinal] === table
  }

  /// Adds a table, which is in no other schema.
  package mutating func add(_ table: TableDescription) {
    table.place(at: tables.count)
    tables.append(table)
  }
}
