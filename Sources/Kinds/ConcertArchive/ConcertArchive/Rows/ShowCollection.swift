public import Projections

/// Shows that somebody chose: a series of releases, an era, a tour.
public struct ShowCollection: Equatable, Sendable {
  public var id: String
  public var name: String
  public var description: String
  /// A JSON array of texts.
  public var tagsJSON: String
  /// A JSON array of show ids. Ids contain each other: look shows up in `CollectionMember`, never by LIKE.
  public var showIDsJSON: String
  public var totalShows: Int64
  public var primaryTag: String?
  public var createdAt: Int64
  public var updatedAt: Int64

  public static let table = TypedTable(
    "collections", key: ["id"],
    indexes: [
      .index("idx_collections_primary_tag", on: ["primary_tag"]),
      .index("idx_collections_total_shows", on: ["total_shows"]),
    ],
    Field("id", \ShowCollection.id),
    Field("name", \ShowCollection.name, isName: true),
    Field("description", \ShowCollection.description),
    Field("tags_json", \ShowCollection.tagsJSON),
    Field("show_ids_json", \ShowCollection.showIDsJSON),
    Field("total_shows", \ShowCollection.totalShows),
    Field("primary_tag", \ShowCollection.primaryTag, sql: "TEXT"),
    Field("created_at", \ShowCollection.createdAt, isTime: true),
    Field("updated_at", \ShowCollection.updatedAt, isTime: true, isChangeStamp: true),
    make: ShowCollection.init)
}

/// A show's place in a collection.
public struct CollectionMember: Equatable, Sendable {
  public var collectionID: String
  /// From 0.
  public var position: Int64
  public var showID: String

  // The key's columns first: of any other order, SQLite 3.40 finds NULL if there is none.
  public static let table = TypedTable(
    "projection_collection_show", key: ["collection_id", "position"],
    indexes: [
      .index("projection_collection_show_show", on: ["show_id"]), .lookup(["collection_id"]),
    ],
    Field("collection_id", \CollectionMember.collectionID, names: "collections"),
    Field("position", \CollectionMember.position),
    Field("show_id", \CollectionMember.showID, names: "shows"),
    make: CollectionMember.init)
}
