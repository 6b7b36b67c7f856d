import CatalogModel
import Projections

/// A row of `projection_description`: a description that the kind has or had.
struct DescriptionRow: Sendable {
  var sequence: Int64
  var version: Int64
  /// Canonical JSON.
  var description: String
  var at: Timestamp

  static func makeTable() -> TypedTable<DescriptionRow> {
    TypedTable(
      "projection_description", key: ["sequence"],
      Field("sequence", \Self.sequence), Field("version", \.version),
      Field("description", \.description), Field("at", \.at, isChangeStamp: true),
      make: Self.init)
  }
}

/// A row of `projection_source`: the document whose rows a table has, as long as nothing else changed the table.
///
/// The same document changes nothing then, and need not be read.
struct SourceRow: Sendable {
  var table: String
  var name: String
  var sha256: String
  /// How the document was read.
  var reading: String
  /// The operation that read it.
  var operation: EntityID
  var at: Timestamp

  static func makeTable() -> TypedTable<SourceRow> {
    TypedTable(
      "projection_source", key: ["table_name"],
      Field("table_name", \Self.table), Field("name", \.name), Field("sha256", \.sha256),
      Field("reading", \.reading), Field("operation", \.operation),
      Field("at", \.at, isChangeStamp: true),
      make: Self.init)
  }
}
