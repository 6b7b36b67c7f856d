public import CatalogEngine

/// Collections of shows that somebody chose.
public struct CollectionRepository: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  /// Collections, the largest first.
  ///
  /// - Parameter tag: only those with this as their first tag.
  public func list(
    tag: String? = nil, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<ShowCollection> {
    try await catalog.page(of: Self.list(tag: tag), limit: limit, after: cursor)
  }

  /// The collection with this id; nil if there is none.
  public func collection(_ id: String) async throws -> ShowCollection? {
    try await catalog.row(of: ShowCollection.table, key: id)
  }

  /// The shows of a collection, in its order. Shows that the archive lacks are left out.
  public func shows(
    of collection: String, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<CollectedShow> {
    try await catalog.page(of: CollectedShow.list(of: collection), limit: limit, after: cursor)
  }

  /// The collections that have a show, by id.
  public func collections(with show: String) async throws -> [ShowCollection] {
    try await catalog.read {
      try $0.rows(as: ShowCollection.table, of: Self.collectionsOfShow, [show])
    }
  }

  static let collectionsOfShow = """
    SELECT DISTINCT collections.* FROM projection_collection_show AS member
    CROSS JOIN collections ON collections.id = member.collection_id
    WHERE member.show_id = ? ORDER BY collections.id
    """

  static func list(tag: String?) -> KeysetList<ShowCollection> {
    KeysetList(
      tag.map { "collections tagged \($0)" } ?? "collections", as: ShowCollection.table,
      from: "collections", where: tag == nil ? "true" : "primary_tag = ?",
      tag.map { [$0] } ?? [],
      orderedBy: [
        KeysetKey("total_shows", \ShowCollection.totalShows), KeysetKey("id", \ShowCollection.id),
      ], isDescending: true)
  }
}

/// A show of a collection.
public struct CollectedShow: Hashable, Sendable {
  public var line: ShowLine
  /// From 0.
  public var position: Int64

  static let shape = TypedTable(
    "projection_collection_show", ShowLine.shape, in: \CollectedShow.line,
    Field("position", \CollectedShow.position), make: CollectedShow.init)

  static func list(of collection: String) -> KeysetList<CollectedShow> {
    KeysetList(
      "shows of collection \(collection)", as: shape,
      columns: ShowLine.columns + ", member.position",
      from: """
        projection_collection_show AS member
        CROSS JOIN shows ON shows.show_id = member.show_id
        """, where: "member.collection_id = ?", [collection],
      orderedBy: [KeysetKey("member.position", \CollectedShow.position)])
  }
}
