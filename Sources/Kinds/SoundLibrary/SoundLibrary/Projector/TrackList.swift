import CatalogModel
package import Projections
import Support

/// The tracks of a playlist at a time, as `playlist_track` holds them: one row for each place.
package enum TrackList {
  /// The ids in the order of the list.
  ///
  /// - Parameter at: `snapshot_at` of the rows.
  /// - Throws: `ProjectionError` with `drifted` where positions are not those from 0 on, each once.
  package static func ids(
    of playlist: String, at: Value, _ store: some RowStore
  ) throws -> [String] {
    let rows = try store.rows(
      by: SoundLibrarySchema.tracksBySnapshot, equal: [.text(playlist), at])
    var ids: [String?] = Array(repeating: nil, count: rows.count)
    for row in rows {
      guard case .text(let id) = row[1], case .integer(let position) = row[2],
        let place = Int(exactly: position), ids.indices.contains(place), ids[place] == nil
      else {
        throw ProjectionError(
          .drifted,
          "the tracks of playlist \(playlist) are not numbered from 0 in playlist_track: "
            + .changedByHand)
      }
      ids[place] = id
    }
    return ids.compactMap { $0 }
  }
}
