import Projections

/// Leaves what belongs to rows that stay, and what cannot be.
extension RevertPlanner {
  /// The rows of each bundle.
  var bundles: [BundleKey: [Int]] {
    var bundles: [BundleKey: [Int]] = [:]
    for (number, members) in rules.bundles.enumerated() {
      for member in members {
        for (place, state) in rows.enumerated() where state.table === member.table {
          for values in state.values(member) {
            bundles[BundleKey(bundle: number, values: values), default: []].append(place)
          }
        }
      }
    }
    return bundles
  }

  /// Leaves the rows that belong to a row that stays.
  mutating func spread() {
    guard rows.contains(where: \.staysInPart) else { return }
    let bundles = bundles
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles {
      for place in members { keys[place].append(key) }
    }
    // A row by whose columns others belong to it is brought back whole.
    for place in rows.indices
    where rows[place].isStrict && rows[place].reason == nil && !rows[place].changedLater.isEmpty {
      rows[place].reason = .changedLater
    }
    let (children, owned) = dependents()
    var waiting = rows.indices.filter { rows[$0].staysInPart }
    while let place = waiting.popLast() {
      let state = rows[place]
      let isWhole = state.isAdded || state.isRemoved
      var others = keys[place].flatMap { bundles[$0] ?? [] }.filter { other in
        rows[other].isStrict || state.isStrict
          || isWhole && state.reason != nil && (rows[other].isAdded || rows[other].isRemoved)
      }
      if state.reason != nil {
        // A later event may have added a row with its key again.
        if state.isRemoved, state.present == nil { others += children[state.address] ?? [] }
        if state.isAdded { others += owned[state.address] ?? [] }
      }
      for other in others where other != place && rows[other].reason == nil {
        rows[other].reason = .belongsTo(state.address)
        waiting.append(other)
      }
    }
  }

  /// The rows that would come back and refer to a row, by the row; and the added rows that begin with a reference to it.
  func dependents() -> (children: [RowAddress: [Int]], owned: [RowAddress: [Int]]) {
    let references = kind.schema.references(with: rules).filter { reference in
      reference.parentColumns == reference.parent.key && reference.prefix.isEmpty
    }
    var children: [RowAddress: [Int]] = [:]
    var owned: [RowAddress: [Int]] = [:]
    for reference in references {
      let isOwner = reference.child.key.starts(with: reference.columns)
      for (place, state) in rows.enumerated() where state.table === reference.child {
        func parent(_ row: [Value]) -> RowAddress {
          RowAddress(reference.parent, key: reference.columns.map { row[$0] })
        }
        if state.present == nil, let row = state.before {
          children[parent(row), default: []].append(place)
        }
        if isOwner, state.before == nil, let row = state.after {
          owned[parent(row), default: []].append(place)
        }
      }
    }
    return (children, owned)
  }

  /// Keeps the members of lists that belong to a row that stays: to a member, and to a list whose member does not go.
  mutating func keepMembers() {
    let references = kind.schema.references(with: rules)
    func parents(_ row: [Value], _ table: TableDescription, _ columns: [Int]) -> [RevertedRowState]
    {
      references.compactMap { reference in
        guard reference.child === table, reference.prefix.isEmpty,
          reference.parentColumns == reference.parent.key,
          reference.columns.allSatisfy(columns.contains)
        else { return nil }
        let address = RowAddress(reference.parent, key: reference.columns.map { row[$0] })
        return places[address].map { rows[$0] }
      }
    }
    for place in lists.indices {
      let list = lists[place]
      for (member, row) in list.added where lists[place].kept[member] == nil {
        let members = parents(row, list.table, list.rule.member)
        let owners = parents(row, list.table, list.rule.list)
        if let owner = members.first(where: \.isAddedAndStays) {
          lists[place].kept[member] = .belongsTo(owner.address)
        } else if !members.contains(where: \.isGoing),
          let owner = owners.first(where: \.isAddedAndStays)
        {
          lists[place].kept[member] = .belongsTo(owner.address)
        }
      }
    }
  }

