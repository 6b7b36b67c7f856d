package import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections
import Support

/// The difference between what two programs, or two versions of a kind, make of one log: tables, columns and rows that differ,
/// with the types of the events that made them.
package struct ProjectionDiff: Sendable {
  /// How the newer program's rows or tables differ.
  package enum Change: String, Sendable {
    case newTable
    case missingTable
    case newColumn
    case missingColumn
    /// A table, a column, an index or a trigger is declared otherwise.
    case declaration
    /// Rows that only the newer program makes.
    case newRows
    case missingRows
    /// Rows that have other values in a column.
    case values
    /// A full-text index finds other words.
    case words
    /// The digest of a table, of which only a receipt is known.
    case digest
  }

  /// A row that differs.
  package struct Example: Sendable {
    package let key: [(column: String, value: StoredValue)]
    /// Nil if the program does not make the row, or has no such column.
    package let old: StoredValue?
    package let new: StoredValue?
    package internal(set) var event: EventEnvelope?
  }

  package struct Finding: Sendable {
    package let table: String
    /// Nil if it is about the table, or about whole rows.
    package let column: String?
    package let change: Change
    /// Says what changed, if it is not about rows.
    package internal(set) var words: String?
    /// How many rows differ; nil if it is not about rows.
    package internal(set) var rows: Int?
    /// How many of the rows were last written by events of each type, the most first; a type is nil if no event wrote the row or
    /// names its key.
    package internal(set) var types: [(type: String?, rows: Int)] = []
    /// How many rows were looked at for the types.
    package internal(set) var typedRows = 0
    package internal(set) var examples: [Example] = []
    package internal(set) var isAllowed = false

    /// `book.title`, or `book`.
    package var place: String { column.map { "\(table).\($0)" } ?? table }
  }

  package private(set) var findings: [Finding] = []

  package var failing: [Finding] { findings.filter { !$0.isAllowed } }

  /// The most rows of a difference whose events are looked for.
  static let typeLimit = 20_000
  /// The most rows that a history is asked for, one by one; a replay finds the events of more rows sooner.
  private static let askedLimit = 2_000

  /// Compares two databases of one state of a log.
  ///
  /// - Parameters:
  ///   - new: a database of this program.
  ///   - log: up to the state of both.
  ///   - history: knows the events that wrote rows, if it exists and reaches so far; else the log is replayed for them.
  ///   - examples: how many rows of a difference are kept.
  package init(
    from old: PastDatabase, to new: PastDatabase, of log: CatalogLog, through last: UInt64,
    history: CatalogHistory? = nil, examples: Int
  ) throws {
    var keys: [[[StoredValue]]] = []
    try old.read { old in
      try new.read { new in
        var comparison = try ProgramComparison(log.kind.schema, old, new, examples: examples)
        try comparison.run()
        findings = comparison.findings.map(\.finding)
        keys = comparison.findings.map(\.keys)
      }
    }
    try attribute(keys, log, through: last, history)
  }

  /// Compares a receipt with a database: the tables that differ.
  package init(from old: RecordedReceipt, to new: PastDatabase, of kind: any CatalogKind) throws {
    let now = try new.read { try Receipt(of: kind.schema, in: $0) }
    var known = Dictionary(old.tables.map { ($0.table, $0) }, uniquingKeysWith: { $1 })
    for table in now.tables {
      let recorded = known.removeValue(forKey: table.table)
      guard old.log != nil || table.isContent else { continue }
      guard let recorded else {
        findings.append(
          Finding(table: table.table, column: nil, change: .newTable, rows: table.rows))
        continue
      }
      let isSame =
        recorded.timeless == table.timeless && (recorded.exact ?? table.exact) == table.exact
      guard !isSame else { continue }
      let words =
        recorded.timeless == table.timeless
        ? "only columns of times differ"
        : "\(CountWords.of(recorded.rows, "row")) before, \(CountWords.grouped(table.rows)) now"
      findings.append(
        Finding(table: table.table, column: nil, change: .digest, words: words))
    }
    for table in old.tables where known[table.table] != nil {
      findings.append(
        Finding(table: table.table, column: nil, change: .missingTable, rows: table.rows))
    }
    if findings.isEmpty, old.schema != now.schema {
      findings.append(
        Finding(
          table: "sqlite_schema", column: nil, change: .declaration,
          words: "tables, indexes or triggers are declared otherwise"))
    }
  }

  /// Puts one difference, of a declaration, in the place of those of an old name and a new one.
  ///
  /// - Parameters:
  ///   - column: nil if the table has another name.
  ///   - words: say what changed.
  package mutating func rename(
    _ table: String, column: String?, words: String, _ isOfNames: (Finding) -> Bool
  ) {
    findings.removeAll(where: isOfNames)
    findings.append(Finding(table: table, column: column, change: .declaration, words: words))
  }

  /// Removes differences that are of no interest.
  package mutating func leaveOut(_ isOfNoInterest: (Finding) -> Bool) {
    findings.removeAll(where: isOfNoInterest)
  }

  /// No difference.
  package init() {}

  /// Marks the differences that are intended.
  ///
  /// - Parameter names: `TABLE.COLUMN`, or `TABLE` for everything of it.
  /// - Returns: the names that allowed nothing.
  package mutating func allow(_ names: [String]) -> [String] {
    var unused = Set(names)
    for place in findings.indices {
      for name in [findings[place].table, findings[place].place] where names.contains(name) {
        findings[place].isAllowed = true
        unused.remove(name)
      }
    }
    return names.filter(unused.contains)
  }

  // MARK: The events that made them

  private mutating func attribute(
    _ keys: [[[StoredValue]]], _ log: CatalogLog, through last: UInt64,
    _ history: CatalogHistory?
  ) throws {
    let schema = log.kind.schema
    var addresses: Set<RowAddress> = []
    for (finding, keys) in zip(findings, keys) {
      addresses.formUnion(keys.compactMap { schema.address(finding.table, $0) })
    }
    guard !addresses.isEmpty else { return }
    var known = addresses.count <= Self.askedLimit ? try history?.openAsItIs() : nil
    if let reached = known?.checkpoint.sequence, reached < last { known = nil }
    let found =
      try known?.lastWriters(of: addresses, through: last)
      ?? LastWriters.find(addresses, in: log, through: last)
    var writers = found.mapValues(\.last)
    let unwritten = addresses.filter { writers[$0] == nil }
    for (address, event) in try LastEventByKey.find(unwritten, in: log, through: last) {
      writers[address] = event
    }
    for place in findings.indices where !keys[place].isEmpty {
      let table = findings[place].table
      var counts: [String?: Int] = [:]
      for key in keys[place] {
        counts[schema.address(table, key).flatMap { writers[$0] }?.type, default: 0] += 1
      }
      findings[place].types = counts.map { ($0.key, $0.value) }
        .sorted { ($1.rows, $0.type ?? "") < ($0.rows, $1.type ?? "") }
      findings[place].typedRows = keys[place].count
      for example in findings[place].examples.indices {
        let key = findings[place].examples[example].key.map(\.value)
        findings[place].examples[example].event = schema.address(table, key).flatMap { writers[$0] }
      }
    }
  }
}

