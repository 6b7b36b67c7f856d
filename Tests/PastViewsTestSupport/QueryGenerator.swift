package import CatalogEngine
import CatalogStore
package import GRDB
package import Projections

/// Writes SQL over the tables of a kind: of every form that a question about a catalog has, with values of its rows.
///
/// The same seed gives the same statements. Each has one answer, whatever order its rows come in.
package struct QueryGenerator {
  private struct Table {
    let name: String
    /// The name as SQL has it.
    let sqlName: String
    let columns: [Column]
    let key: [Int]

    /// Names of all columns of the key, as a list.
    func keyList(of alias: String) -> String {
      key.map { "\(alias).\(columns[$0].name)" }.joined(separator: ", ")
    }
  }

  private struct Column {
    /// As SQL has it.
    let name: String
    let isText: Bool
    /// Values of rows, as SQL writes them.
    let values: [String]
  }

  /// Two columns with values in common, of which the second has few rows for each value.
  private struct Join {
    let left: Table
    let leftColumn: String
    let right: Table
    let rightColumn: String
  }

  /// A join over columns whose values have more rows makes answers that only take time.
  private static let mostRowsOfValue = 12

  private let tables: [Table]
  private let joins: [Join]
  private var state: UInt64

  /// - Parameter database: a state of a catalog, whose values the statements contain.
  package init(_ schema: Schema, valuesOf database: Database, seed: UInt64) throws {
    state = seed
    var counts: [[Bool]] = []
    let tables = try schema.tables.map { table in
      var isSelective: [Bool] = []
      let columns = try table.columns.filter { $0.type != .blob }.map { column in
        let values = try Self.values(
          of: "SELECT DISTINCT \(column.sqlName) FROM \(table.sqlName) ORDER BY 1 LIMIT 64",
          database)
        let counts = try Self.values(
          of: "SELECT count(\(column.sqlName)) FROM \(table.sqlName) GROUP BY \(column.sqlName)",
          database)
        isSelective.append(
          !values.isEmpty && counts.allSatisfy { (Int($0) ?? 0) <= Self.mostRowsOfValue })
        return Column(
          name: column.sqlName, isText: [.text, .id, .time].contains(column.type), values: values)
      }
      counts.append(isSelective)
      // A key has no blob.
      let key = table.key.compactMap { place in
        columns.firstIndex { $0.name == table.columns[place].sqlName }
      }
      return Table(name: table.name, sqlName: table.sqlName, columns: columns, key: key)
    }
    self.tables = tables
    var joins: [Join] = []
    for (left, one) in tables.enumerated() {
      for (leftColumn, column) in one.columns.enumerated() {
        let values = Set(column.values).subtracting(["NULL"])
        for (right, other) in tables.enumerated() {
          for rightColumn in other.columns.indices
          where counts[right][rightColumn] && (left, leftColumn) != (right, rightColumn)
            && !values.isDisjoint(with: other.columns[rightColumn].values)
          {
            joins.append(
              Join(
                left: one, leftColumn: column.name, right: other,
                rightColumn: other.columns[rightColumn].name))
          }
        }
      }
    }
    self.joins = joins
  }

  /// The first column of an answer, as SQL writes its values.
  private static func values(of sql: String, _ database: Database) throws -> [String] {
    let statement = try database.makeStatement(sql: sql)
    let cursor = try Row.fetchCursor(statement)
    var values: [String] = []
    while try cursor.next() != nil { values.append("\(StoredValue(statement, at: 0))") }
    return values
  }

  // MARK: Chance

  private mutating func below(_ bound: Int) -> Int {
    // Knuth's constants; the high bits are the good ones.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  // MARK: Parts

  /// A name of a table, as people write it.
  private mutating func spelled(_ table: Table) -> String {
    switch below(8) {
    case 0: "\"\(table.name)\""
    case 1: "[\(table.name)]"
    case 2: "`\(table.name)`"
    case 3: table.sqlName.uppercased()
    default: table.sqlName
    }
  }

  private mutating func column(_ table: Table, _ alias: String) -> String {
    "\(alias).\(pick(table.columns).name)"
  }

  private mutating func literal(_ column: Column) -> String {
    let values = column.values.filter { $0 != "NULL" }
    return values.isEmpty || chance(5)
      ? pick(["''", "0", "'nothing'", "-1", "NULL"]) : pick(values)
  }

  private mutating func condition(_ table: Table, _ alias: String, depth: Int = 2) -> String {
    if depth > 0, chance(35) {
      let (one, other) = (
        condition(table, alias, depth: depth - 1), condition(table, alias, depth: depth - 1)
      )
      return chance(20) ? "NOT (\(one))" : "(\(one) \(pick(["AND", "OR"])) \(other))"
    }
    let column = pick(table.columns)
    let name = "\(alias).\(column.name)"
    switch below(9) {
    case 0: return "\(name) IS \(pick(["", "NOT "]))NULL"
    case 1: return "\(name) IN (\(literal(column)), \(literal(column)), \(literal(column)))"
    case 2: return "\(name) \(pick(["", "NOT "]))BETWEEN \(literal(column)) AND \(literal(column))"
    case 3 where column.isText:
      return "\(name) \(pick(["", "NOT "]))LIKE '\(pick(["%a%", "F%", "%_e", "%", "a%"]))'"
    case 4: return "length(\(name)) \(pick(["<", ">="])) \(below(30))"
    // A number compared with a text takes the column's affinity.
    case 5: return "\(name) \(pick(["=", ">="])) CAST(\(literal(column)) AS TEXT)"
    case 6: return "\(name) IS \(pick(["", "NOT "]))\(literal(column))"
    default: return "\(name) \(pick(["=", "<>", "<", "<=", ">", ">="])) \(literal(column))"
    }
  }

  private mutating func filter(_ table: Table, _ alias: String) -> String {
    chance(60) ? " WHERE \(condition(table, alias))" : ""
  }

  /// Orders rows by all that the answer has, and takes some: which, is no chance.
  private mutating func limited(_ columns: Int) -> String {
    guard chance(50) else { return "" }
    let order = (1...columns).map { "\($0)\(chance(30) ? " DESC" : "")" }.joined(separator: ", ")
    return " ORDER BY \(order) LIMIT \(1 + below(40))"
      + (chance(30) ? " OFFSET \(below(5))" : "")
  }

  private mutating func aggregate(_ table: Table, _ alias: String) -> String {
    let name = column(table, alias)
    return pick([
      "count(*)", "count(\(name))", "count(DISTINCT \(name))", "min(\(name))", "max(\(name))",
      "sum(length(\(name)))", "sum(\(name) IS NULL)", "count(*) FILTER (WHERE \(name) IS NOT NULL)",
    ])
  }

  // MARK: Statements

  package mutating func next() -> String {
    let table = pick(tables)
    switch below(joins.isEmpty ? 9 : 17) {
    case 0: return filtered(table)
    case 1: return "SELECT * FROM \(spelled(table)) AS t\(filter(table, "t"))"
    case 2: return "SELECT count(*) FROM \(spelled(table))"
    case 3: return grouped(table)
    case 4: return windowed(table)
    case 5: return named(table)
    case 6: return cases(table)
    case 7: return united()
    case 8: return derived(table)
    case 9, 10: return joined()
    case 11: return joinedGroups()
    case 12: return correlated()
    case 13: return existing()
    case 14: return among()
    case 15: return counted()
    default: return listed()
    }
  }

  private mutating func filtered(_ table: Table) -> String {
    let columns = (0...below(3)).map { _ in column(table, "t") }
    let names = pick(["", "DISTINCT "]) + columns.joined(separator: ", ")
    return "SELECT \(names) FROM \(spelled(table)) AS t" + filter(table, "t")
      + limited(columns.count)
  }

  private mutating func grouped(_ table: Table) -> String {
    let group = column(table, "t")
    let names = "\(group), \(aggregate(table, "t")), \(aggregate(table, "t"))"
    return "SELECT \(names) FROM \(spelled(table)) AS t\(filter(table, "t")) GROUP BY \(group)"
      + (chance(40) ? " HAVING count(*) > \(below(4))" : "") + limited(3)
  }

  private mutating func windowed(_ table: Table) -> String {
    let (part, order) = (column(table, "t"), column(table, "t"))
    let key = table.keyList(of: "t")
    let function = pick([
      "row_number() OVER (PARTITION BY \(part) ORDER BY \(key))",
      "dense_rank() OVER (ORDER BY \(order))",
      "lag(\(order)) OVER (ORDER BY \(key))", "count(*) OVER (PARTITION BY \(part))",
      "sum(length(\(order))) OVER (PARTITION BY \(part) ORDER BY \(key) ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
      "first_value(\(order)) OVER (PARTITION BY \(part) ORDER BY \(key) DESC)",
    ])
    return "SELECT \(key), \(function) FROM \(spelled(table)) AS t\(filter(table, "t"))"
  }

  private mutating func named(_ table: Table) -> String {
    let other = pick(tables)
    if chance(30) {
      return """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
        SELECT i, (SELECT count(*) FROM \(spelled(table)) AS t WHERE length(\(column(table, "t"))) > i * 4) FROM n
        """
    }
    // A name of the statement's own may be that of a table.
    let name = pick(["chosen", other.sqlName])
    let columns = (0...1).map { _ in column(table, "t") }
    let source =
      name == table.sqlName
      ? "SELECT 1 AS one, 2 AS two"
      : "SELECT \(columns[0]) AS one, \(columns[1]) AS two FROM \(spelled(table)) AS t\(filter(table, "t"))"
    return
      "WITH \(name) AS (\(source)) SELECT one, count(*), max(two) FROM \(name) GROUP BY one\(limited(3))"
  }

  private mutating func cases(_ table: Table) -> String {
    let name = column(table, "t")
    return """
      SELECT CASE WHEN \(condition(table, "t")) THEN 'one' WHEN \(condition(table, "t")) THEN typeof(\(name))
        ELSE coalesce(\(name), 'none') END AS place, count(*) FROM \(spelled(table)) AS t GROUP BY 1
      """
  }

  private mutating func united() -> String {
    let parts = (0...1 + below(2)).map { _ in
      let table = pick(tables)
      return
        "SELECT \(column(table, "t")), \(column(table, "t")) FROM \(spelled(table)) AS t\(filter(table, "t"))"
    }
    let word = pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
    return parts.joined(separator: " \(word) ") + limited(2)
  }

  private mutating func derived(_ table: Table) -> String {
    let group = column(table, "t")
    return """
      SELECT max(n), count(*), min(g) FROM (SELECT \(group) AS g, count(*) AS n FROM \(spelled(table)) AS t\
      \(filter(table, "t")) GROUP BY \(group)) WHERE n > \(below(3))
      """
  }

  private mutating func joining() -> (left: Table, right: Table, from: String) {
    let join = pick(joins)
    let (left, right) = (join.left, join.right)
    let from =
      "\(spelled(left)) AS l \(pick(["", "LEFT ", "INNER "]))JOIN \(spelled(right)) AS r "
      + "ON l.\(join.leftColumn) = r.\(join.rightColumn)"
      + (chance(30) ? " AND \(condition(right, "r", depth: 1))" : "")
    return (left, right, from)
  }

  private mutating func joined() -> String {
    let (left, right, from) = joining()
    let filter = chance(60) ? " WHERE \(condition(left, "l"))" : ""
    return
      "SELECT \(column(left, "l")), \(column(right, "r")), \(column(right, "r")) FROM \(from)\(filter)\(limited(3))"
  }

  private mutating func joinedGroups() -> String {
    let (left, right, from) = joining()
    let group = column(right, "r")
    return """
      SELECT \(group), \(aggregate(left, "l")), \(aggregate(right, "r")) FROM \(from) WHERE \(condition(left, "l"))
      GROUP BY \(group)\(limited(3))
      """
  }

  /// Two tables, and the condition that a subquery over the second one has.
  private mutating func nested() -> (left: Table, right: Table, condition: String) {
    let join = pick(joins)
    let (left, right) = (join.left, join.right)
    let condition = "r.\(join.rightColumn) = l.\(join.leftColumn)"
    return (
      left, right, chance(40) ? "\(condition) AND \(self.condition(right, "r"))" : condition
    )
  }

  private mutating func correlated() -> String {
    let (left, right, condition) = nested()
    return """
      SELECT \(left.keyList(of: "l")), (SELECT \(aggregate(right, "r")) FROM \(spelled(right)) AS r WHERE \(condition))
      FROM \(spelled(left)) AS l\(filter(left, "l"))
      """
  }

  private mutating func existing() -> String {
    let (left, right, condition) = nested()
    return """
      SELECT \(left.keyList(of: "l")) FROM \(spelled(left)) AS l
      WHERE \(pick(["", "NOT "]))EXISTS (SELECT 1 FROM \(spelled(right)) AS r WHERE \(condition))
      """
  }

  private mutating func among() -> String {
    let join = pick(joins)
    let (left, right) = (join.left, join.right)
    return """
      SELECT count(*), \(aggregate(left, "l")) FROM \(spelled(left)) AS l WHERE l.\(join.leftColumn)
      \(pick(["IN", "NOT IN"])) (SELECT r.\(join.rightColumn) FROM \(spelled(right)) AS r
        \(filter(right, "r")))
      """
  }

  /// Rows of a third table for those of the second, as a facet counts items.
  private mutating func counted() -> String {
    let join = pick(joins)
    let onward = joins.filter { $0.left.name == join.right.name }
    guard !onward.isEmpty else { return joinedGroups() }
    let next = pick(onward)
    let (left, middle, right) = (join.left, join.right, next.right)
    return """
      SELECT r.\(next.rightColumn), count(DISTINCT l.\(pick(left.columns).name)) FROM \(spelled(left)) AS l
      JOIN \(spelled(middle)) AS m ON m.\(join.rightColumn) = l.\(join.leftColumn)
      LEFT JOIN \(spelled(right)) AS r ON r.\(next.rightColumn) = m.\(next.leftColumn)
      GROUP BY 1\(limited(2))
      """
  }

  /// Values of the second table in one text, in their order.
  private mutating func listed() -> String {
    let (left, right, condition) = nested()
    let name = pick(right.columns).name
    return """
      SELECT \(left.keyList(of: "l")), (SELECT group_concat(v) FROM (SELECT r.\(name) AS v FROM \(spelled(right)) AS r
        WHERE \(condition) ORDER BY r.\(name))) FROM \(spelled(left)) AS l
      """
  }
}

extension PastDatabase {
  /// The columns of an answer, then its rows in an order of their own; or what is wrong with the statement.
  package func sortedAnswer(to sql: String) throws -> [String] {
    var rows: [String] = []
    do {
      try forEachRow(of: sql, until: nil) {
        rows.append("\($0)")
      } _: {
        rows.append("\($0)")
      }
    } catch let error as CatalogError where error.code == .sqlRefused {
      return [error.message]
    }
    return rows.prefix(1) + rows.dropFirst().sorted()
  }
}
