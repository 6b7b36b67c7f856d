import CatalogStore
import GRDB
import Projections

/// The part of an operation that is brought back: all of it, or some tables, columns or rows.
package struct RevertPart: Hashable, Sendable {
  /// The names of tables; all if it is empty.
  package var tables: [String]
  /// The names of columns; all if it is empty. Rows that the operation added or removed then stay.
  package var columns: [String]
  /// A condition in SQL on the rows before the operation; nil if all rows are restored.
  package var condition: String?

  package init(tables: [String] = [], columns: [String] = [], condition: String? = nil) {
    self.tables = tables
    self.columns = columns
    self.condition = condition
  }

  package var isWhole: Bool { tables.isEmpty && columns.isEmpty && condition == nil }

  /// Whether rows of a table come and go.
  package func hasWholeRows(of table: TableDescription) -> Bool { columns.isEmpty }

  /// Whether some columns that belong together are brought back.
  package func has(_ unit: [Int], of table: TableDescription) -> Bool {
    columns.isEmpty || unit.contains { columns.contains(table.columns[$0].name) }
  }

  /// Whether a member of a set is brought back.
  ///
  /// - Parameter name: the table in which people see it; nil if it is this one.
  func has(_ column: Int, of table: TableDescription, shownIn name: String?) -> Bool {
    has([column], of: table)
      && (tables.isEmpty || tables.contains(table.name) || name.map(tables.contains) ?? false)
  }
}

extension RevertPart {
  /// - Throws: `CatalogError` with `changeRefused` for a table or a column that the tables do not have, and for a condition
  ///   without the one table of which it is.
  func require(in schema: Schema, _ rules: ReversalRules) throws {
    for name in tables {
      guard let table = schema.tables.first(where: { $0.name == name }) else {
        let known = schema.tables.filter { !$0.isOwn }.map(\.name).joined(separator: ", ")
        throw CatalogError(
          .changeRefused, "there is no table \"\(name)\"; the tables are \(known)")
      }
      guard condition == nil || !table.isOwn else {
        throw CatalogError(
          .changeRefused,
          "\(name) is the program's own table; a condition is of a table that people see")
      }
    }
    let named = schema.tables.filter {
      tables.isEmpty ? !$0.isOwn : tables.contains($0.name)
    }
    for column in columns where !named.contains(where: { $0.index(of: column) != nil }) {
      let known = Set(named.flatMap(\.columns).map(\.name)).sorted().joined(separator: ", ")
      throw CatalogError(
        .changeRefused, "no table has a column \"\(column)\"; the columns are \(known)")
    }
    func follows(_ column: String, _ table: TableDescription) -> Bool {
      guard let place = table.index(of: column) else { return true }
      return rules.derived.contains { $0 === table }
        || rules.settled.contains { $0.table === table && $0.places.contains(place) }
    }
    guard
      columns.isEmpty || !columns.allSatisfy({ column in named.allSatisfy { follows(column, $0) } })
    else {
      throw CatalogError(
        .changeRefused,
        "\(columns.joined(separator: ", ")) \(columns.count == 1 ? "follows" : "follow") from other rows, which a part without columns restores"
      )
    }
    guard condition == nil || tables.count == 1 else {
      throw CatalogError(
        .changeRefused, "a condition is of the rows of one table; name the table, too")
    }
  }

  /// The keys of the rows that met the condition before the operations; nil if there is no condition.
  ///
  /// - Throws: `CatalogError` with `changeRefused` if SQLite cannot read the condition.
  func rows(before range: OperationRange, in log: CatalogLog) throws -> Set<[Value]>? {
    guard let condition,
      let table = log.kind.schema.tables.first(where: { $0.name == tables[0] })
    else { return nil }
    let folded = try ProjectionRebuild(log, through: range.before.sequence).fold()
    let rows = try PastDatabase(
      folded.rows, folded.conflicts, folded.checkpoint, of: log.kind)
    do {
      return try rows.readTables { database in
        let sql = "SELECT \(table.columnList) FROM \(table.name) WHERE (\(condition)\n)"
        do {
          _ = try database.makeStatement(sql: sql)
        } catch let error as DatabaseError {
          throw CatalogError(
            .changeRefused, "the condition cannot be read by SQLite: \(error.message ?? "\(error)")"
          )
        }
        let statement = try PreparedStatement(database, sql)
        var found: Set<[Value]> = []
        while try statement.step() { found.insert(table.key(of: try statement.row(of: table))) }
        return found
      }
    } catch let error as StoreError {
      throw CatalogError(
        .changeRefused, "the condition cannot be read by SQLite: \(error.explanation)")
    }
  }
}
