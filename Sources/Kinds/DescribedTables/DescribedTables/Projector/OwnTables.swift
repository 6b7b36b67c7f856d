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

/// A row of `projection_source`: the document that was read last into a table.
///
/// As long as nothing else changes the table, the same document changes nothing, and need not be read.
struct SourceRow: Sendable {
  var table: String
  var name: String
  /// Nil once something else changed the table.
  var sha256: String?
  /// How the document was read.
  var reading: String
  /// The operation that read it.
  var operation: EntityID
  /// How many documents with changes were read into the table.
  var reads: Int64
  /// The most rows that one of them removed.
  var mostGone: Int64
  var at: Timestamp

  static func makeTable() -> TypedTable<SourceRow> {
    TypedTable(
      "projection_source", key: ["table_name"], isOfOneLog: true,
      Field("table_name", \Self.table), Field("name", \Self.name), Field("sha256", \Self.sha256),
      Field("reading", \Self.reading), Field("operation", \Self.operation),
      Field("reads", \Self.reads), Field("most_gone", \Self.mostGone),
      Field("at", \Self.at, isChangeStamp: true),
      make: Self.init)
  }

  /// The most rows that an earlier document removed, if a number is far beyond it.
  func mostGone(ifFarLessThan removed: Int) -> Int? {
    let most = Int(clamping: mostGone)
    return reads >= 3 && removed >= 10 && removed / 4 > most ? most : nil
  }
}
