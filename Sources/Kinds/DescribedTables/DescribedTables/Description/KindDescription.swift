/// A kind of catalog as data: its tables, the documents that fill them, its own events and its rules.
///
/// ```json
/// {"kind": "shop", "version": 1,
///  "tables": {"products": {"key": "sku", "columns": {"sku": "text", "price": "number"}}}}
/// ```
///
/// A log carries its description as the event `kind.described`, so that a program needs no file to read it.
public struct KindDescription: Hashable, Sendable {
  /// The name that event 1 of a log has: `shop`.
  public var kind: String
  public var version: Int64
  /// The order is the one that people see.
  public var tables: [DescribedTable]
  public var documents: [DescribedDocument]
  public var events: [OwnEvent]
  public var rules: [RowRule]

  public init(
    kind: String, version: Int64 = 1, tables: [DescribedTable],
    documents: [DescribedDocument] = [], events: [OwnEvent] = [], rules: [RowRule] = []
  ) {
    self.kind = kind
    self.version = version
    self.tables = tables
    self.documents = documents
    self.events = events
    self.rules = rules
  }

  /// The table of a name; nil if there is none.
  public func table(_ name: String) -> DescribedTable? {
    tables.first { $0.name == name }
  }

  /// The document of a name; nil if there is none.
  public func document(_ name: String) -> DescribedDocument? {
    documents.first { $0.name == name }
  }

  /// The event of a name; nil if there is none.
  public func event(_ name: String) -> OwnEvent? {
    events.first { $0.name == name }
  }
}

/// A table of a description.
public struct DescribedTable: Hashable, Sendable {
  /// The values that identify a row.
  public enum Key: Hashable, Sendable {
    /// The values of these columns.
    case columns([String])
    /// All values of the row. Rows that are equal are counted.
    case wholeRow
  }

  public var name: String
  /// The name in the description before this one, if it was another.
  public var was: String?
  public var key: Key
  /// The order is the one that people see.
  public var columns: [DescribedColumn]
  /// The columns of each index.
  public var indexes: [[String]]
  /// Columns with texts in which a person searches for words.
  public var search: [String]

  public init(
    _ name: String, was: String? = nil, key: Key, columns: [DescribedColumn],
    indexes: [[String]] = [], search: [String] = []
  ) {
    self.name = name
    self.was = was
    self.key = key
    self.columns = columns
    self.indexes = indexes
    self.search = search
  }

  /// The column of a name; nil if there is none.
  public func column(_ name: String) -> DescribedColumn? {
    columns.first { $0.name == name }
  }

  /// The names of the key's columns; empty if the whole row is the key.
  public var keyColumns: [String] {
    if case .columns(let names) = key { names } else { [] }
  }
}

/// A rule: SQL that must return no row.
public struct RowRule: Hashable, Sendable {
  /// The treatment of a change after which the SQL returns rows.
  public enum Level: String, CaseIterable, Sendable {
    /// It is not appended.
    case refuse
    /// It is appended, and the rows are reported.
    case report
  }

  /// A sentence that is true as long as no row is returned: `every product has a category`.
  public var name: String
  public var sql: String
  public var level: Level
  /// How long the SQL may take, from 1 to 86,400; a minute if it is nil.
  public var seconds: Int?

  public init(_ name: String, sql: String, level: Level = .refuse, seconds: Int? = nil) {
    self.name = name
    self.sql = sql
    self.level = level
    self.seconds = seconds
  }
}
