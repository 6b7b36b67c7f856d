package import CatalogEngine
import CatalogModel
package import Projections

/// How the rows of a document differ from those that a table has.
package struct TableDifference {
  /// Rows in which the same columns are new.
  package struct Changed {
    /// Places in `rows.columns`.
    package let columns: [Int]
    /// Numbers of rows of the document.
    package let rows: [Int]
  }

  /// A row that the document lacks.
  package struct Removed: Hashable, Sendable {
    /// The values of the key: of all columns, in a table without one.
    package let key: [Value]
    /// The row's number among those that are equal to it, in a table whose key is the whole row.
    package let repetition: Int64?
  }

  /// The change of values that most rows with a change of the column have.
  package struct CommonChange: Hashable, Sendable {
    package let column: String
    package let before: Value
    package let after: Value
    package let count: Int
  }

  /// Rows in which nothing but times are new, each a later one.
  package struct OnlySeen: Sendable {
    /// The columns with the times.
    package let columns: [DescribedColumn]
    package let rows: Int
  }

  package let rows: DocumentRows
  /// Whether rows that the document lacks are removed.
  package let isComplete: Bool
  package let isOfScope: Bool
  /// How many rows the table has.
  package let presentCount: Int
  /// How many of them the document is about.
  package let inScopeCount: Int
  /// Numbers of rows of the document, in its order.
  package let added: [UInt32]
  /// In the order of the columns.
  package let changed: [Changed]
  package let removed: [Removed]
  /// Rows in which only columns are new that make no change alone.
  package let quietRows: Int
  /// Rows that stay, as the document has them in a row that was set aside.
  package let keptSetAside: Int
  /// The keys of rows that came from the document's source and that the document lacks; nil if it was not asked for them.
  package let goneFromSource: [[Value]]?
  /// The most frequent changes of each column, at most three.
  package let commonest: [CommonChange]
  /// Tallies of what the changes of each column have in common, by its name.
  package let patterns: [String: PatternTally]

  /// Nil unless they are most of the changed rows.
  package var onlySeen: OnlySeen?
  /// If most keys were replaced: other columns by which the rows are the same ones; empty if there are none.
  package var steadyKey: [String] = []

  package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  /// How many rows of the table or of the document it concerns.
  var rowCount: Int { added.count + changedCount + removed.count }

  package var changedCount: Int { changed.reduce(0) { $0 + $1.rows.count } }

  /// In how many rows each column is new, the most frequent first.
  package var changesByColumn: [(column: String, count: Int)] {
    var counts: [Int: Int] = [:]
    for group in changed {
      for column in group.columns { counts[column, default: 0] += group.rows.count }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { (rows.columns[$0.key].name, $0.value) }
  }

  /// A new row, with a value for each column that the table keeps, in the table's order.
  package func whole(_ row: Int) -> [Value] {
    let given = rows.values(row)
    return rows.table.columns.filter(\.isKept).map { column in
      if let place = rows.columns.firstIndex(where: { $0.name == column.name }) {
        return given[place]
      }
      return column.absentValue ?? .null
    }
  }

  /// The removal of more rows than the limit takes.
  package struct Refusal: Hashable, Sendable {
    package let table: String
    /// The number of rows that would go.
    package let removed: Int
    /// The number of rows that the table has.
    package let present: Int
    package let percent: Int

    /// `2,940 of 5,104 rows of products would go`
    package var sentence: String {
      "\(CountWords.grouped(removed)) of \(CountWords.grouped(present)) rows of \(table) would go"
    }
  }

  /// A table with fewer rows may lose as many as it likes, but not all of them to a file without rows.
  package static let leastRows = 20

  /// The refusal of a document that would make the table shrink by more than the limit. Rows in the place of which as many
  /// new ones come do not count.
  ///
  /// - Parameter isFile: whether the document is a file of text: one without rows was cut more often than it is meant. A table of a
  ///   database may well be empty.
  package func refusal(
    _ limit: DescribedDocument.RemovalLimit, isFile: Bool = false
  ) -> Refusal? {
    let becomesEmpty = isFile && added.isEmpty && removed.count == inScopeCount
    guard case .percent(let percent) = limit, inScopeCount >= Self.leastRows || becomesEmpty,
      (removed.count - added.count) * 100 > percent * inScopeCount
    else { return nil }
    return Refusal(
      table: rows.table.name, removed: removed.count, present: inScopeCount, percent: percent)
  }

  /// Whether most keys of the table were replaced by others, as if something new were counted.
  package var replacesMostKeys: Bool {
    inScopeCount >= Self.leastRows && removed.count * 2 > inScopeCount
      && added.count * 5 >= removed.count * 4
  }
}
