import Projections

/// The rows of one table for which a condition of a statement is true: what follows `FROM` in `SELECT … FROM T WHERE …`.
struct TableCondition {
  static let begin = "begin of the version"
  static let end = "end of the version"

  let table: TableDescription
  /// The table's name in the statement.
  private let alias: String
  private let condition: String

  /// Whether the statement has no condition.
  var isEmpty: Bool { condition.isEmpty }

  /// The rows of a statement that reads one table and has no other statement within it.
  ///
  /// - Returns: nil if it is another statement, or if only SQLite knows.
  init?(ofSelect sql: String, _ schema: Schema) {
    var tokens = SQLTokens(sql)
    guard tokens.next()?.lowercased() == "select" else { return nil }
    while let token = tokens.next(), token.lowercased() != "from" {
      if token == ";" || Self.isClause(token) { return nil }
    }
    self.init(&tokens, schema, mayGoOn: true)
  }

  /// - Parameters:
  ///   - tokens: after `FROM`.
  ///   - mayGoOn: whether the statement may order, group and limit these rows.
  init?(_ tokens: inout SQLTokens, _ schema: Schema, mayGoOn: Bool) {
    guard let name = tokens.next(), let table = schema.tables.first(where: { $0.isNamed(name) })
    else { return nil }
    self.table = table
    var next = tokens.next()
    if next?.lowercased() == "as" { next = tokens.next() }
    if let word = next, word != ";", word.lowercased() != "where" {
      guard word.utf8.allSatisfy(SQLTokens.isWord), !Self.isClause(word),
        word.lowercased() != "not"
      else { return nil }
      alias = word
      next = tokens.next()
    } else {
      alias = table.sqlName
    }
    switch next?.lowercased() {
    case "where": break
    case nil, ";":
      condition = ""
      if next != nil, tokens.next() != nil { return nil }
      return
    default: return nil
    }
    var text: String?
    let rest = tokens.rest
    var left = rest
    var previous = ""
    while let token = tokens.next() {
      defer { (left, previous) = (tokens.rest, token.lowercased()) }
      // `IN T` reads a whole table without a word that says so.
      if previous == "in", token != "(" { return nil }
      guard token == ";" || Self.isClause(token) else { continue }
      // A clause reads no further rows, or it has a word that says so.
      guard token == ";" ? tokens.next() == nil : mayGoOn && Self.goesOn(token) else { return nil }
      text = text ?? String(decoding: rest.utf8.dropLast(left.utf8.count), as: UTF8.self)
    }
    condition = text ?? rest
    guard !condition.allSatisfy(\.isWhitespace) else { return nil }
  }

  /// Words after which a statement may read other rows than those of one table, or computes with them.
  private static func isClause(_ word: String) -> Bool {
    [
      "select", "values", "with", "group", "having", "window", "over", "order", "limit", "union",
      "intersect", "except", "join", "left", "right", "full", "inner", "cross", "natural", "on",
      "using", "indexed",
    ].contains(word.lowercased())
  }

  /// Whether a clause computes with the same rows.
  private static func goesOn(_ word: String) -> Bool {
    ["group", "having", "order", "limit"].contains(word.lowercased())
  }

  /// The statement that selects the events which began and ended each version of these rows.
  ///
  /// - Parameter versions: a query for all versions of the table's rows, with both events.
  func sql(over versions: String) -> String {
    // A comment may end the condition.
    let filter = condition.isEmpty ? "" : " WHERE (\(condition)\n)"
    return
      "SELECT \"\(Self.begin)\", \"\(Self.end)\" FROM (\(versions)) AS \(alias)\(filter)"
  }
}
