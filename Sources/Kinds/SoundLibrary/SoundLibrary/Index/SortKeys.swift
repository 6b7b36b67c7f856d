import CatalogModel
import CatalogStore
import GRDB

/// The key of each item in one order, as a number: items sort as their keys do, and equal ones by id.
struct SortKeys: Sendable {
  let key: Sort.Key
  /// By item number. Number 0 is nobody's.
  private(set) var keys: [UInt64]

  /// The key of an item that has none: last in either direction.
  static let none = UInt64.max
  /// The keys of titles are below this: two bits are free for a rank.
  static let lastTitle: UInt64 = 1 << 62 - 1
  /// Keys of titles that follow each other differ by this: others fit between them.
  private static let gap: UInt64 = 1 << 32

  /// - Parameter count: one more than the greatest item number.
  init(_ key: Sort.Key, count: Int, _ database: Database) throws {
    self.key = key
    keys = Array(repeating: Self.none, count: count)
    if key == .title {
      try readTitles(database)
    } else {
      let statement = try PreparedStatement(
        database,
        """
        SELECT numbered.number, item.\(key.column), item.id FROM library_item AS item
        CROSS JOIN projection_item AS numbered ON numbered.item_id = item.id
        """)
      let row = statement.row(Self.itemOrigin)
      while try statement.step() {
        keys[try place(try row.integer(0), "projection_item")] = try Self.number(row, 1, key)
      }
    }
  }

  /// Where the key of an item stands.
  private func place(_ number: Int64, _ table: String) throws -> Int {
    guard number > 0, number < keys.count else { throw StoreError.changedByHand(table) }
    return Int(number)
  }

  /// The key's place in the order; smaller ones come first.
  static func place(_ key: UInt64, isDescending: Bool) -> UInt64 {
    isDescending && key != none ? ~key : key
  }

  // MARK: Numbers

  static func number(_ time: Timestamp) -> UInt64 {
    UInt64(bitPattern: time.milliseconds) ^ 1 << 63
  }

  static func number(_ duration: Double) -> UInt64 {
    // Zero has two signs, which are equal to SQLite.
    let bits = (duration == 0 ? 0 : duration).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static let itemOrigin = StoredRow.Origin("library_item", ("id", 2))
  private static let textOrigin = StoredRow.Origin("projection_item_text", ("number", 0))

  private static func number(_ row: StoredRow, _ place: Int, _ key: Sort.Key) throws -> UInt64 {
    key == .duration
      ? try row.optionalReal(place).map(number) ?? none : number(try row.time(place))
  }

  // MARK: Titles

  /// Titles are numbered in their order: texts that are compared in memory would have to be there.
  private mutating func readTitles(_ database: Database) throws {
    let statement = try PreparedStatement(
      database, "SELECT number, title FROM projection_item_text ORDER BY title")
    var label: UInt64 = 0
    var last: [UInt8] = []
    while try statement.step() {
      let place = try place(statement.integer(0), "projection_item_text")
      let title = try statement.text(1, of: Self.textOrigin)
      if label == 0 || !last.elementsEqual(title) {
        label += Self.gap
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: title)
      }
      keys[place] = label
    }
  }

  /// What the titles of the list that are greater than one have as their smallest key, and whether there
  /// is an equal one.
  ///
  /// - Returns: the key of the first title that is not smaller, and whether it is equal; nil if all
  ///   are smaller.
  func title(notBefore text: String, _ database: Database) throws -> (key: UInt64, isEqual: Bool)? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT number, title = ?1 FROM projection_item_text WHERE title >= ?1
        ORDER BY title LIMIT 1
        """)
    return try statement.firstRow(of: Self.textOrigin, [text]) { row in
      (keys[try place(try row.integer(0), "projection_item_text")], try row.flag(1))
    }
  }

  /// The keys of titles that begin with a text, and of the one that is equal to it.
  struct Titles {
    fileprivate let range: Range<UInt64>
    let equal: UInt64?

    func contains(_ key: UInt64) -> Bool { range.contains(key) }
  }

  func titles(beginningWith text: String, _ database: Database) throws -> Titles {
    guard let first = try title(notBefore: text, database) else {
      return Titles(range: 0..<0, equal: nil)
    }
    let end = try Self.successor(of: text).flatMap { try title(notBefore: $0, database)?.key }
    return Titles(
      range: first.key..<max(first.key, end ?? Self.lastTitle),
      equal: first.isEqual ? first.key : nil)
  }

  /// The first text behind all that begin with one, in the order of bytes, which is that of scalars; nil
  /// if there is none.
  static func successor(of text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    while let last = scalars.popLast() {
      // Between these two lie the surrogates, which are no scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      return String(String.UnicodeScalarView(scalars + [scalar]))
    }
    return nil
  }

  // MARK: Changes

  /// The keys after items have changed; nil if to read all of them anew is less work.
  func changed(
    _ items: [(number: UInt32, id: EntityID)], count: Int, _ database: Database
  ) throws -> SortKeys? {
    guard items.count <= (key == .title ? 64 : max(64, keys.count / 20)) else { return nil }
    var changed = self
    if count > keys.count {
      changed.keys.append(contentsOf: repeatElement(Self.none, count: count - keys.count))
    }
    if key == .title {
      return try changed.moveTitles(of: items.map(\.number), database) ? changed : nil
    }
    let sql = "SELECT NULL, \(key.column), id FROM library_item WHERE id = ?"
    for item in items {
      let number = try database.cachedStatement(sql: sql)
        .firstRow(of: Self.itemOrigin, [item.id.description]) { try Self.number($0, 1, key) }
      if let number { changed.keys[Int(item.number)] = number }
    }
    return changed
  }

  /// Gives items keys between those of their neighbours; false if there is no room left.
  private mutating func moveTitles(of numbers: [UInt32], _ database: Database) throws -> Bool {
    // Keys of these are not to be believed until they were given anew.
    var pending = Set(numbers)
    for number in numbers {
      let statement = try database.cachedStatement(
        sql: "SELECT number, title FROM projection_item_text WHERE number = ?")
      let stored = try statement.firstRow(of: Self.textOrigin, [Int64(number)]) { try $0.text(1) }
      guard let title = stored else { continue }
      if let equal = try neighbour("= ?1", "ASC", title, pending, database) {
        keys[Int(number)] = equal
      } else {
        let before = try neighbour("< ?1", "DESC", title, pending, database) ?? 0
        let after =
          try neighbour("> ?1", "ASC", title, pending, database) ?? before + 2 * Self.gap
        guard after > before, after - before > 1, after < Self.lastTitle else { return false }
        keys[Int(number)] = before + (after - before) / 2
      }
      pending.remove(number)
    }
    return true
  }

  private func neighbour(
    _ condition: String, _ order: String, _ title: String, _ pending: Set<UInt32>,
    _ database: Database
  ) throws -> UInt64? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT number FROM projection_item_text WHERE title \(condition) ORDER BY title \(order)
        """)
    let numbers = try Row.fetchCursor(statement, arguments: [title])
    let row = StoredRow(statement.sqliteStatement, Self.textOrigin)
    while try numbers.next() != nil {
      let place = try place(try row.integer(0), "projection_item_text")
      if !pending.contains(UInt32(place)) { return keys[place] }
    }
    return nil
  }
}
