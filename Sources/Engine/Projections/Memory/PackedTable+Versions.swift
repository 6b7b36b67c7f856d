/// The versions of a table's rows, which batches begin and end.
extension PackedTable {
  /// Ends a batch, and says what it did; nil if it left the table as it was.
  ///
  /// - Parameter visit: gets the rows that the batch replaced or removed, and those that it wrote, in column order.
  func endBatch(_ visit: (_ cells: [PackedCell], _ isBefore: Bool) -> Void) -> TableStep? {
    guard let versions, versions.isTouched else { return nil }
    defer { versions.endBatch() }
    var cells = Array(repeating: PackedCell.null, count: forms.count)
    var changed = 0
    versions.settle { version in
      let start = versions.bytes(version)
      let key = keyBytes(at: start)
      guard let ordinal = find(key, hash(of: key)) else {
        return versions.removals.isEmpty ? version.to : versions.removals[Array(key)] ?? version.to
      }
      let place = places[Int(ordinal)]
      if isSameRow(start, UnsafeRawPointer(arena.pointer(place))) {
        versions.starts[Int(ordinal)] = VersionStart(version.start.sequence, isMixed: true)
        releaseBlobs(start)
        return nil
      }
      changed += 1
      let event = versions.starts[Int(ordinal)].sequence
      if event != version.to { versions.mix(ordinal) }
      return event
    }
    let ended = versions.ended.count - versions.endedBefore
    for version in versions.ended[versions.endedBefore...] {
      read(versions.bytes(version), into: &cells)
      visit(cells, true)
    }
    var begun = 0
    for ordinal in versions.begun {
      let place = places[Int(ordinal)]
      guard place < Self.dead, versions.starts[Int(ordinal)].sequence >= versions.clock.batch else {
        continue
      }
      begun += 1
      read(arena.pointer(place), into: &cells)
      visit(cells, false)
    }
    guard ended + begun > 0 else { return nil }
    return TableStep(
      table: description.ordinal, rows: count, added: begun - changed, removed: ended - changed,
      changed: changed)
  }

  /// All versions: each with its packed row (head, key, other columns), the event that wrote it, and the one that
  /// ended it, 0 if none did; in key order, those of a row in the order of time.
  func versionsInKeyOrder() -> [(row: UnsafeRawPointer, start: VersionStart, to: UInt64)] {
    guard let versions else { return [] }
    var all: [(row: UnsafeRawPointer, start: VersionStart, to: UInt64)] = []
    all.reserveCapacity(count + versions.ended.count)
    for version in versions.ended {
      all.append((versions.bytes(version), version.start, version.to))
    }
    for ordinal in places.indices where places[ordinal] < Self.dead {
      all.append((UnsafeRawPointer(arena.pointer(places[ordinal])), versions.starts[ordinal], 0))
    }
    var entries = all.indices.map { index in
      PrefixOrder.Entry(prefix: Self.keyPrefix(keyBytes(at: all[index].row)), number: UInt64(index))
    }
    PrefixOrder.sort(&entries) { left, right in
      let (left, right) = (all[Int(left)], all[Int(right)])
      let order = self.compare(self.keyBytes(at: left.row), self.keyBytes(at: right.row))
      return order != 0 ? order < 0 : left.start.sequence < right.start.sequence
    }
    return entries.map { all[Int($0.number)] }
  }

  /// The packed key of a row, and its other columns.
  func parts(_ row: UnsafeRawPointer) -> (key: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer)
  {
    let head = head(at: row)
    return (
      UnsafeRawBufferPointer(start: head.body, count: head.key),
      UnsafeRawBufferPointer(start: head.body + head.key, count: head.rest)
    )
  }

  func isSameRow(_ left: UInt64, _ right: UInt64) -> Bool {
    isSameRow(arena.pointer(left), arena.pointer(right))
  }

  private func isSameRow(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    let (left, right) = (parts(left), parts(right))
    return compare(left.key, right.key) == 0 && compare(left.rest, right.rest) == 0
  }

  private func read(_ row: UnsafeRawPointer, into cells: inout [PackedCell]) {
    forEachCell(after: head(at: row).body) { cells[$0] = $1 }
  }
}
