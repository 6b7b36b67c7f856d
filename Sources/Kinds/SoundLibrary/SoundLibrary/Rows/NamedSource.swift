import Projections

/// A source of items, packs and tags. Other rows have its number.
struct NamedSource: Equatable, Sendable {
  var id: Int64
  /// `seed:starter`, `pack:` and an id, or `person`.
  var name: String

  static let table = TypedTable(
    "projection_source", key: ["id"], indexes: [.lookup(["name"])],
    Field("id", \NamedSource.id),
    Field("name", \NamedSource.name, unique: true, isName: true), make: NamedSource.init)

  static let byName = IndexReference(table: table.description, ordinal: 0)
}
