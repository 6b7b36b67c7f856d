/// A constraint over a whole row.
public enum TableConstraint: Sendable {
  /// No two rows may have the same values in these columns; rows with NULL in one of them may.
  case unique([String])
  /// An SQL expression that must not be false.
  case check(String)
  /// Columns that name a row of another table.
  case foreignKey([String], ForeignKey)

  var sql: String {
    switch self {
    case .unique(let columns): "UNIQUE (\(SQLName.list(columns)))"
    case .check(let expression): "CHECK(\(expression))"
    case .foreignKey(let columns, let key):
      "FOREIGN KEY (\(SQLName.list(columns))) \(key.sql)"
    }
  }
}

/// The row of another table that columns name.
public struct ForeignKey: Sendable {
  /// What SQLite does to the rows that refer to a removed row, if a person changes the database by hand with foreign
  /// keys switched on. A projector removes or changes these rows itself.
  public enum Action: String, Sendable {
    case none = "NO ACTION"
    case restrict = "RESTRICT"
    case cascade = "CASCADE"
    case setNull = "SET NULL"
  }

  let table: String
  let columns: [String]
  private let action: Action

  public static func to(
    _ table: String, _ columns: String..., onDelete action: Action = .none
  ) -> ForeignKey {
    ForeignKey(table: table, columns: columns, action: action)
  }

  var sql: String {
    let target = "REFERENCES \(SQLName.quoted(table))(\(SQLName.list(columns)))"
    return action == .none ? target : "\(target) ON DELETE \(action.rawValue)"
  }
}

/// How SQLite keeps the rows of a table.
public enum TableStorage: Sendable {
  /// By a row id, with the key in an index beside; a key of one integer is the row id itself.
  case rowIDs
  /// By the key.
  case withoutRowIDs
}
