package import GRDB
package import Projections
import Support

/// A part of the history of one table: the versions that the moments of the part have, in a table of their own.
///
/// The moments of a generation begin with the end of a batch, and end before the batch with which the next one begins. So a
/// state is read from one table, in which at most about half of the versions have ended, however long the history is. A
/// version that lives on is copied into the next generation.
package struct HistoryGeneration: Hashable, Sendable {
  /// The table's place in the schema.
  package let table: Int
  package let number: Int
  /// The last event of the batch with which it begins; 0 for the first.
  package let start: UInt64
  /// Versions that began after this event are in the index by their beginning.
  package fileprivate(set) var indexedAfter: UInt64
  /// The versions that ended in it.
  private var ended = 0
  /// The end of the first batch that ended a version; 0 if none did.
  private var firstEnd: UInt64 = 0
  /// The end of the last batch that began a version.
  private var lastBeginning: UInt64 = 0

  init(table: Int) {
    (self.table, number, start, indexedAfter) = (table, 0, 0, 0)
  }

  /// The generation after another one.
  ///
  /// - Parameters:
  ///   - first: the first event of the batch with which it begins.
  ///   - begun: the versions that this batch began.
  ///   - rows: the versions that it has at first.
  private init(
    after other: HistoryGeneration, first: UInt64, last: UInt64, begun: Int, rows: Int
  ) {
    (table, number, start) = (other.table, other.number + 1, last)
    indexedAfter = begun * 2 <= rows ? first - 1 : last
    lastBeginning = last
  }

  /// The table of versions.
  package func name(_ table: TableDescription) -> String { "g\(number)_\(table.name)" }

  /// The SQL condition of the versions that a state has, with the word WHERE; empty if all have.
  ///
  /// - Parameters:
  ///   - table: the generation's.
  ///   - sequence: the last event of a batch of the generation. It is a literal: a view has no parameters.
  package func condition(of table: TableDescription, at sequence: UInt64) -> String {
    var conditions: [String] = []
    if sequence < lastBeginning { conditions.append("\(table.versionColumns.from) <= \(sequence)") }
    if firstEnd > 0, firstEnd <= sequence {
      conditions.append("\(table.versionColumns.to) > \(VersionColumns.end(sequence))")
    }
    return conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
  }

  /// Notes what a batch did.
  ///
  /// - Returns: the generation that begins with the batch; nil if this one goes on.
  mutating func end(
    _ batch: HistoryBatch, _ step: TableStep, _ rule: GenerationRule
  ) -> HistoryGeneration? {
    let begun = step.added + step.changed
    let ends = step.removed + step.changed
    if ends > 0 {
      ended += ends
      if firstEnd == 0 { firstEnd = batch.lastSequence }
    }
    if rule.isDue(number: number, ended: ended, copied: step.rows - begun) {
      return HistoryGeneration(
        after: self, first: batch.firstSequence, last: batch.lastSequence, begun: begun,
        rows: step.rows)
    }
    if begun > 0 { lastBeginning = batch.lastSequence }
    return nil
  }

  /// Leaves those versions out of the index by beginning that the catalog was first filled with.
  ///
  /// - Parameter beginnings: how many versions each batch began.
  mutating func leaveOutFirst(_ beginnings: [(last: UInt64, count: Int)]) {
    let half = beginnings.reduce(0) { $0 + $1.count } / 2
    var indexed = 0
    for (last, count) in beginnings.reversed() {
      indexed += count
      guard indexed <= half else {
        indexedAfter = last
        return
      }
    }
  }

  // MARK: Rows

  static let description = TableDescription(
    "history_generation",
    columns: [
      Column("tbl", .integer), Column("number", .integer), Column("start", .integer),
      Column("indexed_after", .integer), Column("ended", .integer), Column("first_end", .integer),
      Column("last_beginning", .integer),
    ], key: ["tbl", "number"])

  var row: [Value] {
    [
      .integer(Int64(table)), .integer(Int64(number)), .sequence(start),
      .sequence(indexedAfter), .integer(Int64(ended)),
      .sequence(firstEnd), .sequence(lastBeginning),
    ]
  }

  fileprivate init(_ statement: PreparedStatement) {
    func event(_ column: Int) -> UInt64 { UInt64(clamping: statement.integer(column)) }
    (table, number) = (Int(statement.integer(0)), Int(statement.integer(1)))
    (start, indexedAfter) = (event(2), event(3))
    ended = Int(statement.integer(4))
    (firstEnd, lastBeginning) = (event(5), event(6))
  }
}

/// When the next generation of a table begins.
package struct GenerationRule: Sendable {
  private let leastEnded: Int

  /// - Parameter leastEnded: the fewest versions that end in a generation which another one follows.
  package init(leastEnded: Int = 16_384) {
    self.leastEnded = leastEnded
  }

  /// - Parameter copied: the versions that the next generation would have from this one.
  func isDue(number: Int, ended: Int, copied: Int) -> Bool {
    // A statement has at most some hundred tables, however often a small table changes.
    ended >= leastEnded << min(number / 16, 32) && ended >= copied
  }
}

/// The generations of all tables.
package struct HistoryGenerations: Sendable {
  private let tables: [[HistoryGeneration]]

  /// Reads those of a history.
  package init(_ history: HistorySchema, _ database: Database) throws {
    let description = HistoryGeneration.description
    let statement = try PreparedStatement(
      database,
      "SELECT \(description.columnList) FROM \(description.sqlName) ORDER BY \(description.keyList)"
    )
    var tables = history.schema.tables.map { _ in [HistoryGeneration]() }
    while try statement.step() {
      let generation = HistoryGeneration(statement)
      guard tables.indices.contains(generation.table),
        tables[generation.table].count == generation.number
      else { throw StoreError(.drifted, "history_generation has a row that no history has") }
      tables[generation.table].append(generation)
    }
    guard tables.allSatisfy({ !$0.isEmpty }) else {
      throw StoreError(.drifted, "history_generation lacks a table")
    }
    self.tables = tables
  }

  /// All of a table, in their order.
  package func all(of table: TableDescription) -> [HistoryGeneration] { tables[table.ordinal] }

  /// The one that has the state after an event.
  package func at(_ sequence: UInt64, of table: TableDescription) -> HistoryGeneration {
    let all = tables[table.ordinal]
    return all[(all.lastIndex { $0.start <= sequence }) ?? 0]
  }

  /// The ones that have moments after one event and up to another, which a version that ends between the two is in.
  package func ending(
    after first: UInt64, through last: UInt64, of table: TableDescription
  ) -> ArraySlice<HistoryGeneration> {
    let from = at(first, of: table).number
    return tables[table.ordinal][from...max(from, at(last, of: table).number)]
  }

  /// The last one of each table, by the ordinals of the tables.
  var present: [HistoryGeneration] { tables.map { $0[$0.count - 1] } }
}
