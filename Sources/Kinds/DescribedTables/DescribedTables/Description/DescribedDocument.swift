public import Projections

/// A document that fills tables, as a description has it.
public struct DescribedDocument: Hashable, Sendable {
  /// The spelling of values in a document without types.
  public struct CSV: Hashable, Sendable {
    /// The character between two values; nil if it is found out.
    public var separator: String?
    /// The name of the encoding; nil if it is found out.
    public var encoding: String?
    /// The character before the fraction of a number: `.` or `,`.
    public var decimal: String
    public var quote: String
    /// The meaning of an empty value in a column of texts.
    public var empty: Empty

    /// The meaning of an empty value in a column of texts. In columns of other types it is NULL.
    public enum Empty: String, CaseIterable, Sendable {
      case text
      /// NULL; an empty text if it is in quotation marks, also in a column of the type `any`.
      case null
      /// NULL, also in quotation marks.
      case alwaysNull = "always null"
    }

    public init(
      separator: String? = nil, encoding: String? = nil, decimal: String = ".",
      quote: String = "\"", empty: Empty = .text
    ) {
      self.separator = separator
      self.encoding = encoding
      self.decimal = decimal
      self.quote = quote
      self.empty = empty
    }
  }

  /// The format of the document's bytes.
  public enum Format: Hashable, Sendable {
    case csv(CSV)
    case json
    /// A JSON value a line.
    case jsonLines
    /// A database of SQLite, with all of its tables.
    case sqlite
  }

  /// The treatment of columns and members that the description does not name.
  public enum Others: String, CaseIterable, Sendable {
    case refuse
    /// The column `_others` keeps them as JSON.
    case keep
    case drop

    /// The column of the type `json?` that a table has for them.
    static let column = "_others"
  }

  /// The treatment of a row whose key another row of the document has.
  public enum Twice: String, CaseIterable, Sendable {
    case refuse
    /// The first row counts.
    case first
    /// Neither counts: the row stays as it was.
    case setAside = "set aside"
  }

  /// The treatment of a row of CSV with more or fewer values than the header.
  public enum OtherLength: String, CaseIterable, Sendable {
    case refuse
    /// The row stays as it was.
    case setAside = "set aside"
  }

  /// How many rows a whole document may remove from a table of 20 rows or more.
  public enum RemovalLimit: Hashable, Sendable {
    case percent(Int)
    case any

    /// The limit of a document whose description sets none: a fifth.
    public static let standard = RemovalLimit.percent(20)
  }

  /// The rows of one table within a document.
  public struct Rows: Hashable, Sendable {
    public var table: String
    /// The path of the rows in a document of JSON: `products.{sku}`; the name of the table in a database. Nil if the document
    /// itself has the rows, as CSV does, and for a table of the same name.
    public var at: String?
    /// The origins of columns. A column that is not listed comes from the header or the member of its own name.
    public var columns: [Source]

    public init(_ table: String, at: String? = nil, columns: [Source] = []) {
      self.table = table
      self.at = at
      self.columns = columns
    }
  }

  /// The place from which the values of a column come.
  public struct Source: Hashable, Sendable {
    public var column: String
    /// The name in the header, or the path of the member below the row: `price.amount`, `@` for the row itself.
    public var from: String
    /// The value of a row without the member; nil if there is none.
    public var missing: Value?

    public init(_ column: String, from: String, missing: Value? = nil) {
      self.column = column
      self.from = from
      self.missing = missing
    }
  }

  public var name: String
  /// Nil if the file's name and first bytes tell it.
  public var format: Format?
  /// Whether the document has all rows of its tables, so that a row which it lacks is removed.
  public var isComplete: Bool
  /// Empty if the document fills the table of its own name, or the only one.
  public var rows: [Rows]
  public var others: Others
  /// Names of columns and members that are passed over.
  public var ignored: [String]
  /// Things of a database that have no rows of their own, as it had them last: `view sold`. One that comes is reported once.
  public var leftOut: [String]
  public var removed: RemovalLimit
  public var otherLength: OtherLength
  public var twice: Twice
  /// The path of the number of rows that the document says it has.
  public var count: String?

  public init(
    _ name: String, format: Format? = nil, complete isComplete: Bool = false, rows: [Rows] = [],
    others: Others = .refuse, ignored: [String] = [],
    leftOut: [String] = [], removed: RemovalLimit = .standard,
    otherLength: OtherLength = .refuse, twice: Twice = .refuse, count: String? = nil
  ) {
    self.name = name
    self.format = format
    self.isComplete = isComplete
    self.rows = rows
    self.others = others
    self.ignored = ignored
    self.leftOut = leftOut
    self.removed = removed
    self.otherLength = otherLength
    self.twice = twice
    self.count = count
  }
}
