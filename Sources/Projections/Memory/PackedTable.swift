#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The rows of one table, packed into bytes: a join row takes about 50 bytes with its hash entry
/// where arrays of values would take 300.
///
/// A row is: length of the key, length of the rest, the key's columns in key order, the other columns
/// in column order. Rows have ordinals in order of arrival; an index other than the key is built when
/// it is first asked for and threads the ordinals of equal rows into a list.
///
/// `@exclusivity(unchecked)`: a rebuild changes these some ten million times, and checking each time that
/// nobody else does took a fourteenth of it. No method hands out anything that calls back.
final class PackedTable {
  let description: TableDescription

  @exclusivity(unchecked) private var arena = ByteArena()
  /// Where each ordinal's row lies, with the top bit where the ordinal is dead: removed, or replaced
  /// by another. A dead row stays readable, for it may head the list of an index.
  @exclusivity(unchecked) private var places: [UInt32] = []
  @exclusivity(unchecked) private var keys = OrdinalHash()
  @exclusivity(unchecked) private var lists: [OrdinalList?]
  @exclusivity(unchecked) private(set) var count = 0
  /// Bytes and ordinals that no live row uses any more.
  @exclusivity(unchecked) private var wastedBytes = 0
  @exclusivity(unchecked) private var usedBytes = 0

  private let valueColumns: [Int]
  private let forms: [CellCoding.Form]
  private let seed: UInt64
  @exclusivity(unchecked) private var scratch: [UInt8] = []
  @exclusivity(unchecked) private var keyScratch: [UInt8] = []
  @exclusivity(unchecked) private var headScratch: [UInt8] = []
  @exclusivity(unchecked) private var indexScratch: [UInt8] = []
  /// The columns of each index. Those of the description cost a count of references each time.
  private let indexColumns: [[Int]]
  private let isInKey: [Bool]
  @exclusivity(unchecked) private(set) var greatestKey: Int64?

  private static let dead: UInt32 = 1 << 31

  /// The ordinals of rows with equal indexed columns, newest first. May name dead ordinals.
  private struct OrdinalList {
    var heads = OrdinalHash()
    var next: [UInt32] = []
    static let end = UInt32.max
  }

  init(_ description: TableDescription) {
    self.description = description
    forms = description.columns.map(CellCoding.Form.init)
    valueColumns = description.columns.indices.filter { !description.key.contains($0) }
    indexColumns = description.indexes.map(\.columns)
    isInKey = description.columns.indices.map(description.key.contains)
    lists = Array(repeating: nil, count: description.indexes.count)
    // Hash order reaches no row: rows leave in key order. A seed of its own keeps crafted ids from
    // all meeting in one slot.
    seed = UInt64.random(in: .min ... .max)
  }

  // MARK: Changing

  func put(_ row: [Value]) throws {
    precondition(row.count == forms.count)
    keyScratch.removeAll(keepingCapacity: true)
    for column in description.key {
      CellCoding.append(row[column], forms[column], inKey: true, to: &keyScratch)
    }
    scratch.removeAll(keepingCapacity: true)
    for column in valueColumns {
      CellCoding.append(row[column], forms[column], inKey: false, to: &scratch)
    }
    let place = try store()
    let hash = self.hash(keyScratch)
    if let ordinal = find(hash) {
      replace(ordinal, hash, with: place)
    } else {
      let ordinal = add(place)
      keys.insert(hash, ordinal)
      count += 1
    }
    if description.key.count == 1, case .integer(let key) = row[description.key[0]] {
      greatestKey = max(greatestKey ?? key, key)
    }
    if wastedBytes > 1 << 20, wastedBytes > usedBytes / 2 { try compact() }
  }

  func remove(key: [Value]) {
    pack(key: key)
    let hash = self.hash(keyScratch)
    guard let ordinal = find(hash) else { return }
    keys.remove(hash, ordinal)
    wastedBytes += length(places[Int(ordinal)])
    places[Int(ordinal)] |= Self.dead
    count -= 1
    if description.key.count == 1, case .integer(let removed) = key[0], removed == greatestKey {
      greatestKey = nil
      forEachLive { place in
        if case .integer(let other) = cell(place, description.key[0]) {
          greatestKey = max(greatestKey ?? other, other)
        }
      }
    }
  }

  /// Stores the key and the other columns, which stand packed in the scratch arrays.
  private func store() throws -> UInt32 {
    headScratch.removeAll(keepingCapacity: true)
    CellCoding.append(length: keyScratch.count, to: &headScratch)
    CellCoding.append(length: scratch.count, to: &headScratch)
    usedBytes += headScratch.count + keyScratch.count + scratch.count
    guard let place = arena.append(headScratch, keyScratch, scratch), place < Self.dead else {
      throw ProjectionError(
        .limit, "table \(description.name) outgrew 2 GiB in memory")
    }
    return place
  }

  private func add(_ place: UInt32) -> UInt32 {
    let ordinal = UInt32(places.count)
    places.append(place)
    for index in lists.indices where lists[index] != nil { link(ordinal, index) }
    return ordinal
  }

