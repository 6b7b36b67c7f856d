package import CatalogEngine
import CatalogModel
import CatalogStore
import LibC
package import Projections

/// Compares the rows of a document with those that a table has.
///
/// ```swift
/// let comparison = TableComparison(rows, of: document)
/// // All rows of the table, in any order, with the columns `rows.columns`:
/// while let cells = next() { comparison.add(cells) }
/// let difference = try comparison.finish()
/// ```
/// A row of the table costs a look into the index of the document's keys. The rows of a table that was rebuilt are in another
/// order than they were written in; what comes of them is in the order of the document, and of the keys.
package final class TableComparison {
  private let rows: DocumentRows
  private let document: TableDocument
  /// How many rows of the table each row of the document was met by, at its first equal.
  @exclusivity(unchecked) private var met: [UInt32]
  @exclusivity(unchecked) private var present = RowBuffer()
  @exclusivity(unchecked) private var presentCount = 0
  /// The row of the document that the next one of the table probably is.
  @exclusivity(unchecked) private var guess = 0
  @exclusivity(unchecked) private var inScope = 0
  private let scope: [(place: Int, value: [UInt8])]
  private let setAside: Set<[UInt8]>
  private let isUnreadableSetAside: Bool
  private let quiet: [Bool]
  private let types: [DescribedType]
  private let keyCount: Int
  private let isWholeRow: Bool
  private var quietRows = 0
  private var changed: [ChangedColumns: [Int]] = [:]
  private var order: [ChangedColumns] = []
  private var removed: [TableDifference.Removed] = []
  private var keptSetAside = 0
  /// The packed keys of rows that came from the document's source; nil if it is not asked which of them the document lacks.
  private let sourceKeys: Set<[UInt8]>?
  private var goneFromSource: [[Value]] = []
  private var commonest: [ValueChanges]
  private var laterTimes = LaterTimes()
  private var replaced: ReplacedRows

  /// - Parameters:
  ///   - document: the document of the rows.
  ///   - sourceKeys: the packed keys of rows that came from the document's source; nil if it is not asked which of them the
  ///     document lacks.
  package init(
    _ rows: DocumentRows, of document: TableDocument, sourceKeys: Set<[UInt8]>? = nil
  ) {
    self.sourceKeys = sourceKeys
    self.rows = rows
    self.document = document
    rows.rememberKeys()
    met = Array(repeating: 0, count: rows.capacity)
    let own = document.setAside.filter { $0.table == rows.table.name }
    setAside = Set(own.compactMap(\.key))
    isUnreadableSetAside = own.contains { $0.key == nil }
    types = rows.columns.map(\.type)
    keyCount = rows.keyCount
    isWholeRow = rows.table.key == .wholeRow
    quiet = rows.columns.map { $0.attention == .alone }
    commonest = rows.columns.map { _ in ValueChanges() }
    replaced = ReplacedRows(rows)
    scope = document.scope.compactMap { scope in
      rows.columns.firstIndex { $0.name == scope.column }.map { place in
        var cell = RowBuffer()
        cell.append(scope.value)
        return (place, Array(cell.bytes))
      }
    }
  }

  /// Compares a row of the table.
  ///
  /// - Parameter cells: in the order of `rows.columns`.
  package func add(_ cells: [PackedCell]) {
    presentCount += 1
    present.removeAll()
    var keyLength = 0
    let keyCount = keyCount
    for (place, cell) in cells.enumerated() {
      if place == keyCount { keyLength = present.count }
      present.append(cell, of: types[place])
    }
    if keyCount == cells.count { keyLength = present.count }
    let bytes = present.bytes
    let isInScope = isInScope(bytes)
    if isInScope { inScope += 1 }
    let key = UnsafeRawBufferPointer(rebasing: bytes[..<keyLength])
    guard let row = rows.find(key: key, guess: guess), !rows.isPassedOver(row) else {
      if isInScope { replaced.add(UnsafeRawBufferPointer(rebasing: bytes[keyLength...])) }
      return addMissing(cells, key, isInScope: isInScope, repetition: nil)
    }
    met[row] += 1
    guess = row + 1
    if isWholeRow {
      let repetition = Int64(met[row])
      if repetition > rows.equalCount(row) {
        addMissing(cells, key, isInScope: isInScope, repetition: repetition)
      }
      return
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[keyLength...])
    let wanted = rows.rest(row)
    if !areEqual(rest, wanted) { addChanged(row, rest, wanted) }
  }

  private func areEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    guard left.count == right.count else { return false }
    guard let start = left.baseAddress, let other = right.baseAddress else { return true }
    return memcmp(start, other, left.count) == 0
  }

  private func isInScope(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for scope in scope {
      guard var pointer = bytes.baseAddress else { return false }
      for _ in 0..<scope.place { _ = DocumentCell.skip(&pointer) }
      if !DocumentCell.skip(&pointer).elementsEqual(scope.value) { return false }
    }
    return true
  }

  /// A row of the table that the document lacks.
  private func addMissing(
    _ cells: [PackedCell], _ key: UnsafeRawBufferPointer, isInScope: Bool, repetition: Int64?
  ) {
    let isOfSource = sourceKeys?.contains(Array(key)) == true
    guard isInScope, document.isComplete || isOfSource else { return }
    if setAside.contains(Array(key)) || isUnreadableSetAside {
      keptSetAside += 1
      return
    }
    if isOfSource { goneFromSource.append(cells[..<rows.keyCount].map(\.value)) }
    guard document.isComplete else { return }
    removed.append(
      TableDifference.Removed(
        key: cells[..<rows.keyCount].map(\.value), repetition: repetition))
  }

  private func addChanged(
    _ row: Int, _ rest: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer
  ) {
    guard var old = rest.baseAddress, var new = wanted.baseAddress else { return }
    var columns: [Int] = []
    var pairs: [(place: Int, old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer)] = []
    for place in rows.keyCount..<rows.columns.count {
      let (before, after) = (DocumentCell.skip(&old), DocumentCell.skip(&new))
      if before.elementsEqual(after) { continue }
      columns.append(place)
      pairs.append((place, before, after))
    }
    guard !columns.allSatisfy({ quiet[$0] }) else {
      quietRows += 1
      return
    }
    for pair in pairs { commonest[pair.place].add(pair.old, pair.new) }
    laterTimes.add(pairs.filter { !quiet[$0.place] })
    let set = ChangedColumns(places: columns)
    if changed[set] == nil { order.append(set) }
    changed[set, default: []].append(row)
  }

  /// The difference, after all rows of the table were compared.
  ///
  /// - Throws: `DocumentError` if a row is new, and lacks a column that it needs.
  package func finish() throws(DocumentError) -> TableDifference {
    var added: [UInt32] = []
    for row in rows.rows {
      let isNew =
        isWholeRow
        ? rows.repetition(row) > Int64(met[rows.firstEqual(row)]) : met[row] == 0
      if isNew { added.append(UInt32(row)) }
    }
    rows.forgetKeys()
    let given = Set(rows.columns.map(\.name))
    let lacking = rows.table.columns.filter {
      $0.isKept && !given.contains($0.name) && $0.absentValue == nil
    }
    if let column = lacking.first, let row = added.first {
      var fault = DocumentError(
        code: .missingKey, file: document.source,
        message:
          "the row is new, and the document has no \(column.name), which each row needs"
          + (added.count > 1
            ? "; \(CountWords.of(added.count - 1, "more row")) \(added.count == 2 ? "is" : "are") new"
            : ""),
        advice: "add the column to the document, or make it optional")
      document.place(rows.origin(Int(row)), in: &fault)
      throw fault
    }
    var difference = TableDifference(
      rows: rows, isComplete: document.isComplete, isOfScope: !scope.isEmpty,
      presentCount: presentCount, inScopeCount: inScope, added: added,
      changed: order.sorted { $0.places.lexicographicallyPrecedes($1.places) }.map {
        TableDifference.Changed(columns: $0.places, rows: (changed[$0] ?? []).sorted())
      },
      removed: removed.sorted {
        $0.key == $1.key
          ? ($0.repetition ?? 0) < ($1.repetition ?? 0) : $0.key.isBefore($1.key)
      }, quietRows: quietRows, keptSetAside: keptSetAside,
      goneFromSource: sourceKeys == nil ? nil : goneFromSource.sorted { $0.isBefore($1) },
      commonest: commonest.enumerated().flatMap { place, changes in
        changes.commonest.map {
          TableDifference.CommonChange(
            column: rows.columns[place].name, before: $0.before, after: $0.after, count: $0.count)
        }
      },
      patterns: Dictionary(
        uniqueKeysWithValues: zip(rows.columns.map(\.name), commonest.map(\.pattern))))
    if laterTimes.rows >= TableDifference.leastRows,
      laterTimes.rows * 2 > difference.changedCount
    {
      difference.onlySeen = TableDifference.OnlySeen(
        columns: laterTimes.places.sorted().map { rows.columns[$0] }, rows: laterTimes.rows)
    }
    if difference.replacesMostKeys {
      difference.steadyKey = replaced.key(added: added.lazy.map { [rows] in rows.rest(Int($0)) })
    }
    return difference
  }

  private struct ChangedColumns: Hashable {
    var places: [Int]
  }
}

