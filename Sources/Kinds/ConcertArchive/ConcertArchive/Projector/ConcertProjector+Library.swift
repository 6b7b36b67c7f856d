import CatalogModel
import Projections

/// What a person does: the library, and what was played.
extension ConcertProjector {
  /// Adding again what is in the library keeps its time, notes and pin.
  func addToLibrary(_ id: String) throws {
    guard var show = try rows.row(of: Show.table, key: id) else { throw noShow(id) }
    guard try rows.row(of: LibraryShow.table, key: id) == nil else { return }
    try rows.put(
      LibraryShow(
        showID: id, addedToLibraryAt: at, isPinned: false, libraryNotes: nil, customRating: nil,
        lastAccessedAt: nil, tags: nil),
      in: LibraryShow.table)
    show.isInLibrary = true
    show.libraryAddedAt = at
    try rows.put(show, in: Show.table)
  }

  func removeFromLibrary(_ id: String) throws {
    _ = try libraryShow(id)
    try rows.remove(of: LibraryShow.table, key: id)
    guard var show = try rows.row(of: Show.table, key: id) else { return }
    show.isInLibrary = false
    show.libraryAddedAt = nil
    try rows.put(show, in: Show.table)
  }

  /// Changes what the library says of a show.
  func changeSaved(_ id: String, _ change: (inout LibraryShow) -> Void) throws {
    var show = try libraryShow(id)
    change(&show)
    try rows.put(show, in: LibraryShow.table)
  }

  private func libraryShow(_ id: String) throws -> LibraryShow {
    guard let show = try rows.row(of: LibraryShow.table, key: id) else {
      throw ProjectionError(contradiction: "the show \(id) is not in the library")
    }
    return show
  }

  // MARK: Plays

  /// Counts a play.
  func play(_ id: String, number: Int64) throws {
    guard try rows.value(0, in: Show.table.description, key: [.text(id)]) != nil else {
      throw noShow(id)
    }
    var recent =
      try rows.row(of: RecentShow.table, key: id)
      ?? RecentShow(
        showID: id, lastPlayedTimestamp: at, firstPlayedTimestamp: at, totalPlayCount: 0)
    // Clocks may be set back between two plays.
    recent.lastPlayedTimestamp = max(recent.lastPlayedTimestamp, at)
    recent.totalPlayCount = recent.totalPlayCount &+ 1
    try rows.put(recent, in: RecentShow.table)
    try rows.put(
      CountedPlay(showID: id, sequence: number, playCount: recent.totalPlayCount),
      in: CountedPlay.table)
    guard var saved = try rows.row(of: LibraryShow.table, key: id) else { return }
    saved.lastAccessedAt = max(saved.lastAccessedAt ?? at, at)
    try rows.put(saved, in: LibraryShow.table)
  }

  func clear(_ cleared: ClearedRecent) throws {
    switch cleared {
    case .show(let id): try rows.remove(of: RecentShow.table, key: id)
    case .before(let time):
      for recent in try rows.rows(of: RecentShow.table)
      where recent.lastPlayedTimestamp < time.milliseconds {
        try rows.remove(of: RecentShow.table, key: recent.showID)
      }
    }
  }
}