  private func replace(_ ordinal: UInt32, _ hash: UInt32, with place: UInt32) {
    let old = places[Int(ordinal)]
    wastedBytes += length(old)
    let movesInIndex = lists.indices.contains { index in
      lists[index] != nil && !matches(old, index, indexKey(place, index))
    }
    if movesInIndex {
      // A list cannot be left cheaply: the old ordinal dies in it, a new one joins the other.
      places[Int(ordinal)] |= Self.dead
      keys.replace(hash, ordinal, with: add(place))
    } else {
      places[Int(ordinal)] = place
    }
  }

  /// Writes the live rows anew, without what was removed and replaced.
  private func compact() throws {
    var fresh = ByteArena()
    var freshPlaces: [UInt32] = []
    freshPlaces.reserveCapacity(count)
    keys = OrdinalHash()
    usedBytes = 0
    var isFull = false
    forEachLive { place in
      let length = length(place)
      let bytes = UnsafeRawBufferPointer(start: arena.pointer(place), count: length)
      guard let moved = fresh.append(bytes), moved < Self.dead else {
        isFull = true
        return
      }
      let key = keyBytes(place)
      keys.insert(hash(key), UInt32(freshPlaces.count))
      freshPlaces.append(moved)
      usedBytes += length
    }
    guard !isFull else {
      throw ProjectionError(.limit, "table \(description.name) outgrew 2 GiB in memory")
    }
    arena = fresh
    places = freshPlaces
    lists = Array(repeating: nil, count: lists.count)
    wastedBytes = 0
  }

  // MARK: Finding

  func row(key: [Value]) -> [Value]? {
    pack(key: key)
    return find(hash(keyScratch)).map { row(places[Int($0)]) }
  }

  func value(_ column: Int, key: [Value]) -> Value? {
    pack(key: key)
    return find(hash(keyScratch)).map { cell(places[Int($0)], column).value }
  }

  func rows(index: Int, equal values: [Value]) -> [[Value]] {
    var found: [UInt32] = []
    forEachPlace(index: index, equal: values) { found.append($0) }
    if found.count > 1 { found.sort(by: isKeyBefore) }
    return found.map(row)
  }

  /// The column of the first of these rows in key order.
  func value(_ column: Int, index: Int, equal values: [Value]) -> Value? {
    var first: UInt32?
    forEachPlace(index: index, equal: values) { place in
      if let other = first, isKeyBefore(other, place) { return }
      first = place
    }
    return first.map { cell($0, column).value }
  }

  @inline(__always)
  private func forEachPlace(index: Int, equal values: [Value], _ body: (UInt32) -> Void) {
    if lists[index] == nil {
      lists[index] = OrdinalList()
      lists[index]?.next.reserveCapacity(places.capacity)
      for ordinal in places.indices { link(UInt32(ordinal), index) }
    }
    indexScratch.removeAll(keepingCapacity: true)
    for (position, column) in indexColumns[index].enumerated() {
      CellCoding.append(
        values[position], forms[column], inKey: isInKey[column], to: &indexScratch)
    }
    guard
      var ordinal = lists[index]?.heads.find(
        hash(indexScratch), matches: { matches(places[Int($0)] & ~Self.dead, index, indexScratch) })
    else { return }
    while ordinal != OrdinalList.end {
      let place = places[Int(ordinal)]
      if place < Self.dead { body(place) }
      ordinal = lists[index]?.next[Int(ordinal)] ?? OrdinalList.end
    }
  }

  /// The places of all rows, in key order.
  func placesInKeyOrder() -> [UInt32] {
    var entries: [PrefixOrder.Entry] = []
    entries.reserveCapacity(count)
    forEachLive { place in
      entries.append(PrefixOrder.Entry(prefix: keyPrefix(place), number: place))
    }
    PrefixOrder.sort(&entries, areInOrder: isKeyBefore)
    return entries.map(\.number)
  }

  /// The bytes of a row: its key and its other columns, as `PackedRows` reads them.
  func bytes(_ place: UInt32) -> UnsafeRawBufferPointer {
    var pointer = UnsafeRawPointer(arena.pointer(place))
    let key = CellCoding.readLength(&pointer)
    let rest = CellCoding.readLength(&pointer)
    return UnsafeRawBufferPointer(start: pointer, count: key + rest)
  }

  // MARK: Bytes

  private func pack(key: [Value]) {
    keyScratch.removeAll(keepingCapacity: true)
    for (column, value) in zip(description.key, key) {
      CellCoding.append(value, forms[column], inKey: true, to: &keyScratch)
    }
  }

  private func find(_ hash: UInt32) -> UInt32? {
    keyScratch.withUnsafeBytes { wanted in
      keys.find(hash) { ordinal in
        let key = keyBytes(places[Int(ordinal)])
        return key.count == wanted.count && order(key, wanted, key.count) == 0
      }
    }
  }

