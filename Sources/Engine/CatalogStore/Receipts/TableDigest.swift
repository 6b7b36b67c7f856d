import CatalogModel
package import GRDB
package import Projections
import Support

/// What a table holds, in 32 bytes: once exact, once without the columns of time.
///
/// SHA-256 over the table's name, its column names, and every row in key order: for each column one
/// byte of storage class (0 null, 1 integer, 2 real, 3 text, 4 blob) and then 8 bytes big-endian for
/// a number, or a length in 8 bytes and the bytes. Pages, rowids and order of arrival do not count.
package struct TableDigest: Hashable, Sendable {
  package let table: String
  package let rows: Int
  /// 64 hex digits.
  package let exact: String
  /// The same without columns of time: equal for any log with the same content.
  package let timeless: String
  /// Whether the same content makes it in every log and on every machine: the words that `unicode61` finds are those of
  /// one version of SQLite, and what was reverted has ids of its log.
  package let isContent: Bool
  /// The timeless digest that the table has without rows, if the content counts it as empty.
  package let empty: String?

  package init(
    table: String, rows: Int, exact: String, timeless: String, isContent: Bool = true,
    empty: String? = nil
  ) {
    self.isContent = isContent
    self.empty = empty
    self.table = table
    self.rows = rows
    self.exact = exact
    self.timeless = timeless
  }

  package init(of table: TableDescription, in database: Database) throws {
    var exact = DigestStream()
    var timeless = DigestStream()
    exact.add(text: table.name)
    timeless.add(text: table.name)
    for (index, column) in table.columns.enumerated() {
      exact.add(text: column.name)
      if table.timelessColumns.contains(index) { timeless.add(text: column.name) }
    }
    var withoutRows = timeless
    let empty = table.isOfOneLog ? withoutRows.finish() : nil
    let isTimeless = table.columns.indices.map { table.timelessColumns.contains($0) }
    let statement = try PreparedStatement(
      database, "SELECT \(table.columnList) FROM \(table.sqlName) ORDER BY \(table.keyList)")
    var rows = 0
    while try statement.step() {
      rows += 1
      for column in table.columns.indices {
        let cell = statement.cell(column)
        exact.add(cell)
        if isTimeless[column] { timeless.add(cell) }
      }
    }
    self.init(
      table: table.name, rows: rows, exact: exact.finish(), timeless: timeless.finish(),
      isContent: !table.isOfOneLog, empty: empty)
  }
}

extension TableDigest {
  /// What a full-text index holds: SHA-256 over its name and every word with row, column and place, in
  /// the index's own order. The words of the table it is over have a digest of their own; this one
  /// tells whether the index says the same. Behind the words come the rows of an index with texts of its own.
  package init(of index: FullTextIndexDescription, in database: Database) throws {
    var digest = DigestStream()
    digest.add(text: index.terms)
    let statement = try PreparedStatement(
      database, "SELECT term, doc, col, offset FROM \(index.terms)")
    var rows = 0
    while try statement.step() {
      rows += 1
      for column in 0..<4 { digest.add(statement.cell(column)) }
    }
    if index.content == .own {
      let texts = try PreparedStatement(
        database,
        "SELECT rowid, \(index.columnList) FROM \(index.sqlName) ORDER BY rowid")
      while try texts.step() {
        for column in 0..<texts.columnCount { digest.add(texts.cell(column)) }
      }
    }
    let text = digest.finish()
    self.init(
      table: index.terms, rows: rows, exact: text, timeless: text,
      isContent: index.tokenizer.isPortable)
  }
}

/// Gathers small pieces so that the hash sees few large ones.
struct DigestStream {
  private var hash = SHA256()
  private var pending: [UInt8] = []
  private static let limit = 1 << 16

  init() {
    pending.reserveCapacity(Self.limit + 64)
  }

  mutating func add(text: String) {
    var text = text
    text.withUTF8 { add(3, UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ cell: PreparedStatement.Cell) {
    switch cell {
    case .null: pending.append(0)
    case .integer(let integer): add(1, UInt64(bitPattern: integer))
    case .real(let real): add(2, real.bitPattern)
    case .text(let bytes): add(3, bytes)
    case .blob(let bytes): add(4, bytes)
    }
    if pending.count > Self.limit { flush() }
  }

  mutating func finish() -> String {
    flush()
    return Hex.string(hash.finalize())
  }

  private mutating func add(_ kind: UInt8, _ number: UInt64) {
    pending.append(kind)
    withUnsafeBytes(of: number.bigEndian) { pending.append(contentsOf: $0) }
  }

  private mutating func add(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) {
    add(kind, UInt64(bytes.count))
    pending.append(contentsOf: bytes)
  }

  private mutating func flush() {
    pending.withUnsafeBytes { hash.update(bufferPointer: $0) }
    pending.removeAll(keepingCapacity: true)
  }
}