/// Compares two databases, of which the newer has the tables of a schema.
private struct ProgramComparison {
  typealias Gathered = (finding: ProjectionDiff.Finding, keys: [[StoredValue]])

  private(set) var findings: [Gathered] = []
  private let schema: Schema
  private let (old, new): (Database, Database)
  private let (oldTables, newTables): (DeclaredTables, DeclaredTables)
  private let examples: Int
  /// Tables that say how far a database is, and prove its rows.
  private let engineTables: Set<String>

  /// The events that contradict the rows.
  private static let conflicts = TableDescription(
    "projection_conflict",
    columns: [
      ColumnDescription("sequence", .integer), ColumnDescription("type", .text),
      ColumnDescription("message", .text),
    ], key: ["sequence"])

  init(_ schema: Schema, _ old: Database, _ new: Database, examples: Int) throws {
    self.schema = schema
    (self.old, self.new, self.examples) = (old, new, examples)
    (oldTables, newTables) = (try DeclaredTables(old), try DeclaredTables(new))
    engineTables = Set(newTables.tables.map(\.name)).subtracting(schema.tables.map(\.name))
  }

  mutating func run() throws {
    for table in schema.tables { try compare(table) }
    for table in oldTables.tables
    where newTables.table(table.name) == nil && !engineTables.contains(table.name) {
      let rows = try count(table.name, old)
      add(ProjectionDiff.Finding(table: table.name, column: nil, change: .missingTable, rows: rows))
    }
    try compareConflicts()
    compareOthers()
    for index in schema.fullTextIndexes { try compareWords(index) }
  }

  private mutating func add(_ finding: ProjectionDiff.Finding, _ keys: [[StoredValue]] = []) {
    findings.append((finding, keys))
  }

