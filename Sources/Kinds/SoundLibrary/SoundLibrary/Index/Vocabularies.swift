import CatalogModel
import CatalogStore
import GRDB

/// The values of all dimensions, each with an ordinal by which an index speaks of it.
///
/// Ordinals stay while values come, go and are renamed: only a new one is ever added.
struct Vocabularies: Sendable {
  private struct Value: Sendable {
    /// The ordinal of its dimension.
    let dimension: Int
    let id: Int64
    /// Nil where the vocabulary does not have it (any more).
    var name: String?
  }

  private var values: [Value] = []
  private var ordinals: [OrdinalTable]
  /// By dimension: what the vocabulary has, in the order of the names' bytes.
  private var named: [[UInt32]]
  /// By dimension: what only items or the past have.
  private var unnamed: [[UInt32]]

  init(_ database: Database) throws {
    ordinals = Array(repeating: OrdinalTable(), count: TagDimension.all.count)
    named = Array(repeating: [], count: TagDimension.all.count)
    unnamed = named
    try reload(database)
  }

  /// Reads all names again.
  mutating func reload(_ database: Database) throws {
    for index in values.indices { values[index].name = nil }
    for dimension in TagDimension.all {
      var list: [UInt32] = []
      let statement = try PreparedStatement(
        database, "SELECT id, name FROM \(dimension.table) ORDER BY name")
      while try statement.step() {
        let value = try TagValue(statement.row(TagValue.origin(dimension)))
        let ordinal = ordinal(adding: value.id, of: dimension.ordinal)
        values[Int(ordinal)].name = value.name
        list.append(ordinal)
      }
      named[dimension.ordinal] = list
      unnamed[dimension.ordinal] = []
    }
    for (ordinal, value) in values.enumerated() where value.name == nil {
      unnamed[value.dimension].append(UInt32(ordinal))
    }
  }

  /// How many ordinals there are.
  var count: Int { values.count }

  /// The ordinal of a value; nil for one that neither a vocabulary nor an item ever had.
  func ordinal(of id: Int64, in dimension: TagDimension) -> UInt32? {
    ordinals[dimension.ordinal][id]
  }

  /// The same, which makes one if there is none.
  ///
  /// - Parameter dimension: the ordinal of its dimension.
  mutating func ordinal(adding id: Int64, of dimension: Int) -> UInt32 {
    if let known = ordinals[dimension][id] { return known }
    let ordinal = UInt32(values.count)
    ordinals[dimension].insert(ordinal, for: id)
    values.append(Value(dimension: dimension, id: id))
    unnamed[dimension].append(ordinal)
    return ordinal
  }

  /// Whether the vocabulary has this id now.
  func has(_ id: Int64, in dimension: TagDimension) -> Bool {
    ordinal(of: id, in: dimension).map { values[Int($0)].name != nil } ?? false
  }

  func id(of ordinal: UInt32) -> Int64 {
    values[Int(ordinal)].id
  }

  /// Nil for what the vocabulary does not have.
  func value(of ordinal: UInt32) -> TagValue? {
    let value = values[Int(ordinal)]
    return value.name.map { TagValue(id: value.id, name: $0) }
  }

  /// What a dimension has, in the order of the names' bytes.
  func named(in dimension: TagDimension) -> [UInt32] {
    named[dimension.ordinal]
  }

  /// What has an ordinal and no name.
  func unnamed(in dimension: TagDimension) -> [UInt32] {
    unnamed[dimension.ordinal]
  }
}

/// Ordinals by id. Ids are given one after the other: an array finds them faster than a dictionary.
private struct OrdinalTable: Sendable {
  private var dense: [UInt32] = []
  /// Of ids that are far behind the others.
  private var sparse: [Int64: UInt32] = [:]
  private var count = 0

  private static let none = UInt32.max
  /// Below this an id has a place however few there are: names come in any order of ids.
  private static let alwaysDense = 1 << 16

  subscript(id: Int64) -> UInt32? {
    if id >= 0, id < dense.count {
      let ordinal = dense[Int(id)]
      if ordinal != Self.none { return ordinal }
    }
    return sparse.isEmpty ? nil : sparse[id]
  }

  mutating func insert(_ ordinal: UInt32, for id: Int64) {
    count += 1
    guard id >= 0, id < Self.alwaysDense + 8 * count else {
      sparse[id] = ordinal
      return
    }
    while dense.count <= Int(id) { dense.append(Self.none) }
    dense[Int(id)] = ordinal
  }
}
