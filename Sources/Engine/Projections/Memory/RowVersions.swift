import LibC

/// Tells the tables of a store which event changes their rows, and with which event its batch began.
final class VersionClock {
  @exclusivity(unchecked) var sequence: UInt64 = 0
  @exclusivity(unchecked) var batch: UInt64 = 1
}

/// The event that made a row what it is.
struct VersionStart {
  private var bits: UInt64

  init(_ sequence: UInt64, isMixed: Bool = false) {
    bits = sequence | (isMixed ? 1 << 63 : 0)
  }

  var sequence: UInt64 { bits & (1 << 63 - 1) }
  /// Whether other events of its batch changed the row before, or changed it and changed it back: a replay of the batch
  /// tells which of them wrote a column.
  var isMixed: Bool { bits >> 63 == 1 }
}

/// The versions of the rows of one table: the event that made each row what it is, and the rows as they were before.
///
/// A state exists at the end of each batch and nowhere else. So a row that one batch writes twice has one version of it,
/// and a row that a batch changes and changes back goes on with the version from before.
///
/// `@exclusivity(unchecked)` for the reason that `PackedTable` gives.
final class RowVersions {
  /// A row that a later batch replaced or removed.
  struct PastVersion {
    /// The packed row in `arena`.
    let place: UInt64
    let start: VersionStart
    /// The event that replaced or removed it.
    var to: UInt64
  }

  let clock: VersionClock
  /// The start of each row, by its ordinal.
  @exclusivity(unchecked) var starts: [VersionStart] = []
  /// In the order of the batches that ended them.
  @exclusivity(unchecked) private(set) var ended: [PastVersion] = []
  /// How many of `ended` ended before this batch.
  @exclusivity(unchecked) private(set) var endedBefore = 0
  /// The ordinals of the rows that this batch wrote. Some may be dead.
  @exclusivity(unchecked) var begun: [UInt32] = []
  /// The events of this batch that removed rows which it had written itself, by the key.
  @exclusivity(unchecked) private(set) var removals: [[UInt8]: UInt64] = [:]
  @exclusivity(unchecked) private var arena = ByteArena()

  init(_ clock: VersionClock) {
    self.clock = clock
  }

  /// Whether this batch touched a row.
  var isTouched: Bool { !begun.isEmpty || ended.count > endedBefore }

  /// Notes that the row with this ordinal begins a version.
  func begin(_ ordinal: UInt32) {
    if Int(ordinal) == starts.count {
      starts.append(VersionStart(clock.sequence))
      begun.append(ordinal)
    } else {
      if starts[Int(ordinal)].sequence < clock.batch { begun.append(ordinal) }
      starts[Int(ordinal)] = VersionStart(clock.sequence)
    }
  }

  /// Whether another event of this batch wrote the row.
  func isMixed(by ordinal: UInt32) -> Bool {
    let start = starts[Int(ordinal)]
    return start.sequence >= clock.batch && (start.isMixed || start.sequence != clock.sequence)
  }

  /// Notes that several events of this batch changed the row.
  func mix(_ ordinal: UInt32) {
    starts[Int(ordinal)] = VersionStart(starts[Int(ordinal)].sequence, isMixed: true)
  }

  /// Ends the version of a row that is replaced or removed.
  ///
  /// - Parameter row: its packed bytes, which are copied.
  /// - Returns: false if this batch wrote the row: no state has it, and it is forgotten.
  func end(_ ordinal: UInt32, _ row: UnsafeRawBufferPointer) -> Bool {
    let start = starts[Int(ordinal)]
    guard start.sequence < clock.batch else { return false }
    ended.append(PastVersion(place: arena.append(row), start: start, to: clock.sequence))
    return true
  }

  /// Notes that a row is removed that this batch wrote.
  func removed(_ key: UnsafeRawBufferPointer) {
    removals[Array(key)] = clock.sequence
  }

  func bytes(_ version: PastVersion) -> UnsafeRawPointer {
    UnsafeRawPointer(arena.pointer(version.place))
  }

  /// Decides for each version that ended in this batch what becomes of it.
  ///
  /// - Parameter end: returns the event that ended it; nil if none did, because the row is there as before.
  func settle(_ end: (PastVersion) -> UInt64?) {
    var kept = endedBefore
    for index in endedBefore..<ended.count {
      guard let to = end(ended[index]) else { continue }
      ended[kept] = ended[index]
      ended[kept].to = to
      kept += 1
    }
    ended.removeLast(ended.count - kept)
  }

  /// Keeps only these ordinals, which get new numbers in their order.
  func keep(_ ordinals: [Int]) {
    starts = ordinals.map { starts[$0] }
    begun = starts.indices.filter { starts[$0].sequence >= clock.batch }.map(UInt32.init)
  }

  /// Begins the next batch.
  func endBatch() {
    endedBefore = ended.count
    begun.removeAll(keepingCapacity: true)
    if !removals.isEmpty { removals = [:] }
  }
}

/// The effect of one batch on one table.
package struct TableStep: Hashable, Sendable {
  /// The table's place in the schema.
  package let table: Int
  /// How many rows the table has after the batch.
  package let rows: Int
  package let added: Int
  package let removed: Int
  package let changed: Int

  package init(table: Int, rows: Int, added: Int, removed: Int, changed: Int) {
    self.table = table
    self.rows = rows
    self.added = added
    self.removed = removed
    self.changed = changed
  }
}
