import CatalogModel

/// Names of tables, columns and indexes within SQL.
package enum SQLName {
  /// Whether a name consists of letters of ASCII, digits and `_`, and does not begin with a digit.
  package static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
    return name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  /// Whether a table or an index can have a plain name: SQLite keeps those that begin with `sqlite_`.
  package static func isFree(_ name: String) -> Bool {
    isPlain(name) && !name.lowercased().hasPrefix("sqlite_")
  }

  /// Whether SQL calls the row id so, in a table that has no column of this name.
  package static func isRowID(_ column: String) -> Bool {
    ["rowid", "oid", "_rowid_"].contains(column.lowercased())
  }

  /// The name as a statement can have it: in quotes if SQLite would not read it as a name otherwise.
  ///
  /// A plain name that is no word of SQL stays as it is, so that statements are easy to read, and so that the
  /// fingerprint of a schema does not depend on quotes that it never needed.
  package static func quoted(_ name: String) -> String {
    if isPlain(name), !reserved.contains(name.lowercased()) { return name }
    return alwaysQuoted(name)
  }

  /// A name in quotes, whatever it is: of another program's table, which another version of SQLite may read.
  package static func alwaysQuoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  /// Names as statements list them.
  package static func list(_ names: [String]) -> String {
    names.map(quoted).joined(separator: ", ")
  }

  /// The words that SQLite does not always read as a name. It does so with its other keywords (`key`, `first`, `plan`), and
  /// schemas have these without quotes.
  private static let reserved: Set<String> = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "cast", "check",
    "collate",
    "commit", "constraint", "create", "current_date", "current_time", "current_timestamp",
    "default",
    "deferrable", "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign",
    "from",
    "group", "having", "if", "in", "index", "insert", "intersect", "into", "is", "isnull", "join",
    "limit", "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "raise",
    "references", "returning", "select", "set", "table", "then", "to", "transaction", "union",
    "unique", "update", "using", "values", "when", "where", "with",
  ]
}
