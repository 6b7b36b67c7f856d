import CatalogModel
import Projections

/// The downloaded file of an item and its format, in the table `item_local_audio`.
struct ItemAudio: Equatable, Sendable {
  var itemID: EntityID
  var assetID: EntityID
  var codec: String?
  /// In Hz.
  var sampleRate: Int64?
  var channels: Int64?
  var isLoopable: Bool

  static let table = TypedTable(
    "item_local_audio", key: ["item_id"],
    indexes: [.index("projection_idx_item_local_audio_asset", on: ["asset_id"])],
    Field(
      "item_id", \ItemAudio.itemID, names: "library_item",
      sql: "TEXT PRIMARY KEY REFERENCES library_item(id) ON DELETE CASCADE"),
    Field("asset_id", \ItemAudio.assetID, references: .to("local_asset", "id", onDelete: .cascade)),
    Field("codec", \ItemAudio.codec), Field("sample_rate", \ItemAudio.sampleRate),
    Field("channels", \ItemAudio.channels),
    Field("loopable", \ItemAudio.isLoopable, default: .integer(0)), make: ItemAudio.init)
}