  private func count(_ table: String, _ database: Database) throws -> Int {
    let statement = try PreparedStatement(database, "SELECT count(*) FROM \(SQLName.quoted(table))")
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  // MARK: Tables and columns

  private mutating func compare(_ table: TableDescription) throws {
    guard let after = newTables.table(table.name) else { return }
    guard let before = oldTables.table(table.name) else {
      let rows = try rows(of: table, having: nil, new)
      let examples = rows.examples(table, examples, of: .newTable)
      add(finding(table, nil, .newTable, rows.count, examples), rows.listed)
      return
    }
    var isExplained = false
    for column in after.columns {
      guard let earlier = before.column(column.name) else {
        isExplained = true
        try addColumn(column.name, .newColumn, table, new)
        continue
      }
      guard earlier != column else { continue }
      isExplained = true
      var changed = finding(table, column.name, .declaration, nil)
      changed.words = "declared as \(column.declaration) instead of \(earlier.declaration)"
      add(changed)
    }
    for column in before.columns where after.column(column.name) == nil {
      isExplained = true
      try addColumn(column.name, .missingColumn, table, old)
    }
    if !isExplained, before.sql != after.sql {
      var changed = finding(table, nil, .declaration, nil)
      changed.words = "declared otherwise: \(after.sql) instead of \(before.sql)"
      add(changed)
    }
    // The rows of this program are proved by the digests that it keeps, and those of the other one are counted: a third of a
    // comparison row by row.
    if before.columns == after.columns,
      try table.countedSum(in: old) == table.keptSum(in: new)
    {
      return
    }
    try compareRows(table) { name in before.column(name) != nil }
  }

  private func finding(
    _ table: TableDescription, _ column: String?, _ change: ProjectionDiff.Change, _ rows: Int?,
    _ examples: [ProjectionDiff.Example] = []
  ) -> ProjectionDiff.Finding {
    ProjectionDiff.Finding(
      table: table.name, column: column, change: change, rows: rows, examples: examples)
  }

  /// A column that only one side has.
  private mutating func addColumn(
    _ column: String, _ change: ProjectionDiff.Change, _ table: TableDescription,
    _ database: Database
  ) throws {
    let columns = change == .newColumn ? newTables.table(table.name) : oldTables.table(table.name)
    guard table.key.allSatisfy({ columns?.column(table.columns[$0].name) != nil }) else {
      return add(finding(table, column, change, try count(table.name, database)))
    }
    let rows = try rows(of: table, having: column, database)
    let examples = rows.examples(table, examples, of: change)
    add(finding(table, column, change, rows.count, examples), rows.listed)
  }

  /// Rows with a value in a column.
  private struct KeyedRows {
    var count = 0
    /// Keys, at most as many as events are looked for.
    var listed: [[StoredValue]] = []
    var values: [StoredValue] = []

    /// - Parameter change: says which side has the values.
    func examples(
      _ table: TableDescription, _ limit: Int, of change: ProjectionDiff.Change
    ) -> [ProjectionDiff.Example] {
      let columns = table.key.map { table.columns[$0].name }
      return zip(listed, values).prefix(limit).map { key, value in
        ProjectionDiff.Example(
          key: Array(zip(columns, key)), old: change == .missingColumn ? value : nil,
          new: change == .newColumn ? value : nil)
      }
    }
  }

  /// - Parameter column: if nil, all rows are read.
  private func rows(
    of table: TableDescription, having column: String?, _ database: Database
  ) throws -> KeyedRows {
    let name = column.map(SQLName.quoted)
    let statement = try PreparedStatement(
      database,
      "SELECT \(table.keyList), \(name ?? "NULL") FROM \(table.sqlName) "
        + (name.map { "WHERE \($0) IS NOT NULL " } ?? "") + "ORDER BY \(table.keyList)")
    var found = KeyedRows()
    while try statement.step() {
      found.count += 1
      guard found.listed.count < ProjectionDiff.typeLimit else { continue }
      found.listed.append(table.key.indices.map { StoredValue(statement.cell($0)) })
      found.values.append(StoredValue(statement.cell(table.key.count)))
    }
    return found
  }

  // MARK: Rows

  private mutating func compareRows(
    _ table: TableDescription, isCommon: (String) -> Bool
  ) throws {
    let common = table.columns.filter { isCommon($0.name) }
    let key = table.key.map { table.columns[$0].name }
    guard key.allSatisfy(isCommon) else {
      var changed = finding(table, nil, .declaration, nil)
      changed.words =
        "the key is (\(key.joined(separator: ", "))), which the old table lacks: rows are not compared"
      return add(changed)
    }
    let shared =
      common.count == table.columns.count
      ? table : TableDescription(table.name, columns: common, key: key, storage: .rowIDs)
    try compareRows(shared, in: table)
  }

  /// - Parameter shared: describes the columns that both sides have.
  private mutating func compareRows(_ shared: TableDescription, in table: TableDescription) throws {
    var places: [String: Int] = [:]
    try RowComparison.compare(shared, live: new, expected: old) { difference in
      let change: ProjectionDiff.Change
      var column: String?
      var values: (old: StoredValue?, new: StoredValue?) = (nil, nil)
      switch difference.kind {
      case .missing: change = .missingRows
      case .unexpected: change = .newRows
      case .changed(let name, let now, let before):
        (change, column, values) = (.values, name, (before, now))
      }
      let name = "\(change.rawValue) \(column ?? "")"
      let place = places[name] ?? findings.count
      if places[name] == nil {
        places[name] = place
        add(finding(table, column, change, 0))
      }
      findings[place].finding.rows = (findings[place].finding.rows ?? 0) + 1
      if findings[place].keys.count < ProjectionDiff.typeLimit {
        findings[place].keys.append(difference.key)
      }
      if findings[place].finding.examples.count < examples {
        findings[place].finding.examples.append(
          ProjectionDiff.Example(
            key: Array(zip(difference.keyColumns, difference.key)), old: values.old,
            new: values.new))
      }
    }
  }

  /// Events that contradict the rows in one program and not in the other.
  private mutating func compareConflicts() throws {
    let table = Self.conflicts
    let hasColumns = [oldTables, newTables].allSatisfy { tables in
      table.columns.allSatisfy { tables.table(table.name)?.column($0.name) != nil }
    }
    guard hasColumns else { return }
    let start = findings.count
    try compareRows(table, in: table)
    for place in start..<findings.count {
      // The rows themselves name the types.
      var types: [String: Int] = [:]
      for key in findings[place].keys {
        for database in [new, old] {
          let statement = try PreparedStatement(
            database, "SELECT type FROM \(table.sqlName) WHERE \(table.keyCondition)")
          guard case .integer(let sequence)? = key.first else { continue }
          try statement.bind(.integer(sequence), at: 1)
          guard try statement.step(), case .text(let type) = statement.cell(0) else { continue }
          types[String(decoding: type, as: UTF8.self), default: 0] += 1
          break
        }
      }
      findings[place].finding.types = types.map { ($0.key, $0.value) }
        .sorted { ($1.rows, $0.type ?? "") < ($0.rows, $1.type ?? "") }
      findings[place].finding.typedRows = findings[place].keys.count
      findings[place].keys = []
    }
  }

  // MARK: Indexes, triggers, words

  private mutating func compareOthers() {
    let isNew = { [oldTables] (table: String) in oldTables.table(table) == nil }
    for thing in newTables.others {
      let earlier = oldTables.others.first(where: thing.isSameThing)
      // An index of a new table is part of it.
      guard earlier?.sql != thing.sql, thing.table == thing.name || !isNew(thing.table) else {
        continue
      }
      let words =
        earlier.map { "the \(thing.type) \(thing.name) is \(thing.sql) instead of \($0.sql)" }
        ?? "the \(thing.type) \(thing.name) is new"
      add(
        ProjectionDiff.Finding(
          table: thing.table, column: nil, change: .declaration, words: words))
    }
    for thing in oldTables.others
    where !newTables.others.contains(where: thing.isSameThing)
      && (thing.table == thing.name || newTables.table(thing.table) != nil)
    {
      add(
        ProjectionDiff.Finding(
          table: thing.table, column: nil, change: .declaration,
          words: "the \(thing.type) \(thing.name) is missing"))
    }
  }

  private mutating func compareWords(_ index: FullTextIndexDescription) throws {
    let sql = { (tables: DeclaredTables) in tables.others.first { $0.name == index.name }?.sql }
    guard let now = sql(newTables), sql(oldTables) == now,
      try old.tableExists(index.terms), try new.tableExists(index.terms)
    else { return }
    // Two databases that were written as a whole have the same words in the same bytes.
    if try hasSameBytes(index) { return }
    let digests = (
      try TableDigest(of: index, in: old), try TableDigest(of: index, in: new)
    )
    guard digests.0 != digests.1 else { return }
    add(
      ProjectionDiff.Finding(
        table: index.name, column: nil, change: .words,
        words: "finds other words: \(digests.0.rows) places before, \(digests.1.rows) now"))
  }
  private func hasSameBytes(_ index: FullTextIndexDescription) throws -> Bool {
    // An index with texts of its own has more tables than this one.
    guard index.content != .own else { return false }
    let sql = "SELECT id, block FROM \(SQLName.quoted(index.name + "_data")) ORDER BY id"
    let sides = (try PreparedStatement(old, sql), try PreparedStatement(new, sql))
    while true {
      let hasRow = (try sides.0.step(), try sides.1.step())
      guard hasRow.0, hasRow.1 else { return hasRow.0 == hasRow.1 }
      guard sides.0.integer(0) == sides.1.integer(0),
        case (.blob(let one), .blob(let other)) = (sides.0.cell(1), sides.1.cell(1)),
        one.elementsEqual(other)
      else { return false }
    }
  }
}
