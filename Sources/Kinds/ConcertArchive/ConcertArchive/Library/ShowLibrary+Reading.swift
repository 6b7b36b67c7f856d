public import CatalogEngine

extension ShowLibrary {
  /// The library: pinned shows first, then those that were added last.
  ///
  /// - Parameter isPinned: whether to list pinned shows alone.
  public func list(
    isPinned: Bool = false, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<SavedShow> {
    try await catalog.page(
      of: isPinned ? SavedShow.pinned : SavedShow.list, limit: limit, after: cursor)
  }

  /// What the library has of a show; nil if it is not in it.
  public func show(_ id: String) async throws -> LibraryShow? {
    try await catalog.row(of: LibraryShow.table, key: id)
  }

  /// How many shows the library has.
  public func count() async throws -> Int {
    try await catalog.read { rows in
      Int(try rows.rows(as: ShowCount.shape, of: ShowCount.ofLibrary).first?.count ?? 0)
    }
  }
}

/// A show of the library.
public struct SavedShow: Hashable, Sendable {
  public var line: ShowLine
  public var addedAt: Int64
  public var isPinned: Bool
  public var notes: String?
  public var rating: Double?
  /// When it was last played, since it is in the library.
  public var lastAccessedAt: Int64?
  public var tags: [String] { TagNames.all(in: tagsJSON) }
  var tagsJSON: String?

  static let shape = TypedTable(
    "library_shows", ShowLine.shape, in: \SavedShow.line,
    Field("added_to_library_at", \SavedShow.addedAt), Field("is_pinned", \SavedShow.isPinned),
    Field("library_notes", \SavedShow.notes), Field("custom_rating", \SavedShow.rating),
    Field("last_accessed_at", \SavedShow.lastAccessedAt), Field("tags", \SavedShow.tagsJSON),
    make: SavedShow.init)

  static let list = list("library")
  static let pinned = list("pinned shows", where: "saved.is_pinned = 1")

  private static func list(
    _ name: String, where condition: String = "true"
  ) -> KeysetList<SavedShow> {
    KeysetList(
      name, as: shape,
      columns: ShowLine.columns
        + ", saved.added_to_library_at, saved.is_pinned, saved.library_notes, saved.custom_rating, "
        + "saved.last_accessed_at, saved.tags",
      from: """
        library_shows AS saved INDEXED BY idx_library_shows_is_pinned
        CROSS JOIN shows ON shows.show_id = saved.show_id
        """, where: condition,
      orderedBy: [
        KeysetKey("saved.is_pinned", \SavedShow.isPinned),
        KeysetKey("saved.added_to_library_at", \SavedShow.addedAt),
        KeysetKey("saved.show_id", \SavedShow.line.showID),
      ], isDescending: true)
  }
}

/// How many shows a query counts.
struct ShowCount: Sendable {
  var count: Int64

  static let shape = TypedTable(
    "show_count", key: ["count"], Field("count", \ShowCount.count), make: ShowCount.init)
  static let ofLibrary = "SELECT count(*) FROM library_shows"
}
