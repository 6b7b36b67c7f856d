import Projections

/// A value of a dimension that exists, or existed before it was merged into another one.
struct KnownValue: Equatable, Sendable {
  /// The row id of the full-text index of names.
  var number: Int64
  var tag: ItemTag
  /// The id of the value that replaced it; nil if it was not merged.
  var mergedInto: Int64?
  /// The folded words of the name; empty after a merge.
  var words: String

  static let table = TypedTable(
    "projection_value", key: ["number"],
    indexes: [
      .index("projection_idx_value_id", on: ["dimension", "value_id"]),
      .index("projection_idx_value_merged_into", on: ["dimension", "merged_into"]),
    ],
    Field("number", \KnownValue.number), Field("dimension", \KnownValue.tag.dimension),
    Field("value_id", \KnownValue.tag.value), Field("merged_into", \KnownValue.mergedInto),
    Field("words", \KnownValue.words),
    make: {
      KnownValue(number: $0, tag: ItemTag(dimension: $1, value: $2), mergedInto: $3, words: $4)
    })

  static let byTag = IndexReference(table: table.description, ordinal: 0)
  static let byMerge = IndexReference(table: table.description, ordinal: 1)
}
