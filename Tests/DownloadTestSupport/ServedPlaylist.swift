import CatalogModel

/// A playlist as Apple Music's catalog has it.
package struct ServedPlaylist: Sendable {
  package struct Track: Sendable {
    package var id: String
    package var kind = "songs"
    /// Nil for a track that was taken out of the storefront: it has no attributes at all.
    package var title: String?
    package var artist = "An Artist"
    package var album: String?
    package var milliseconds: Int?
    package var artworkURL: String?

    package init(id: String, title: String?) {
      self.id = id
      self.title = title
    }
  }

  package var id: String
  package var storefront = "us"
  package var title: String
  package var curator: String?
  package var description: String?
  package var lastModified: String?
  package var isPlayable = true
  package var tracks: [Track]

  package init(id: String, title: String, tracks: [Track] = []) {
    self.id = id
    self.title = title
    self.tracks = tracks
  }

  /// - Parameter tracks: numbers of tracks; the same number is the same track.
  package init(id: String, numbers tracks: some Sequence<Int>) {
    self.init(
      id: id, title: "Playlist \(id)",
      tracks: tracks.map { number in
        var track = Track(id: "\(1_000_000 + number)", title: "Track \(number)")
        track.album = number % 3 == 0 ? nil : "Album \(number / 10)"
        track.milliseconds = 180_000 + number
        return track
      })
  }

  var path: String { "/v1/catalog/\(storefront)/playlists/\(id)" }

  /// The answer to a request for the playlist itself.
  package var document: String {
    let attributes = Self.object([
      "name": .string(title), "curatorName": curator.map(JSONValue.string),
      "description": description.map { Self.object(["standard": .string($0)]) },
      "lastModifiedDate": lastModified.map(JSONValue.string),
      "url": .string("https://music.apple.com/\(storefront)/playlist/\(id)"),
      "artwork": Self.object(["url": .string("https://example.org/\(id)/{w}x{h}.jpg")]),
      "playParams": isPlayable
        ? Self.object(["id": .string(id), "kind": .string("playlist")]) : nil,
    ])
    let resource = Self.object([
      "id": .string(id), "type": .string("playlists"), "href": .string(path),
      "attributes": attributes,
    ])
    return Self.object(["data": .array([resource])]).description
  }

  /// The answer to a request for some of its tracks.
  ///
  /// - Parameter next: nil for the last page.
  package func page(_ part: Range<Int>, next: String?) -> String {
    Self.object([
      "data": .array(tracks[part].map { $0.resource(in: storefront) }),
      "next": next.map(JSONValue.string),
    ]).description
  }

  /// Without the members whose value is nil.
  fileprivate static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(
      members.compactMap { member in
        member.value.map { JSONValue.Member(key: member.key, value: $0) }
      })
  }
}

extension ServedPlaylist.Track {
  fileprivate func resource(in storefront: String) -> JSONValue {
    let attributes = title.map { title in
      ServedPlaylist.object([
        "name": .string(title), "artistName": .string(artist),
        "albumName": album.map(JSONValue.string),
        "durationInMillis": milliseconds.map { .number("\($0)") },
        "artwork": artworkURL.map { ServedPlaylist.object(["url": .string($0)]) },
      ])
    }
    return ServedPlaylist.object([
      "id": .string(id), "type": .string(kind),
      "href": .string("/v1/catalog/\(storefront)/\(kind)/\(id)"), "attributes": attributes,
    ])
  }
}
