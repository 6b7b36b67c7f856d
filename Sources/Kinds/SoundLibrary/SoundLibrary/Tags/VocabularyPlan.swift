import CatalogModel
import CatalogStore
import Projections

/// The values that names mean while events are being planned: those of the rows, and those that the
/// plan adds.
struct VocabularyPlan {
  struct Value {
    /// How the name that was asked for leads to the value.
    enum Origin {
      case name
      /// The value was renamed.
      case formerName
      /// A merge or a person made the name stand for the value.
      case alias
    }

    var id: Int64
    /// What the value is called, which an alias is not.
    var name: String
    var sortOrder: Int64?
    var origin: Origin
  }

  private typealias Tables = SoundLibrarySchema

  private let rows: ProvedRows
  private var known: [[String: Value]] = Array(repeating: [:], count: TagDimension.all.count)
  private var lastID: Int64?
  private var looksForFreeIDs = false

  init(_ rows: ProvedRows) {
    self.rows = rows
  }

  /// The value that a name means, by itself or as an alias; nil for a name that means none.
  mutating func value(meaning name: String, in dimension: TagDimension) throws -> Value? {
    if let value = known[dimension.ordinal][name] { return value }
    let value = try stored(name, dimension)
    known[dimension.ordinal][name] = value
    return value
  }

  /// The event that adds a value which is not there.
  mutating func add(
    _ name: String, to dimension: TagDimension, sortOrder: Int64?, isSystem: Bool = true
  ) throws -> DimensionValueAdded {
    let id = try nextID()
    known[dimension.ordinal][name] = Value(
      id: id, name: name, sortOrder: sortOrder, origin: .name)
    return DimensionValueAdded(
      dimension: dimension, id: id, name: name, sortOrder: sortOrder, isSystem: isSystem)
  }

  /// An id that no value of any dimension has or had: an id of another dimension can be told from one of this.
  private mutating func nextID() throws -> Int64 {
    var id = try lastID ?? greatestID()
    if id >= NumberRules.greatest, !looksForFreeIDs {
      // A log may hold an id that nothing can follow: on from how many there were, past those that are taken.
      looksForFreeIDs = true
      id = try rows.greatestKey(in: Tables.value) ?? 0
    }
    // A value that a revert brought back can have an id above the number of values.
    repeat { id += 1 } while try isTaken(id)
    lastID = id
    return id
  }

  private func isTaken(_ id: Int64) throws -> Bool {
    try TagDimension.all.contains { dimension in
      try !rows.rows(of: KnownValue.table, by: KnownValue.byTag, equal: dimension, id).isEmpty
    }
  }

  private func greatestID() throws -> Int64 {
    // As many values as there ever were: merged ones have no row of their own any more.
    var greatest = try rows.greatestKey(in: Tables.value) ?? 0
    for dimension in TagDimension.all {
      greatest = max(greatest, try rows.greatestKey(in: Tables.values(of: dimension)) ?? 0)
    }
    return greatest
  }

  private func stored(_ name: String, _ dimension: TagDimension) throws -> Value? {
    let table = DimensionValue.table(of: dimension)
    if let value = try rows.rows(of: table, where: \.name, is: name).first {
      return Value(value, .name)
    }
    guard let alias = try rows.row(of: ValueAlias.table, key: dimension, name),
      let value = try rows.row(of: table, key: alias.valueID)
    else { return nil }
    return Value(value, alias.origin == "renamed" ? .formerName : .alias)
  }
}

extension VocabularyPlan.Value {
  fileprivate init(_ value: DimensionValue, _ origin: Origin) {
    self.init(id: value.id, name: value.name, sortOrder: value.sortOrder, origin: origin)
  }
}