  private func link(_ ordinal: UInt32, _ index: Int) {
    let key = indexKey(places[Int(ordinal)] & ~Self.dead, index)
    let hash = self.hash(key)
    let head = lists[index]?.heads.find(
      hash, matches: { matches(places[Int($0)] & ~Self.dead, index, key) })
    if let head {
      lists[index]?.next.append(head)
      lists[index]?.heads.replace(hash, head, with: ordinal)
    } else {
      lists[index]?.next.append(OrdinalList.end)
      lists[index]?.heads.insert(hash, ordinal)
    }
  }

  /// Whether the row's indexed columns have these bytes.
  private func matches(_ place: UInt32, _ index: Int, _ wanted: [UInt8]) -> Bool {
    var isEqual = true
    var end = 0
    wanted.withUnsafeBytes { wanted in
      forEachIndexedColumn(place, index) { bytes in
        guard isEqual, end + bytes.count <= wanted.count,
          order(bytes, UnsafeRawBufferPointer(rebasing: wanted[end...]), bytes.count) == 0
        else {
          isEqual = false
          return
        }
        end += bytes.count
      }
    }
    return isEqual && end == wanted.count
  }

  private func indexKey(_ place: UInt32, _ index: Int) -> [UInt8] {
    var key: [UInt8] = []
    forEachIndexedColumn(place, index) { key.append(contentsOf: $0) }
    return key
  }

  @inline(__always)
  private func forEachIndexedColumn(
    _ place: UInt32, _ index: Int, _ visit: (UnsafeRawBufferPointer) -> Void
  ) {
    for column in indexColumns[index] {
      var pointer = body(place)
      if !visitColumn(column, in: description.key, inKey: true, &pointer, visit) {
        _ = visitColumn(column, in: valueColumns, inKey: false, &pointer, visit)
      }
    }
  }

  @inline(__always)
  private func visitColumn(
    _ wanted: Int, in columns: [Int], inKey: Bool, _ pointer: inout UnsafeRawPointer,
    _ visit: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    for column in columns {
      let start = pointer
      _ = CellCoding.read(&pointer, forms[column], inKey: inKey)
      if column == wanted {
        visit(UnsafeRawBufferPointer(start: start, count: pointer - start))
        return true
      }
    }
    return false
  }

  private func cell(_ place: UInt32, _ column: Int) -> PackedCell {
    var pointer = body(place)
    for keyColumn in description.key {
      let cell = CellCoding.read(&pointer, forms[keyColumn], inKey: true)
      if keyColumn == column { return cell }
    }
    for valueColumn in valueColumns {
      let cell = CellCoding.read(&pointer, forms[valueColumn], inKey: false)
      if valueColumn == column { return cell }
    }
    return .null
  }

  private func read(_ place: UInt32, into cells: inout [PackedCell]) {
    var pointer = body(place)
    for column in description.key {
      cells[column] = CellCoding.read(&pointer, forms[column], inKey: true)
    }
    for column in valueColumns {
      cells[column] = CellCoding.read(&pointer, forms[column], inKey: false)
    }
  }

  private func row(_ place: UInt32) -> [Value] {
    var cells = Array(repeating: PackedCell.null, count: forms.count)
    read(place, into: &cells)
    return cells.map(\.value)
  }

  private func forEachLive(_ body: (UInt32) -> Void) {
    for place in places where place < Self.dead { body(place) }
  }

  @inline(__always)
  private func keyBytes(_ place: UInt32) -> UnsafeRawBufferPointer {
    var pointer = UnsafeRawPointer(arena.pointer(place))
    let count = CellCoding.readLength(&pointer)
    _ = CellCoding.readLength(&pointer)
    return UnsafeRawBufferPointer(start: pointer, count: count)
  }

  private func body(_ place: UInt32) -> UnsafeRawPointer {
    UnsafeRawPointer(keyBytes(place).baseAddress ?? UnsafeRawPointer(arena.pointer(place)))
  }

  /// Bytes of the whole row with its head.
  private func length(_ place: UInt32) -> Int {
    let start = UnsafeRawPointer(arena.pointer(place))
    var pointer = start
    let key = CellCoding.readLength(&pointer)
    let rest = CellCoding.readLength(&pointer)
    return pointer - start + key + rest
  }

  private func keyPrefix(_ place: UInt32) -> UInt64 {
    let key = keyBytes(place)
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | (index < key.count ? UInt64(key[index]) : 0) }
    return prefix
  }

  private func isKeyBefore(_ left: UInt32, _ right: UInt32) -> Bool {
    let left = keyBytes(left)
    let right = keyBytes(right)
    let order = order(left, right, min(left.count, right.count))
    return order != 0 ? order < 0 : left.count < right.count
  }

  @inline(__always)
  private func order(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ count: Int
  ) -> Int32 {
    guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
    return memcmp(left, right, count)
  }

  private func hash(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { hash($0) }
  }

  @inline(__always)
  private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var state = seed ^ UInt64(bytes.count)
    var index = 0
    while index + 8 <= bytes.count {
      state = mix(state ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    return UInt32(truncatingIfNeeded: mix(state ^ rest) >> 16)
  }

  @inline(__always)
  private func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