  /// Leaves lists that come as a whole and that later events changed, in whatever row.
  mutating func blockWholeLists() throws {
    for members in rules.bundles {
      for member in members where member.isList {
        let found = Set(rows.filter { $0.table === member.table }.flatMap { $0.values(member) })
        for list in found where try rowChangedLater(member, list) != nil {
          for place in rows.indices
          where rows[place].table === member.table && rows[place].values(member).contains(list) {
            rows[place].reason = rows[place].reason ?? .changedLater
          }
        }
      }
    }
  }

  /// A row with some values that is another one now than after the operations, or came or went since; nil if there is none.
  func rowChangedLater(
    _ list: ReversalRules.Columns, _ values: [Value]
  ) throws -> RowAddress? {
    try past.touchedRows(
      of: list.table, where: list.places, are: Array(values.dropFirst(list.prefix.count))
    ).first { address in
      guard past.isTouchedLater(address) else { return false }
      let present = try past.present(list.table, address.key)
      return !merge.isSame(try past.after(address), present, list.table)
    }
  }

  // MARK: What cannot be

  /// Leaves the rows that follow from those that stay: what belongs to them, and what would have a value of theirs that must
  /// be unique, until no further row does.
  mutating func spreadConflicts() throws {
    var left = -1
    while case let now = rows.reduce(0, { $0 + ($1.reason == nil ? 0 : 1) + $1.taken.count }),
      now != left
    {
      left = now
      spread()
      try blockDuplicates()
    }
    keepMembers()
  }

  /// Leaves what would have a unique value of another row. What such a row keeps may be the value that a third one wants.
  mutating func blockDuplicates() throws {
    let places = rows.indices.filter { rows[$0].isChange && !rows[$0].table.uniques.isEmpty }
    var wanting: [UniqueValues: [Int]] = [:]
    for place in places {
      for values in rows[place].target.map(rows[place].uniqueValues) ?? [] {
        wanting[values, default: []].append(place)
      }
    }
    var waiting = Array(places.reversed())
    while let place = waiting.popLast() {
      guard rows[place].isChange, try blockDuplicate(place) else { continue }
      for values in rows[place].present.map(rows[place].uniqueValues) ?? [] {
        waiting += (wanting[values] ?? []).filter { $0 != place }
      }
    }
  }

  /// - Returns: whether the row keeps a value that it has.
  private mutating func blockDuplicate(_ place: Int) throws -> Bool {
    let state = rows[place]
    var isLeft = false
    for unique in state.table.uniques {
      // What stays for one of them decides the next.
      guard rows[place].reason == nil, let row = rows[place].target else { break }
      let values = unique.map { row[$0] }
      guard !values.contains(.null),
        state.present.map({ now in unique.map { now[$0] } }) != values
      else { continue }
      let isTaken = try past.rows.rows(of: state.table, where: unique, are: values).contains {
        row in
        let other = RowAddress(
          state.table, key: state.table.key(of: try past.named(row, of: state.table)))
        guard other.key != state.key else { return false }
        guard let place = places[other], rows[place].isChange else { return true }
        return rows[place].target.map { row in unique.map { row[$0] } == values } ?? false
      }
      guard isTaken else { continue }
      isLeft = true
      let kept = state.isStrict ? [] : merge.keep(unique, of: &rows[place])
      if kept.isEmpty {
        rows[place].reason = .taken(state.names(unique))
      } else {
        rows[place].taken.append((unique, kept))
      }
    }
    return isLeft
  }

  mutating func blockWhatKindRefuses() {
    for table in kind.schema.tables {
      for isGone in [true, false] {
        let own = rows.indices.filter {
          rows[$0].table === table && rows[$0].isChange && (rows[$0].target == nil) == isGone
        }
        guard !own.isEmpty, refusal(own.map { rows[$0] }) != nil else { continue }
        for place in own { rows[place].reason = refusal([rows[place]]).map { .impossible($0) } }
      }
    }
  }

  func refusal(_ states: [RevertedRowState]) -> String? {
    let rows = RestoredRows(
      states[0].table, rows: states.compactMap(\.target),
      gone: states.filter { $0.target == nil }.map(\.key))
    guard case .impossible(let reason) = kind.wayBack(to: rows) else { return nil }
    return reason
  }
}

/// Values that no second row of a table may have.
struct UniqueValues: Hashable {
  let table: Int
  let columns: [Int]
  let values: [Value]
}

/// Rows that come and go together.
struct BundleKey: Hashable {
  let bundle: Int
  let values: [Value]
}
