import CatalogModel
import LibC
package import Projections

/// The rows that a document has for one table, packed, in the document's order. A key leads to its row.
///
/// A million rows of nine columns take about 130 MB. `@unchecked Sendable`: one reader fills it, and then its rows are read
/// until one caller frees them.
package final class DocumentRows: @unchecked Sendable {
  package let table: DescribedTable
  /// The columns that the document gives: those of the key first, in key order. Others of the table stay as they are.
  package let columns: [DescribedColumn]
  /// How many columns of `columns` are the key's: all of them if the whole row is the key.
  package let keyCount: Int
  @exclusivity(unchecked) private var arena = ByteArena()
  @exclusivity(unchecked) private var places: [UInt64] = []
  @exclusivity(unchecked) private var origins: [UInt32] = []
  /// The rows by their keys, unless they are sorted.
  @exclusivity(unchecked) private var keys = OrdinalHash()
  @exclusivity(unchecked) private var hasKeys = true
  /// Whether each key is greater than the one before. Then no row can have the key of another, and the rows themselves are
  /// searched: most documents are sorted, and each look into a large hash table waits for memory.
  @exclusivity(unchecked) private var isSorted: Bool
  private let hash = KeyHash()
  private let isWholeRow: Bool
  @exclusivity(unchecked) private var head = RowBuffer()
  /// Rows of a table without a key that are equal to an earlier one, by the number of that one; and each one's number
  /// among its equals, from 1.
  private var repeats: [Int: Int64] = [:]
  private var repetitions: [Int: Int64] = [:]
  /// Rows that count for nothing, as others have their keys.
  private var passedOver: Set<Int> = []

  init(_ table: DescribedTable, columns: [DescribedColumn], keyCount: Int) {
    self.table = table
    self.columns = columns
    self.keyCount = keyCount
    isWholeRow = table.key == .wholeRow
    isSorted = !isWholeRow
  }

  /// How many rows there are.
  package var count: Int { places.count - passedOver.count }

  /// One more than the greatest number of a row.
  var capacity: Int { places.count }

  /// The first row that is equal to a row, in a table whose key is the whole row.
  func firstEqual(_ row: Int) -> Int { find(key: key(row)) ?? row }

  /// How many rows are equal to the first of them.
  func equalCount(_ first: Int) -> Int64 { repeats[first] ?? 1 }

  /// The numbers of the rows, in the document's order.
  package var rows: some Sequence<Int> {
    places.indices.lazy.filter { [passedOver] in passedOver.isEmpty || !passedOver.contains($0) }
  }

  /// The line of a row from 1, or its first byte in a document that is one JSON value.
  package func origin(_ row: Int) -> Int { Int(origins[row]) }

  /// The number of a row among those that are equal to it, from 1, in a table whose key is the whole row.
  package func repetition(_ row: Int) -> Int64 { repetitions[row] ?? 1 }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - row: the packed cells of `columns`.
  ///   - keyLength: how many bytes of it are the key's.
  ///   - origin: its line, or its first byte.
  /// - Returns: the row that has the key already, if there is one; the row is not added then.
  func add(_ row: borrowing RowBuffer, keyLength: Int, origin: Int) -> Int? {
    let bytes = row.bytes
    let key = UnsafeRawBufferPointer(rebasing: bytes[..<keyLength])
    if isSorted, !places.isEmpty, !isAfterLast(key) { indexKeys() }
    var other: Int?
    var hash: UInt32 = 0
    if !isSorted {
      hash = self.hash(of: key)
      other = find(key, hash)
      if let other, !isWholeRow { return other }
    }
    head.removeAll()
    head.append(length: keyLength)
    head.append(length: bytes.count - keyLength)
    let number = places.count
    places.append(arena.append(head.bytes, bytes))
    origins.append(UInt32(clamping: origin))
    if let other {
      let repetition = (repeats[other] ?? 1) + 1
      repeats[other] = repetition
      repetitions[number] = repetition
    } else if !isSorted {
      keys.insert(hash, UInt32(number))
    }
    return nil
  }

  private func isAfterLast(_ key: UnsafeRawBufferPointer) -> Bool {
    DocumentCell.compare(self.key(places.count - 1), key) == .less
  }

  private func indexKeys() {
    isSorted = false
    for row in places.indices where repetitions[row] == nil {
      keys.insert(hash(of: key(row)), UInt32(row))
    }
  }

  /// Makes the rows found by their keys again after `forgetKeys`.
  func rememberKeys() {
    if !hasKeys, !isSorted { indexKeys() }
    hasKeys = true
  }

  /// Frees what finds rows by their keys: 16 MB for a million rows, while the events that put them take memory, too.
  func forgetKeys() {
    keys = OrdinalHash()
    hasKeys = false
  }

  /// Sets aside a row whose key an earlier row has, and that one, too.
  ///
  /// - Parameters:
  ///   - row: the earlier row.
  ///   - origin: of the other row, its line or its first byte.
  ///   - place: words for an origin: `on line 7`.
  /// - Returns: both; the earlier one only the first time.
  func setAside(
    _ row: Int, with origin: Int, _ place: (Int) -> String
  ) -> [TableDocument.SetAside] {
    let key = Array(key(row))
    func setAside(_ own: Int, _ other: Int) -> TableDocument.SetAside {
      TableDocument.SetAside(
        table: table.name, line: own, reason: "its key is also \(place(other))", key: key)
    }
    let isFirst = passedOver.insert(row).inserted
    let later = setAside(origin, self.origin(row))
    return isFirst ? [setAside(self.origin(row), origin), later] : [later]
  }

  func isPassedOver(_ row: Int) -> Bool { passedOver.contains(row) }

  /// The row whose key has these packed bytes.
  ///
  /// - Parameter guess: the number of the row that probably has it.
  func find(key: UnsafeRawBufferPointer, guess: Int = 0) -> Int? {
    if !isWholeRow, guess < places.count, hasKey(guess, key) { return guess }
    return isSorted ? findSorted(key) : find(key, hash(of: key))
  }

  private func find(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> Int? {
    keys.find(hash) { hasKey(Int($0), key) }.map { Int($0) }
  }

  private func findSorted(_ key: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      switch DocumentCell.compare(self.key(middle), key) {
      case .less: low = middle + 1
      case .greater: high = middle
      case .equal: return middle
      }
    }
    return nil
  }

  private func hasKey(_ row: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let bytes = self.key(row)
    guard bytes.count == key.count else { return false }
    guard let left = bytes.baseAddress, let right = key.baseAddress else { return true }
    return memcmp(left, right, key.count) == 0
  }

  private func body(_ row: Int) -> (start: UnsafeRawPointer, key: Int, rest: Int) {
    var pointer = UnsafeRawPointer(arena.pointer(places[row]))
    let key = PackedLength.read(&pointer)
    let rest = PackedLength.read(&pointer)
    return (pointer, key, rest)
  }

  /// The packed bytes of a row's key.
  func key(_ row: Int) -> UnsafeRawBufferPointer {
    let body = body(row)
    return UnsafeRawBufferPointer(start: body.start, count: body.key)
  }

  /// The packed bytes of a row's other cells.
  func rest(_ row: Int) -> UnsafeRawBufferPointer {
    let body = body(row)
    return UnsafeRawBufferPointer(start: body.start + body.key, count: body.rest)
  }

  /// How many bytes the packed cells of a row have.
  func length(_ row: Int) -> Int {
    let body = body(row)
    return body.key + body.rest
  }

  /// Frees the rows. None can be asked for afterwards.
  func removeAll() {
    arena = ByteArena()
    places = []
    origins = []
    keys = OrdinalHash()
  }

  /// Reads the cells of a row, in the order of `columns`; they live as long as the rows.
  package func read(_ row: Int, into cells: inout [PackedCell]) {
    var pointer = body(row).start
    cells.removeAll(keepingCapacity: true)
    for _ in 0..<columns.count { cells.append(DocumentCell.read(&pointer)) }
  }

  /// The values of a row, in the order of `columns`.
  package func values(_ row: Int) -> [Value] {
    var cells: [PackedCell] = []
    read(row, into: &cells)
    return cells.map(\.value)
  }

  /// The value of one column of a row.
  package func value(_ column: Int, of row: Int) -> Value {
    var pointer = body(row).start
    for _ in 0..<column { _ = DocumentCell.read(&pointer) }
    return DocumentCell.read(&pointer).value
  }
}