/// Counts the pairs of values of one column, before and after.
private struct ValueChanges {
  private var counts: [[UInt8]: Int] = [:]
  private var bytes = 0
  private(set) var pattern = PatternTally()
  private static let limit = 4_096
  private static let mostBytes = 1 << 20

  /// Beyond some thousand different pairs, or a megabyte of them, only those that are known are counted.
  mutating func add(_ before: UnsafeRawBufferPointer, _ after: UnsafeRawBufferPointer) {
    let length = before.count + after.count
    if let old = Self.value(before), let new = Self.value(after) {
      pattern.add(from: StoredValue(old), to: StoredValue(new))
    }
    // None that is known is that long, unless it is the only one.
    guard length <= Self.mostBytes || counts.count < 2 else { return }
    let pair = Array(before) + Array(after)
    let hasRoom = counts.count < Self.limit && bytes + length <= Self.mostBytes
    guard hasRoom || counts.isEmpty || counts[pair] != nil else { return }
    if counts[pair] == nil { bytes += length }
    counts[pair, default: 0] += 1
  }

  private static func value(_ cell: UnsafeRawBufferPointer) -> Value? {
    guard var pointer = cell.baseAddress else { return nil }
    return DocumentCell.read(&pointer).value
  }

  /// The three most frequent pairs; the same ones in each run, although the order of a dictionary is another.
  var commonest: [(before: Value, after: Value, count: Int)] {
    let best = counts.sorted {
      $0.value != $1.value
        ? $0.value > $1.value : $1.key.lexicographicallyPrecedes($0.key)
    }.prefix(3)
    return best.compactMap { pair, count in
      pair.withUnsafeBytes { bytes in
        guard var pointer = bytes.baseAddress else { return nil }
        let before = DocumentCell.read(&pointer).value
        return (before, DocumentCell.read(&pointer).value, count)
      }
    }
  }
}

extension RowBuffer {
  /// A value as documents pack it: a kind's rows may keep an id as its text, and a whole number as a real one.
  @inline(__always)
  mutating func append(_ cell: PackedCell, of type: DescribedType) {
    switch (cell, type) {
    case (.text(let bytes), .id):
      if let id = EntityID(utf8: bytes) { append(id: id) } else { append(cell) }
    case (.integer(let integer), .number): append(real: Double(integer))
    case (.time(let time), _): append(text: time.description)
    default: append(cell)
    }
  }
}
