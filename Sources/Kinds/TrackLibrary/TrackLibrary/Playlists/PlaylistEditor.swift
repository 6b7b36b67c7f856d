public import CatalogEngine

/// Lists, changes and exports playlists.
public struct PlaylistEditor: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  // MARK: Reading

  /// Playlists by name, page by page. Case and accents do not count.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<PlaylistLine> {
    try await catalog.page(of: PlaylistLine.list, limit: limit, after: cursor)
  }

  /// The playlist with this id; nil if there is none.
  public func playlist(_ id: EntityID) async throws -> Playlist? {
    try await catalog.read { rows in
      guard let collection = try rows.row(of: TrackCollection.table, key: id),
        let info = try rows.row(of: CollectionInfo.table, key: id)
      else { return nil }
      let tracks = try rows.rows(
        as: TrackLine.shape,
        of: """
          SELECT \(TrackLine.columns) FROM collection_tracks
          JOIN tracks ON tracks.id = collection_tracks.track_id \(TrackLine.join)
          WHERE collection_tracks.collection_id = ? ORDER BY collection_tracks.position
          """, [id])
      return Playlist(
        id: id, name: collection.name, description: info.description, artworkURL: info.artworkURL,
        dateCreated: info.dateCreated, dateModified: info.dateModified, tracks: tracks)
    }
  }

  /// The id of the playlist that a text names.
  ///
  /// - Throws: `PlaylistError` with `notFound`, `ambiguous`.
  public func id(of playlist: PlaylistText) async throws -> EntityID {
    try await catalog.readProved(loading: [TrackCollection.table.description]) {
      try playlist.resolve($0)
    }
  }

  // MARK: Changing

  /// Adds an empty playlist.
  ///
  /// - Parameter description: nil or empty for none.
  /// - Throws: `PlaylistError` with `taken`, `nameRefused`, `textRefused`.
  @discardableResult
  public func create(
    _ id: EntityID, name: String, description: String? = nil
  ) async throws -> ChangeReport {
    let name = try PlaylistError.name(name)
    let description = try description.flatMap { try PlaylistError.text($0, "the description") }
    return try await catalog.change(by: "person") { rows in
      guard try rows.row(of: TrackCollection.table, key: id) == nil else {
        throw PlaylistError(.taken, "there is a playlist \(id) already")
      }
      return [.collectionUpserted(CollectionFacts(id: id, name: name, description: description))]
    }
  }

  /// Gives a playlist another name.
  ///
  /// - Throws: `PlaylistError` with `notFound`, `nameRefused`.
  @discardableResult
  public func rename(
    _ playlist: some PlaylistReference, to name: String
  ) async throws -> ChangeReport {
    try await change(playlist, name: name)
  }

  /// Changes what is said of a playlist; its tracks stay.
  ///
  /// - Parameters:
  ///   - name: nil for the one that it has.
  ///   - description: nil for the one that it has; empty for none.
  ///   - artworkURL: nil for the one that it has; empty for none.
  /// - Throws: `PlaylistError` with `notFound`, `nameRefused`, `textRefused`.
  @discardableResult
  public func change(
    _ playlist: some PlaylistReference, name: String? = nil, description: String? = nil,
    artworkURL: String? = nil
  ) async throws -> ChangeReport {
    let name = try name.map(PlaylistError.name)
    // Of both: nil for what stays, a text or none for what changes.
    let description = try description.map { try PlaylistError.text($0, "the description") }
    let artworkURL = try artworkURL.map { try PlaylistError.text($0, "the address") }
    return try await catalog.change(by: "person") { rows in
      let id = try playlist.resolve(rows)
      let known = try Self.require(id, rows)
      let facts = CollectionFacts(
        id: id, name: name ?? known.name, description: description ?? known.description,
        artworkURL: artworkURL ?? known.artworkURL)
      return facts == known ? [] : [.collectionUpserted(facts)]
    }
  }

  /// Removes a playlist; its tracks stay.
  ///
  /// - Throws: `PlaylistError` with `notFound`.
  @discardableResult
  public func delete(_ playlist: some PlaylistReference) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      let id = try playlist.resolve(rows)
      _ = try Self.require(id, rows)
      return [.collectionRemoved(id)]
    }
  }

  /// Puts tracks into a playlist.
  ///
  /// - Parameter position: of the first of them, from 0; nil for the end.
  /// - Throws: `PlaylistError` with `notFound`, `noPosition`; `ProjectionError` with `contradiction` for a track that is
  ///   not in the library.
  @discardableResult
  public func add(
    _ tracks: [EntityID], to playlist: some PlaylistReference, at position: Int? = nil
  ) async throws -> ChangeReport {
    try await change(playlist) { all in
      let place = position ?? all.count
      guard 0...all.count ~= place else { throw PlaylistError.noPosition(place, all.count) }
      all.insert(contentsOf: tracks, at: place)
    }
  }

  /// Takes the track at a position out. The same track elsewhere in the playlist stays.
  ///
  /// - Throws: `PlaylistError` with `notFound`, `noPosition`.
  @discardableResult
  public func remove(
    at position: Int, from playlist: some PlaylistReference
  ) async throws -> ChangeReport {
    try await change(playlist) { all in
      guard all.indices.contains(position) else {
        throw PlaylistError.noPosition(position, all.count - 1)
      }
      all.remove(at: position)
    }
  }

  /// Moves the track at a position to another one, counted without it.
  ///
  /// - Throws: `PlaylistError` with `notFound`, `noPosition`.
  @discardableResult
  public func move(
    from position: Int, to target: Int, in playlist: some PlaylistReference
  ) async throws -> ChangeReport {
    try await change(playlist) { all in
      for place in [position, target] where !all.indices.contains(place) {
        throw PlaylistError.noPosition(place, all.count - 1)
      }
      all.insert(all.remove(at: position), at: target)
    }
  }

  private func change(
    _ playlist: some PlaylistReference,
    _ body: @escaping @Sendable (inout [EntityID]) throws -> Void
  ) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      let id = try playlist.resolve(rows)
      _ = try Self.require(id, rows)
      let known = try rows.tracks(of: id)
      var tracks = known
      try body(&tracks)
      return tracks == known ? [] : [.collectionTracks(of: id, from: known, to: tracks)]
    }
  }

  private static func require(_ id: EntityID, _ rows: ProvedRows) throws -> CollectionFacts {
    guard let collection = try rows.collection(id) else {
      throw PlaylistError(.notFound, "there is no playlist \(id)")
    }
    return collection
  }
}
