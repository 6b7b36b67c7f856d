public import CatalogEngine

/// The playlist that a change is about: its id, or a text that a person gave.
///
/// It is resolved on the rows that the change is planned on: between a look and the change, another process may give the
/// name to another playlist.
public protocol PlaylistReference: Sendable {
  /// - Throws: `PlaylistError` with `notFound` or `ambiguous`.
  func resolve(_ rows: ProvedRows) throws -> EntityID
}

extension EntityID: PlaylistReference {
  public func resolve(_ rows: ProvedRows) throws -> EntityID { self }
}

/// The name or the id of a playlist, as a person wrote it.
public struct PlaylistText: PlaylistReference {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  /// A text that is an id is one, whatever playlists are called. Capital letters count only between playlists whose names differ
  /// in nothing else.
  public func resolve(_ rows: ProvedRows) throws -> EntityID {
    if let id = EntityID(text) { return id }
    let name = NormalForm.nfc(text)
    let all = try rows.rows(of: TrackCollection.table)
    var ids = all.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.id)
    if ids.isEmpty {
      let lowered = name.lowercased()
      ids = all.filter { $0.name.lowercased().utf8.elementsEqual(lowered.utf8) }.map(\.id)
    }
    guard let id = ids.first else {
      throw PlaylistError(
        .notFound, "there is no playlist \"\(text)\"",
        suggestion: NearMiss.find(name, among: Set(all.map(\.name)).sorted()))
    }
    guard ids.count == 1 else {
      throw PlaylistError(
        .ambiguous,
        "\(ids.count) playlists are called \"\(text)\"; name one by its id: "
          + ids.map(\.description).joined(separator: ", "))
    }
    return id
  }
}
