import Projections

/// Another name of a value.
struct ValueAlias: Equatable, Sendable {
  var dimension: TagDimension
  var name: String
  var valueID: Int64
  /// `renamed`, `merged` or `aliased`.
  var origin: String

  static let table = TypedTable(
    "projection_alias", key: ["dimension", "name"],
    indexes: [.index("projection_idx_alias_value", on: ["dimension", "value_id"])],
    Field("dimension", \ValueAlias.dimension), Field("name", \ValueAlias.name),
    Field("value_id", \ValueAlias.valueID), Field("origin", \ValueAlias.origin),
    make: ValueAlias.init)

  static let byValue = IndexReference(table: table.description, ordinal: 0)
}
