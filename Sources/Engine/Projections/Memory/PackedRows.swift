import LibC

/// The rows of one table in key order, for a bulk write.
///
/// They are copied into one piece of memory in that order: rows lie where they arrived, and each later
/// reading of them, by the table and by each index, would wait for memory row by row. `@unchecked
/// Sendable`: nothing changes after `init`, so that one thread may make what another writes.
package final class PackedRows: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  /// Keeps the long blobs of the rows alive.
  private let blobs: BlobPool
  /// Where each row begins; its columns stand packed, those of the key first.
  private let starts: [Int]
  private let forms: [CellCoding.Form]
  /// The columns in the order in which they are packed.
  private let columns: [Int]
  private let keyCount: Int
  /// The place of each column in `columns`.
  private let positions: [Int]

  convenience init(_ table: PackedTable) {
    let places = table.placesInKeyOrder()
    let size = places.reduce(0) { $0 + table.bytes($1).count }
    self.init(table.description, table.blobs, rows: places.count, bytes: size) { rows in
      for place in places {
        rows.beginRow()
        rows.add(table.bytes(place))
      }
    }
  }

  /// Versions of the rows of a table, as rows of a table that has them.
  convenience init(
    _ versions: [(row: UnsafeRawPointer, start: VersionStart, to: UInt64)], of table: PackedTable,
    as description: TableDescription
  ) {
    // An integer has a byte for its length and at most eight others.
    let size = versions.reduce(0) {
      let parts = table.parts($1.row)
      return $0 + parts.key.count + parts.rest.count + 27
    }
    self.init(description, table.blobs, rows: versions.count, bytes: size) { rows in
      for version in versions {
        let parts = table.parts(version.row)
        rows.beginRow()
        rows.add(parts.key)
        rows.add(Int64(clamping: version.start.sequence))
        rows.add(parts.rest)
        rows.add(VersionColumns.end(version.to))
        rows.add(version.start.isMixed ? 1 : 0)
      }
    }
  }

  /// - Parameters:
  ///   - bytes: of all rows together, at most.
  ///   - add: adds the rows, in key order.
  private init(
    _ description: TableDescription, _ blobs: BlobPool, rows: Int, bytes: Int,
    _ add: (inout Copy) -> Void
  ) {
    self.blobs = blobs
    forms = description.columns.map(CellCoding.Form.init)
    let columns = description.keyFirstColumns
    self.columns = columns
    keyCount = description.key.count
    positions = description.columns.indices.map { columns.firstIndex(of: $0) ?? $0 }
    var rows = Copy(rows: rows, bytes: bytes)
    add(&rows)
    (memory, starts) = (rows.memory, rows.starts)
  }

  /// Copies rows one after another.
  private struct Copy: ~Copyable {
    let memory: UnsafeMutableRawPointer
    private(set) var starts: [Int] = []
    private var end = 0
    private var number = RowBuffer()

    init(rows: Int, bytes: Int) {
      memory = .allocate(byteCount: max(bytes, 1), alignment: 16)
      starts.reserveCapacity(rows)
    }

    mutating func beginRow() { starts.append(end) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      if let start = bytes.baseAddress { memcpy(memory + end, start, bytes.count) }
      end += bytes.count
    }

    mutating func add(_ integer: Int64) {
      number.removeAll()
      CellCoding.append(integer, to: &number)
      add(number.bytes)
    }
  }

  deinit {
    memory.deallocate()
  }

  package var count: Int { starts.count }

  /// Reads the cells of a row, in column order, into an array that has a place for each column.
  package func read(_ row: Int, into cells: inout [PackedCell]) {
    var pointer = UnsafeRawPointer(memory + starts[row])
    for position in columns.indices {
      let column = columns[position]
      cells[column] = CellCoding.read(&pointer, forms[column], inKey: position < keyCount)
    }
  }

  // MARK: Order

  /// The numbers of the rows as an index over these columns has them; rows with the same values stay in key order.
  ///
  /// - Parameter condition: which rows the index has; nil if it has all.
  package func order(by columns: [Int], where condition: IndexCondition? = nil) -> [UInt32] {
    var entries: [PrefixOrder.Entry] = []
    if condition == nil { entries.reserveCapacity(count) }
    var isWhole = true
    for row in 0..<count {
      if let condition, !isMet(condition, by: row) { continue }
      entries.append(
        PrefixOrder.Entry(prefix: orderPrefix(row, columns, &isWhole), number: UInt64(row)))
    }
    PrefixOrder.sort(
      &entries,
      areInOrder: isWhole
        ? nil
        : { left, right in
          let order = self.compare(Int(left), Int(right), columns)
          return order != 0 ? order < 0 : left < right
        })
    return entries.map { UInt32($0.number) }
  }

  private func isMet(_ condition: IndexCondition, by row: Int) -> Bool {
    var pointer = UnsafeRawPointer(memory + starts[row])
    let position = positions[condition.column]
    for other in 0..<position {
      _ = CellCoding.read(&pointer, forms[columns[other]], inKey: other < keyCount)
    }
    let cell = CellCoding.read(&pointer, forms[condition.column], inKey: position < keyCount)
    guard case .integer(let integer) = cell else { return false }
    return condition.isMet(by: integer)
  }

  /// Whether two rows have the same values in these columns.
  package func areEqual(_ left: Int, _ right: Int, in columns: [Int]) -> Bool {
    compare(left, right, columns) == 0
  }

  /// The first bytes of these columns, so that their order as a number is that of the rows as far as it
  /// goes; `isWhole` becomes false if there are more.
  private func orderPrefix(_ row: Int, _ columns: [Int], _ isWhole: inout Bool) -> UInt64 {
    var prefix: UInt64 = 0
    var shift: UInt64 = 56
    func add(_ byte: UInt8) {
      prefix |= UInt64(byte) << shift
      shift &-= 8
    }
    for column in columns {
      guard shift <= 56 else {
        isWhole = false
        break
      }
      let (span, isNull) = orderSpan(row, column)
      if forms[column].isNullable { add(isNull ? 0 : 1) }
      var index = 0
      while index < span.count, shift <= 56 {
        add(span[index])
        index += 1
      }
      if index < span.count { isWhole = false }
      if [.blob, .any].contains(forms[column].type) {
        // It may hold zeros: nothing behind it can be told from it.
        isWhole = false
        break
      }
      if forms[column].type == .text, !isNull {
        if shift <= 56 { add(0) } else { isWhole = false }
      }
    }
    return prefix
  }

  /// Less than, equal to or greater than 0, as SQLite orders the rows in an index over these columns.
  private func compare(_ left: Int, _ right: Int, _ columns: [Int]) -> Int32 {
    for column in columns {
      let (left, leftIsNull) = orderSpan(left, column)
      let (right, rightIsNull) = orderSpan(right, column)
      if leftIsNull != rightIsNull { return leftIsNull ? -1 : 1 }
      if let start = left.baseAddress, let other = right.baseAddress {
        let order = memcmp(start, other, min(left.count, right.count))
        if order != 0 { return order }
      }
      if left.count != right.count { return left.count < right.count ? -1 : 1 }
    }
    return 0
  }

  /// The bytes by which a column is ordered. Real numbers have no such bytes: no index here is over
  /// them.
  @inline(__always)
  private func orderSpan(_ row: Int, _ column: Int) -> (UnsafeRawBufferPointer, isNull: Bool) {
    var pointer = UnsafeRawPointer(memory + starts[row])
    let position = positions[column]
    for other in 0..<position {
      _ = CellCoding.read(&pointer, forms[columns[other]], inKey: other < keyCount)
    }
    var start = pointer
    switch CellCoding.read(&pointer, forms[column], inKey: position < keyCount) {
    case .null: return (UnsafeRawBufferPointer(start: start, count: 0), true)
    case .text(let bytes), .blob(let bytes): return (bytes, false)
    case .integer, .real, .id, .time:
      if position >= keyCount, forms[column].isNullable { start += 1 }
      return (UnsafeRawBufferPointer(start: start, count: pointer - start), false)
    }
  }
}
