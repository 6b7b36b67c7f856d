import CatalogEngine

/// The tracks that a document, by the ids that it gives, finds at another place than they were: the place before is free
/// for another track, wherever in the document that stands.
struct TrackRelocation {
  private(set) var ids: Set<EntityID> = []

  /// - Parameters:
  ///   - tracks: of a document.
  ///   - place: the URI of a track before the document; nil for one that is new.
  ///   - owner: the track that had a URI before the document.
  init(
    _ tracks: [DocumentTrack], place: (EntityID) throws -> String?,
    owner: (String) throws -> EntityID?
  ) throws {
    // Of two ids of one place, the first counts.
    var uris: Set<String> = []
    var claims: [EntityID: String] = [:]
    for track in tracks where uris.insert(track.uri).inserted {
      guard let id = track.id, claims[id] == nil else { continue }
      if let known = try place(id), known != track.uri { claims[id] = track.uri }
    }
    var answers: [EntityID: Bool] = [:]
    for track in tracks {
      guard let id = track.id, claims[id] != nil else { continue }
      if try moves(id, claims, &answers, owner) { ids.insert(id) }
    }
  }

  /// Whether a track gets the place that the document says: it is free, or its owner moves too.
  private func moves(
    _ id: EntityID, _ claims: [EntityID: String], _ answers: inout [EntityID: Bool],
    _ owner: (String) throws -> EntityID?
  ) throws -> Bool {
    var path: Set<EntityID> = []
    var answer: Bool?
    var id = id
    while answer == nil {
      if let known = answers[id] {
        answer = known
      } else if let uri = claims[id] {
        // All tracks of a circle move.
        guard path.insert(id).inserted, let next = try owner(uri) else {
          answer = true
          break
        }
        id = next
      } else {
        answer = false
      }
    }
    for id in path { answers[id] = answer }
    return answer == true
  }
}
