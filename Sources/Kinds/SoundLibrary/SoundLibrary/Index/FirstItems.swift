import CatalogModel

/// The first few items in an order, of any number that are handed over.
struct FirstItems {
  /// A key's place in the order, and the id that tells equal ones apart.
  struct Place: Comparable {
    let key: UInt64
    let id: EntityID

    static func < (left: Place, right: Place) -> Bool {
      left.key != right.key ? left.key < right.key : left.id < right.id
    }

    static let beginning = Place(key: 0, id: EntityID(high: 0, low: 0))
    static let end = Place(key: .max, id: .greatest)
  }

  private let count: Int
  private let keys: SortKeys
  private let ids: [EntityID]
  private let isDescending: Bool
  /// What is at or before this was on an earlier page.
  private var skipped: Place?
  /// What is behind this cannot be among the first.
  private var last: Place?
  private var best: [(place: Place, number: UInt32)] = []

  init(_ count: Int, _ keys: SortKeys, _ ids: [EntityID], isDescending: Bool) {
    self.count = count
    self.keys = keys
    self.ids = ids
    self.isDescending = isDescending
  }

  mutating func skip(through place: Place) {
    skipped = place
  }

  /// - Parameter rank: goes before the key; 0 to 3, and 0 alone for keys that are no titles'.
  @inline(__always)
  mutating func add(_ number: UInt32, rank: UInt64 = 0) {
    let key = SortKeys.place(keys.keys[Int(number)], isDescending: isDescending) | rank << 62
    if let last, key > last.key { return }
    if let skipped, key < skipped.key { return }
    let place = Place(key: key, id: ids[Int(number)])
    if let last, !(place < last) { return }
    if let skipped, !(skipped < place) { return }
    best.append((place, number))
    if best.count / 2 > count { cut() }
  }

  private mutating func cut() {
    best.sort { $0.place < $1.place }
    if best.count > count { best.removeLast(best.count - count) }
    if best.count == count { last = best.last?.place }
  }

  /// The first items in order.
  var sorted: [UInt32] {
    var copy = self
    copy.cut()
    return copy.best.map(\.number)
  }
}

extension EntityID {
  static let greatest = EntityID(high: .max, low: .max)
}
