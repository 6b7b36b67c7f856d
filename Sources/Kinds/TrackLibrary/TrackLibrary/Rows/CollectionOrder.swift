public import CatalogEngine

/// By what the list of playlists is ordered, and what it says of each: pages are read without a look at the tracks.
public struct CollectionOrder: Equatable, Sendable {
  public var collectionID: EntityID
  /// The name as a person sorts it: its words, without case and accents.
  public var name: String
  /// A track that appears twice counts twice.
  public var trackCount: Int64
  /// Of all tracks together, in milliseconds: whole numbers, so that a sum is the same in whatever order it was made.
  public var milliseconds: Int64

  static let table = TypedTable(
    "projection_collection_order", key: ["collection_id"],
    indexes: [.index("projection_collection_order_name", on: ["name", "collection_id"])],
    Field("collection_id", \CollectionOrder.collectionID), Field("name", \CollectionOrder.name),
    Field("track_count", \CollectionOrder.trackCount),
    Field("milliseconds", \CollectionOrder.milliseconds), make: CollectionOrder.init)

  /// A duration in whole milliseconds; 31 years and more are 31 years, so that no sum of them overflows. A log may have
  /// any number, and negative ones too.
  static func milliseconds(_ seconds: Double) -> Int64 {
    Int64(max(-1e12, min((seconds * 1_000).rounded(), 1e12)))
  }
}
