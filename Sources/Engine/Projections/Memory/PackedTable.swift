import LibC
import Support

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

  @exclusivity(unchecked) var arena = ByteArena()
  /// Where each ordinal's row lies, with the top bit if the ordinal is dead: removed, or replaced
  /// by another. A dead row stays readable but for its long blobs, for it may head the list of an index.
  @exclusivity(unchecked) var places: [UInt64] = []
  @exclusivity(unchecked) private var keys = OrdinalHash()
  @exclusivity(unchecked) private(set) var count = 0
  /// Bytes and ordinals that no live row uses any more.
  @exclusivity(unchecked) private var wastedBytes = 0
  @exclusivity(unchecked) private var usedBytes = 0
  @exclusivity(unchecked) private(set) var greatestKey: Int64?

  let keyColumns: FixedArray<Int>
  let valueColumns: FixedArray<Int>
  let forms: FixedArray<CellCoding.Form>
  private let isInKey: FixedArray<Bool>
  /// Those of the description, and behind them those that only tell whether rows are unique.
  private let indexes: UnsafeMutableBufferPointer<RowIndex>
  /// The indexes over columns in which no two rows have the same.
  private let uniqueIndexes: FixedArray<Int>
  let hash = KeyHash()
  let blobs: BlobPool
  private let limits: RowLimits
  /// Nil if only the present rows are asked for.
  let versions: RowVersions?
  /// The key of a row that is looked for; of one that is put, its other columns behind it.
  @exclusivity(unchecked) private var packed = RowBuffer()
  @exclusivity(unchecked) private var packedHead = RowBuffer()
  /// Indexed columns that are looked for.
  @exclusivity(unchecked) private var packedColumns = RowBuffer()

  static let dead: UInt64 = 1 << 63

  init(
    _ description: TableDescription, _ blobs: BlobPool, _ limits: RowLimits,
    versions: RowVersions? = nil
  ) {
    self.description = description
    self.versions = versions
    self.blobs = blobs
    self.limits = limits
    let key = description.key
    keyColumns = FixedArray(key)
    valueColumns = FixedArray(description.columns.indices.filter { !key.contains($0) })
    forms = FixedArray(description.columns.map(CellCoding.Form.init))
    isInKey = FixedArray(description.columns.indices.map(key.contains))
    var indexed = description.indexes.map(\.columns)
    uniqueIndexes = FixedArray(
      description.uniques.map { unique in
        if let known = indexed.firstIndex(where: { Set($0) == Set(unique) }) { return known }
        indexed.append(unique)
        return indexed.count - 1
      })
    indexes = .allocate(capacity: indexed.count)
    for (place, columns) in indexed.enumerated() {
      indexes.initializeElement(at: place, to: RowIndex(columns: columns))
    }
  }

  deinit {
    indexes.deinitialize()
    indexes.deallocate()
  }

  // MARK: Changing

  func put(_ row: [Value]) throws {
    guard description.hasBlobs else { return try store(row) }
    do {
      try store(row)
      blobs.commit()
    } catch {
      blobs.rollBack()
      throw error
    }
  }

  private func store(_ row: [Value]) throws {
    if places.count >= limits.ordinals {
      compact()
      guard places.count < limits.ordinals else { throw limits.excess(of: description) }
    }
    guard row.count == forms.count else { throw description.misfit(row) }
    packed.removeAll()
    for position in keyColumns.indices {
      let column = keyColumns[position]
      guard CellCoding.append(row[column], forms[column], inKey: true, to: &packed, blobs: blobs)
      else {
        throw description.misfit(row)
      }
    }
    let keyLength = packed.count
    for position in valueColumns.indices {
      let column = valueColumns[position]
      guard CellCoding.append(row[column], forms[column], inKey: false, to: &packed, blobs: blobs)
      else {
        throw description.misfit(row)
      }
    }
    let place = storePacked(keyLength: keyLength)
    let key = UnsafeRawBufferPointer(rebasing: packed.bytes[..<keyLength])
    let hash = self.hash(of: key)
    let old = find(key, hash)
    for position in uniqueIndexes.indices {
      guard isUnique(place, uniqueIndexes[position], besides: old, row) else {
        wastedBytes += length(place)
        throw description.duplicate(of: row, in: description.uniques[position])
      }
    }
    if let ordinal = old {
      // A row that is written as it is goes on with its version.
      if versions != nil, isSameRow(places[Int(ordinal)], place) { return waste(place) }
      replace(ordinal, hash, with: place)
    } else {
      let ordinal = add(place)
      keys.insert(hash, ordinal)
      count += 1
    }
    if keyColumns.count == 1, case .integer(let key) = row[keyColumns[0]] {
      greatestKey = max(greatestKey ?? key, key)
    }
    if wastedBytes > 1 << 20, wastedBytes > usedBytes / 2 { compact() }
  }

  func remove(key: [Value]) throws {
    try pack(key: key)
    let hash = self.hash(of: packed.bytes)
    guard let ordinal = find(packed.bytes, hash) else { return }
    keys.remove(hash, ordinal)
    end(ordinal, isRemoved: true)
    places[Int(ordinal)] |= Self.dead
    count -= 1
    if keyColumns.count == 1, case .integer(let removed) = key[0], removed == greatestKey {
      greatestKey = nil
      forEachLive { place in
        if case .integer(let other) = cell(place, keyColumns[0]) {
          greatestKey = max(greatestKey ?? other, other)
        }
      }
    }
  }

  /// Whether no other row has the same values in the columns of an index; NULL is the same as nothing.
  ///
  /// - Parameters:
  ///   - place: of the row that is put, which is in no index yet.
  ///   - ordinal: of the row that it replaces.
  private func isUnique(
    _ place: UInt64, _ index: Int, besides ordinal: UInt32?, _ row: [Value]
  ) -> Bool {
    for position in indexes[index].columns.indices {
      if case .null = row[indexes[index].columns[position]] { return true }
    }
    if !indexes[index].isBuilt { build(index) }
    packColumns(of: place, index)
    let wanted = packedColumns.bytes
    if let ordinal, matches(places[Int(ordinal)], index, wanted) { return true }
    guard
      var other = indexes[index].heads.find(
        hash(of: wanted), matches: { matches(places[Int($0)] & ~Self.dead, index, wanted) })
    else { return true }
    while other != RowIndex.end {
      if places[Int(other)] < Self.dead, other != ordinal { return false }
      other = indexes[index].next[Int(other)]
    }
    return true
  }

  /// Stores the packed row.
  private func storePacked(keyLength: Int) -> UInt64 {
    packedHead.removeAll()
    packedHead.append(length: keyLength)
    packedHead.append(length: packed.count - keyLength)
    usedBytes += packedHead.count + packed.count
    return arena.append(packedHead.bytes, packed.bytes)
  }

  /// Notes that no live row uses these bytes any more.
  private func waste(_ place: UInt64) {
    wastedBytes += length(place)
    releaseBlobs(arena.pointer(place))
  }

  /// Releases the long blobs of a row that is gone.
  func releaseBlobs(_ row: UnsafeRawPointer) {
    guard description.hasBlobs else { return }
    forEachCell(after: head(at: row).body) { _, cell in
      if case .blob(let bytes) = cell, bytes.count >= BlobPool.leastLength,
        let address = bytes.baseAddress
      {
        blobs.release(address)
      }
    }
  }

  /// Ends a row: its bytes are of no use any more, or it is an ended version.
  private func end(_ ordinal: UInt32, isRemoved: Bool = false) {
    let place = places[Int(ordinal)]
    guard let versions else { return waste(place) }
    let row = UnsafeRawBufferPointer(start: arena.pointer(place), count: length(place))
    if versions.end(ordinal, row) {
      // The version keeps the long blobs.
      wastedBytes += row.count
    } else {
      if isRemoved { versions.removed(keyBytes(place)) }
      waste(place)
    }
  }

  private func add(_ place: UInt64) -> UInt32 {
    let ordinal = UInt32(places.count)
    places.append(place)
    versions?.begin(ordinal)
    for index in indexes.indices where indexes[index].isBuilt { link(ordinal, index) }
    return ordinal
  }

  private func replace(_ ordinal: UInt32, _ hash: UInt32, with place: UInt64) {
    let old = places[Int(ordinal)]
    // Written before in this batch, by another event.
    let isMixed = versions?.isMixed(by: ordinal) ?? false
    end(ordinal)
    let movesInIndex = indexes.indices.contains { index in
      guard indexes[index].isBuilt else { return false }
      packColumns(of: place, index)
      return !matches(old, index, packedColumns.bytes)
    }
    if movesInIndex {
      // A list cannot be left cheaply: the old ordinal dies in it, a new one joins the other.
      places[Int(ordinal)] |= Self.dead
      let moved = add(place)
      keys.replace(hash, ordinal, with: moved)
      if isMixed { versions?.mix(moved) }
    } else {
      places[Int(ordinal)] = place
      versions?.begin(ordinal)
      if isMixed { versions?.mix(ordinal) }
    }
  }

  /// Copies the live rows, without what was removed and replaced.
  private func compact() {
    var fresh = ByteArena()
    var freshPlaces: [UInt64] = []
    freshPlaces.reserveCapacity(count)
    if let versions {
      versions.keep(places.indices.filter { places[$0] < Self.dead })
    }
    keys = OrdinalHash()
    usedBytes = 0
    forEachLive { place in
      let length = length(place)
      let bytes = UnsafeRawBufferPointer(start: arena.pointer(place), count: length)
      let moved = fresh.append(bytes)
      let key = keyBytes(place)
      keys.insert(hash(of: key), UInt32(freshPlaces.count))
      freshPlaces.append(moved)
      usedBytes += length
    }
    arena = fresh
    places = freshPlaces
    for index in indexes.indices { indexes[index].clear() }
    wastedBytes = 0
  }

  // MARK: Finding

  func row(key: [Value]) throws -> [Value]? {
    try pack(key: key)
    return find(packed.bytes, hash(of: packed.bytes)).map { row(places[Int($0)]) }
  }

  /// In key order.
  var rows: [[Value]] {
    placesInKeyOrder().map(row)
  }

  func value(_ column: Int, key: [Value]) throws -> Value? {
    try pack(key: key)
    return find(packed.bytes, hash(of: packed.bytes)).map { cell(places[Int($0)], column).value }
  }

  func rows(index: Int, equal values: [Value]) throws -> [[Value]] {
    var found: [UInt64] = []
    try forEachPlace(index: index, equal: values) { found.append($0) }
    if found.count > 1 { found.sort(by: isKeyBefore) }
    return found.map(row)
  }

  /// The column of the first of these rows in key order.
  func value(_ column: Int, index: Int, equal values: [Value]) throws -> Value? {
    var first: UInt64?
    try forEachPlace(index: index, equal: values) { place in
      if let other = first, isKeyBefore(other, place) { return }
      first = place
    }
    return first.map { cell($0, column).value }
  }

  @inline(__always)
  private func forEachPlace(
    index: Int, equal values: [Value], _ body: (UInt64) -> Void
  ) throws {
    if !indexes[index].isBuilt { build(index) }
    guard values.count == indexes[index].columns.count else {
      throw description.misfit(values, by: index)
    }
    packedColumns.removeAll()
    // A blob that is only searched for is not kept.
    defer { if description.hasBlobs { blobs.rollBack() } }
    for position in indexes[index].columns.indices {
      let column = indexes[index].columns[position]
      guard
        CellCoding.append(
          values[position], forms[column], inKey: isInKey[column], to: &packedColumns,
          blobs: blobs)
      else { throw description.misfit(values, by: index) }
    }
    let wanted = packedColumns.bytes
    guard
      var ordinal = indexes[index].heads.find(
        hash(of: wanted), matches: { matches(places[Int($0)] & ~Self.dead, index, wanted) })
    else { return }
    while ordinal != RowIndex.end {
      let place = places[Int(ordinal)]
      if place < Self.dead { body(place) }
      ordinal = indexes[index].next[Int(ordinal)]
    }
  }

  /// The places of all rows, in key order.
  func placesInKeyOrder() -> [UInt64] {
    var entries: [PrefixOrder.Entry] = []
    entries.reserveCapacity(count)
    forEachLive { place in
      entries.append(PrefixOrder.Entry(prefix: Self.keyPrefix(keyBytes(place)), number: place))
    }
    PrefixOrder.sort(&entries, areInOrder: isKeyBefore)
    return entries.map(\.number)
  }

  /// The bytes of a row: its key and its other columns, as `PackedRows` reads them.
  func bytes(_ place: UInt64) -> UnsafeRawBufferPointer {
    let head = head(place)
    return UnsafeRawBufferPointer(start: head.body, count: head.key + head.rest)
  }

  // MARK: Bytes

  private func pack(key: [Value]) throws {
    guard key.count == keyColumns.count else { throw description.misfit(key: key) }
    packed.removeAll()
    for position in keyColumns.indices {
      guard
        CellCoding.append(
          key[position], forms[keyColumns[position]], inKey: true, to: &packed, blobs: blobs)
      else { throw description.misfit(key: key) }
    }
  }

  @inline(__always)
  func find(_ wanted: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32? {
    keys.find(hash) { ordinal in
      let key = keyBytes(places[Int(ordinal)])
      return key.count == wanted.count && order(key, wanted, key.count) == 0
    }
  }

  private func build(_ index: Int) {
    indexes[index].isBuilt = true
    indexes[index].next.reserveCapacity(places.capacity)
    for ordinal in places.indices { link(UInt32(ordinal), index) }
  }

  private func link(_ ordinal: UInt32, _ index: Int) {
    packColumns(of: places[Int(ordinal)] & ~Self.dead, index)
    let wanted = packedColumns.bytes
    let hash = self.hash(of: wanted)
    let head = indexes[index].heads.find(
      hash, matches: { matches(places[Int($0)] & ~Self.dead, index, wanted) })
    if let head {
      indexes[index].next.append(head)
      indexes[index].heads.replace(hash, head, with: ordinal)
    } else {
      indexes[index].next.append(RowIndex.end)
      indexes[index].heads.insert(hash, ordinal)
    }
  }

  /// Packs the columns of a row that an index is over.
  private func packColumns(of place: UInt64, _ index: Int) {
    packedColumns.removeAll()
    forEachIndexedColumn(place, index) { packedColumns.append($0) }
  }

  /// Whether the row's indexed columns have these bytes.
  private func matches(
    _ place: UInt64, _ index: Int, _ wanted: UnsafeRawBufferPointer
  ) -> Bool {
    var isEqual = true
    var end = 0
    forEachIndexedColumn(place, index) { bytes in
      guard isEqual, end + bytes.count <= wanted.count,
        order(bytes, UnsafeRawBufferPointer(rebasing: wanted[end...]), bytes.count) == 0
      else {
        isEqual = false
        return
      }
      end += bytes.count
    }
    return isEqual && end == wanted.count
  }

  @inline(__always)
  private func forEachIndexedColumn(
    _ place: UInt64, _ index: Int, _ visit: (UnsafeRawBufferPointer) -> Void
  ) {
    for position in indexes[index].columns.indices {
      let column = indexes[index].columns[position]
      let span = bytes(of: column, place)
      visit(span)
    }
  }

  /// The packed bytes of one column.
  @inline(__always)
  private func bytes(of wanted: Int, _ place: UInt64) -> UnsafeRawBufferPointer {
    let inKey = isInKey[wanted]
    let head = head(place)
    var pointer = inKey ? head.body : head.body + head.key
    for position in 0..<(inKey ? keyColumns.count : valueColumns.count) {
      let column = inKey ? keyColumns[position] : valueColumns[position]
      let start = pointer
      _ = CellCoding.read(&pointer, forms[column], inKey: inKey)
      if column == wanted { return UnsafeRawBufferPointer(start: start, count: pointer - start) }
    }
    preconditionFailure("no column \(wanted)")
  }

  private func cell(_ place: UInt64, _ column: Int) -> PackedCell {
    var pointer = bytes(of: column, place).baseAddress ?? head(place).body
    return CellCoding.read(&pointer, forms[column], inKey: isInKey[column])
  }

  private func row(_ place: UInt64) -> [Value] {
    [Value](unsafeUninitializedCapacity: forms.count) { row, count in
      forEachCell(after: head(place).body) { row.initializeElement(at: $0, to: $1.value) }
      count = forms.count
    }
  }

  /// Reads the cells of a row, those of the key first, each with its column.
  @inline(__always)
  func forEachCell(after body: UnsafeRawPointer, _ visit: (Int, PackedCell) -> Void) {
    var pointer = body
    for position in keyColumns.indices {
      let column = keyColumns[position]
      visit(column, CellCoding.read(&pointer, forms[column], inKey: true))
    }
    for position in valueColumns.indices {
      let column = valueColumns[position]
      visit(column, CellCoding.read(&pointer, forms[column], inKey: false))
    }
  }

  /// Visits the cells of each row in column order.
  func forEachRow(_ visit: ([PackedCell]) throws -> Void) rethrows {
    var cells = Array(repeating: PackedCell.null, count: forms.count)
    for place in places where place < Self.dead {
      forEachCell(after: head(place).body) { cells[$0] = $1 }
      try visit(cells)
    }
  }

  private func forEachLive(_ body: (UInt64) -> Void) {
    for place in places where place < Self.dead { body(place) }
  }

  @inline(__always)
  private func keyBytes(_ place: UInt64) -> UnsafeRawBufferPointer {
    keyBytes(at: UnsafeRawPointer(arena.pointer(place)))
  }

  @inline(__always)
  func keyBytes(at row: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    let head = head(at: row)
    return UnsafeRawBufferPointer(start: head.body, count: head.key)
  }

  @inline(__always)
  private func head(_ place: UInt64) -> (body: UnsafeRawPointer, key: Int, rest: Int) {
    head(at: arena.pointer(place))
  }

  /// Where the key of a row begins, how many bytes it has, and how many the other columns after it.
  @inline(__always)
  func head(at row: UnsafeRawPointer) -> (body: UnsafeRawPointer, key: Int, rest: Int) {
    var pointer = row
    let key = PackedLength.read(&pointer)
    let rest = PackedLength.read(&pointer)
    return (pointer, key, rest)
  }

  /// Bytes of the whole row with its head.
  private func length(_ place: UInt64) -> Int {
    let head = head(place)
    return head.body - UnsafeRawPointer(arena.pointer(place)) + head.key + head.rest
  }

  static func keyPrefix(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | (index < key.count ? UInt64(key[index]) : 0) }
    return prefix
  }

  private func isKeyBefore(_ left: UInt64, _ right: UInt64) -> Bool {
    compare(keyBytes(left), keyBytes(right)) < 0
  }

  /// Less than, equal to or greater than 0, as SQLite orders two keys.
  @inline(__always)
  func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let order = order(left, right, min(left.count, right.count))
    return order != 0 ? Int(order) : left.count - right.count
  }

  @inline(__always)
  private func order(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ count: Int
  ) -> Int32 {
    guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
    return memcmp(left, right, count)
  }
}
