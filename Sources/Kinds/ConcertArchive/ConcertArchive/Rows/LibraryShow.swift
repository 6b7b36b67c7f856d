public import Projections

/// A show in the personal library.
public struct LibraryShow: Equatable, Sendable {
  public var showID: String
  public var addedToLibraryAt: Int64
  public var isPinned: Bool
  public var libraryNotes: String?
  /// What the person thinks of it, whatever the package's ratings are.
  public var customRating: Double?
  /// When it was last played, since it is in the library.
  public var lastAccessedAt: Int64?
  /// A JSON array of texts; nil without tags.
  public var tags: String?

  public static let table = TypedTable(
    "library_shows", key: ["show_id"],
    indexes: [
      .index("idx_library_shows_show_id", on: ["show_id"], unique: true),
      .index("idx_library_shows_added_at", on: ["added_to_library_at"]),
      .index("idx_library_shows_is_pinned", on: ["is_pinned"]),
    ],
    Field(
      "show_id", \LibraryShow.showID, references: .to("shows", "show_id", onDelete: .cascade)),
    Field("added_to_library_at", \LibraryShow.addedToLibraryAt, isTime: true),
    Field("is_pinned", \LibraryShow.isPinned, default: .integer(0)),
    Field("library_notes", \LibraryShow.libraryNotes, sql: "TEXT"),
    Field("custom_rating", \LibraryShow.customRating, sql: "REAL"),
    Field("last_accessed_at", \LibraryShow.lastAccessedAt, isTime: true, sql: "INTEGER"),
    Field("tags", \LibraryShow.tags, sql: "TEXT"),
    make: LibraryShow.init)
}
