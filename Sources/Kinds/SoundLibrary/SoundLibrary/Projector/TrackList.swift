import CatalogModel
import Projections
import Support

/// The tracks of a playlist at a time, as `playlist_track` holds them: one row for each place.
enum TrackList {
  /// The ids in the order of the list.
  ///
  /// - Parameter at: `snapshot_at` of the rows.
  /// - Throws: `ProjectionError` with `drifted` where positions are not those from 0 on, each once.
  static func ids(
    of playlist: String, at: Timestamp, _ store: some RowStore
  ) throws -> [String] {
    let rows = try store.rows(
      of: PlaylistPlace.table, by: PlaylistPlace.bySnapshot, equal: playlist, at)
    var ids: [String?] = Array(repeating: nil, count: rows.count)
    for row in rows {
      guard let place = Int(exactly: row.position), ids.indices.contains(place), ids[place] == nil
      else {
        throw ProjectionError(
          .drifted,
          "the tracks of playlist \(playlist) are not numbered from 0 in playlist_track: "
            + .changedByHand)
      }
      ids[place] = row.trackID
    }
    return ids.compactMap { $0 }
  }
}
