import CatalogModel

/// A column of a table, described as data. Its SQL is made from that.
///
///     Column("title", .text)
///     Column("artwork_data", .blob, nullable: true)
///     Column("created_at", .integer, isTime: true)
///     Column("show_id", .text, references: .to("shows", "show_id", onDelete: .cascade))
public struct ColumnDescription: Sendable {
  public let name: String
  /// The name as SQL has it: in quotes if it is a word of SQL.
  package let sqlName: String
  public let type: ColumnType
  /// Whether a row may have NULL here. No column of a key may.
  public let isNullable: Bool
  /// Whether no two rows may have the same value here; NULL is the same as nothing.
  public let isUnique: Bool
  /// Whether it says when something happened: not part of what a catalog contains, so that a receipt of the
  /// content is the same for every import of the same documents.
  public let isTime: Bool
  /// Whether each event that writes the row sets it, as `updated_at`: it says no more than that the row was written, so a
  /// person who compares two states does not see it unless asked for.
  public let isChangeStamp: Bool
  /// Whether it says what a row is called. The name of a row that has several such columns is all of them.
  public let isName: Bool
  /// The table to whose rows the column refers by their key. A list of changes shows the name of that row. Nil if a foreign
  /// key already declares the reference, or if the column refers to no row.
  public let names: String?
  private let standard: ColumnDefault?
  /// The SQL expression that must not be false for a row.
  let check: String?
  let reference: ForeignKey?
  private let sql: String?

  /// Describes a column.
  ///
  /// - Parameters:
  ///   - nullable: whether a row may have NULL here.
  ///   - unique: whether `put` refuses a second row with the same value.
  ///   - isTime: whether it holds a time in a form of the kind's own; a column of type `time` does in any case.
  ///   - isChangeStamp: whether each event that writes the row sets it to its time.
  ///   - isName: whether it says what a row is called: commands that show changes of rows show it beside ids.
  ///   - names: the table whose row it names by the key, if `references` does not say so. SQLite does not learn of it.
  ///   - standard: for who adds rows by hand; a projector gives every column.
  ///   - check: an SQL expression that must not be false.
  ///   - reference: the row of another table that it refers to. A projector carries out its own cascades. A change
  ///     that leaves a row which refers to no row is refused before the append; `verify` and `doctor` list such rows
  ///     of an earlier log.
  ///   - sql: what is to follow the name in `CREATE TABLE`, word for word, where a schema is prescribed. It has to
  ///     say the same as the other parameters. A `CHECK` in it that `check` leaves out is SQLite's alone: who carries
  ///     rows meets it, and a rebuild, which writes pages, does not.
  public init(
    _ name: String, _ type: ColumnType, nullable: Bool = false, unique: Bool = false,
    isTime: Bool = false, isChangeStamp: Bool = false, isName: Bool = false, names: String? = nil,
    default standard: ColumnDefault? = nil, check: String? = nil,
    references reference: ForeignKey? = nil, sql: String? = nil
  ) {
    precondition(SQLName.isPlain(name), "\"\(name)\" is not a name for a column")
    self.name = name
    sqlName = SQLName.quoted(name)
    self.type = type
    isNullable = nullable
    isUnique = unique
    self.isTime = isTime || type == .time
    self.isChangeStamp = isChangeStamp
    self.isName = isName
    self.names = names
    self.standard = standard
    self.check = check
    self.reference = reference
    self.sql = sql
  }

  /// A column of another program's table, which can have any name and any value.
  init(foreign name: String, isName: Bool) {
    self.name = name
    sqlName = SQLName.quoted(name)
    (type, isNullable, isUnique, isTime) = (.any, true, false, false)
    self.isName = isName
    isChangeStamp = false
    (names, standard, check, reference, sql) = (nil, nil, nil, nil, nil)
  }

  /// What follows the name in `CREATE TABLE`.
  ///
  /// - Parameter isKey: whether the column alone is the primary key.
  func declaration(isKey: Bool) -> String {
    if let sql { return sql }
    var text = type.sql
    if isKey { text += " PRIMARY KEY" }
    // The row id cannot be NULL, and SQLite's own description of it does not say so.
    if !isKey || type != .integer { text += isNullable ? " NULL" : " NOT NULL" }
    if isUnique { text += " UNIQUE" }
    if let standard { text += " DEFAULT \(standard.sql)" }
    if let check { text += " CHECK(\(check))" }
    if let reference { text += " \(reference.sql)" }
    return text
  }
}

/// How descriptions of tables are written.
public typealias Column = ColumnDescription

/// What a column holds. `id` and `time` are text in SQLite and kept smaller in memory.
public enum ColumnType: String, Sendable, BitwiseCopyable {
  case integer
  case real
  case text
  case id
  case time
  case blob
  /// A whole number, a real number, a text or bytes, as SQLite stored it elsewhere. In no key and no index.
  case any

  /// The type's name in SQL.
  package var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .id, .time: "TEXT"
    // The one type of a column whose values SQLite stores as they are.
    case .blob, .any: "BLOB"
    }
  }
}

/// What SQLite puts into a column that an `INSERT` leaves out.
public enum ColumnDefault: Sendable {
  case integer(Int64)
  case real(Double)
  case text(String)

  var sql: String {
    switch self {
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text):
      "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }
  }
}
