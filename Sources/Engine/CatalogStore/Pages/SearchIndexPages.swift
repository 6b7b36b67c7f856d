import CatalogModel
import GRDB
import Projections
import Support

/// Full-text indexes that are filled in a database of their own, while another thread writes the tables
/// that they are over, and whose tables are then carried over as pages.
///
/// An index keeps its content in ordinary tables beside it (FTS5's shadow tables). The temporary
/// database has no name and goes when it is closed; SQLite keeps it in memory as long as it is small.
/// `@unchecked Sendable`: it is made by one thread and read by another that waited for it.
final class SearchIndexPages: @unchecked Sendable {
  private let queue: DatabaseQueue
  private let indexes: [FullTextIndexDescription]

  /// FTS5's tables that change when rows are added; `_content` where an index has texts of its own. One more,
  /// `_config`, is as the index was made.
  private static func parts(of index: FullTextIndexDescription) -> [String] {
    ["data", "idx", "docsize"] + (index.content == .own ? ["content"] : [])
  }

  /// - Parameter indexes: each with the rows of its table.
  init(_ indexes: [(index: FullTextIndexDescription, rows: PackedRows)]) throws {
    self.indexes = indexes.map(\.index)
    var configuration = Configuration()
    configuration.label = "search index"
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          PRAGMA cache_size = -32768; PRAGMA locking_mode = EXCLUSIVE;
          """)
    }
    queue = try DatabaseQueue(path: "", configuration: configuration)
    try queue.write { database in
      for (index, rows) in indexes { try Self.fill(index, with: rows, database) }
    }
  }

  private static func fill(
    _ index: FullTextIndexDescription, with rows: PackedRows, _ database: Database
  ) throws {
    for sql in index.creation { try database.execute(sql: sql) }
    let table = index.table
    let columns = table.key + index.columns.compactMap { table.index(of: $0) }
    let statement = try PreparedStatement(
      database,
      "INSERT INTO \(index.sqlName) (rowid, \(index.columnList)) VALUES ("
        + columns.map { _ in "?" }.joined(separator: ", ") + ")")
    var cells = Array(repeating: PackedCell.null, count: table.columns.count)
    for row in 0..<rows.count {
      rows.read(row, into: &cells)
      for (place, column) in columns.enumerated() {
        try statement.bind(packed: cells[column], at: place + 1)
      }
      try statement.run()
    }
  }

  /// Writes the tables of all indexes into a file that has them empty.
  ///
  /// - Parameter roots: where the tables stand there, by name.
  func write(to file: PageFile, roots: [String: UInt32]) throws {
    try queue.read { database in
      for name in Self.tables(of: indexes) {
        guard let root = roots[name] else {
          throw StoreError(.database, "the new database has no table \(name)")
        }
        try Self.copy(name, from: database, to: file, root: root)
      }
    }
    try queue.close()
  }

  /// The names of the tables that `write` fills.
  static func tables(of indexes: [FullTextIndexDescription]) -> [String] {
    indexes.flatMap { index in parts(of: index).map { "\(index.name)_\($0)" } }
  }

  private static func copy(
    _ name: String, from database: Database, to file: PageFile, root: UInt32
  ) throws {
    let hasRowIDs = try TableTrees.hasRowIDs(name, in: database)
    let tree = TreeWriter(file, root: root, isTable: hasRowIDs)
    // With row ids the first column is the row id, in all of FTS5's tables that have them.
    let statement = try PreparedStatement(database, "SELECT * FROM \(name) ORDER BY 1, 2")
    let encoder = RecordEncoder(columns: statement.columnCount)
    while try statement.step() {
      encoder.begin()
      var rowID: Int64 = 0
      for column in 0..<statement.columnCount {
        switch statement.cell(column) {
        case .integer(let number) where hasRowIDs && column == 0:
          rowID = number
          encoder.addNull()
        case .null: encoder.addNull()
        case .integer(let number): encoder.add(number)
        case .real(let number): encoder.add(PackedCell.real(number), isReal: false)
        case .text(let text): encoder.add(text: text)
        case .blob(let blob): encoder.add(blob: blob)
        }
      }
      if hasRowIDs {
        try tree.add(encoder.finish(), rowID: rowID)
      } else {
        try tree.add(encoder.finish())
      }
    }
    try tree.finish()
  }
}
