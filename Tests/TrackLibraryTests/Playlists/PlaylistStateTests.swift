import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "Any sequence of edits and states of a playlist gives the last one, and an edit of a "
      + "long playlist is a short event"))
struct PlaylistStateTests {
  /// Any sequence of states, replayed in order, gives the last state of each; positions have no gaps; a rebuild makes
  /// the same rows.
  @Test(arguments: UInt64(1)...4)
  func statesInOrderGiveTheLast(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library((1...12).map { LibraryText.track($0, "T\($0)", file: "/\($0).mp3") }),
      as: "library.json")
    let playlists = test.library.playlists
    var random = SplitMix(seed: seed)
    var model: [EntityID: [EntityID]] = [:]
    var tracks = (1...12).map(EntityID.number)
    for number in 100..<104 {
      try await playlists.create(.number(number), name: "List \(number)")
      model[.number(number)] = []
    }
    for step in 0..<60 {
      let id = EntityID.number(100 + random.below(4))
      var state = model[id] ?? []
      switch random.below(7) {
      case 0, 1:
        let added = (0..<random.below(4)).map { _ in random.pick(tracks) }
        let place = random.below(state.count + 1)
        try await playlists.add(added, to: id, at: place)
        state.insert(contentsOf: added, at: place)
      case 2 where !state.isEmpty:
        let place = random.below(state.count)
        try await playlists.remove(at: place, from: id)
        state.remove(at: place)
      case 3 where !state.isEmpty:
        let (from, to) = (random.below(state.count), random.below(state.count))
        try await playlists.move(from: from, to: to, in: id)
        state.insert(state.remove(at: from), at: to)
      case 4 where step % 10 == 0 && tracks.count > 3:
        let gone = tracks.remove(at: random.below(tracks.count))
        try await test.library.tracks.remove(gone)
        for (list, ids) in model { model[list] = ids.filter { $0 != gone } }
        state = model[id] ?? []
      case 5:
        // A track that gets longer or shorter makes its playlists so.
        let number = random.pick(tracks)
        let repository = test.library.repository()
        var all = try await repository.loadTracks()
        for place in all.indices where all[place].id == number {
          all[place].duration = Double(random.below(900_000)) / 1_000
        }
        try await repository.saveTracks(all)
      default: continue
      }
      model[id] = state
    }
    for (id, state) in model {
      #expect(try await playlists.playlist(id)?.tracks.map(\.id) == state)
    }
    #expect(
      try test.sql(
        "SELECT collection_id FROM collection_tracks GROUP BY 1 HAVING max(position) <> count(*) - 1 OR min(position) <> 0"
      ).isEmpty)
    #expect(try test.sql("PRAGMA foreign_key_check").isEmpty)
    // What the list of playlists says of each is what its tracks say.
    #expect(
      try test.sql(
        """
        SELECT * FROM projection_collection_order AS listed
        WHERE (track_count, milliseconds) IS NOT (
          SELECT count(*), CAST(ifnull(sum(round(duration * 1000)), 0) AS INTEGER)
          FROM collection_tracks JOIN tracks ON tracks.id = track_id
          WHERE collection_id = listed.collection_id)
        """
      ).isEmpty)
    #expect(try test.sql("SELECT sum(track_count) > 0 FROM projection_collection_order") == ["1"])
    let before = try test.rows()
    #expect(before.count > 15)
    _ = try await test.catalog.rebuild()
    #expect(try test.rows() == before)
  }

  @Test func whatIsNotThereIsRefused() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let (playlists, id) = (test.library.playlists, EntityID.number(10))
    func refuses(_ code: PlaylistError.Code, _ change: () async throws -> ChangeReport) async {
      let error = await #expect(throws: PlaylistError.self) { _ = try await change() }
      #expect(error?.code == code)
    }
    await refuses(.noPosition) { try await playlists.remove(at: 3, from: id) }
    await refuses(.noPosition) { try await playlists.remove(at: -1, from: id) }
    await refuses(.noPosition) { try await playlists.move(from: 0, to: 3, in: id) }
    await refuses(.noPosition) { try await playlists.add([.number(1)], to: id, at: 4) }
    await refuses(.notFound) { try await playlists.delete(EntityID.number(11)) }
    await refuses(.notFound) { try await playlists.rename(EntityID.number(11), to: "x") }
    await refuses(.nameRefused) { try await playlists.rename(id, to: " ") }
    await refuses(.taken) { try await playlists.create(id, name: "x") }
    await refuses(.textRefused) { try await playlists.change(id, description: "a\0b") }
    await refuses(.textRefused) {
      try await playlists.change(id, artworkURL: String(repeating: "a", count: 65_537))
    }
    await refuses(.textRefused) {
      try await playlists.create(.number(12), name: "x", description: "\0")
    }
    await #expect(throws: ProjectionError.self) { try await playlists.add([.number(9)], to: id) }
    #expect(try await playlists.playlist(id)?.tracks.count == 3)
  }

  /// Nothing is said in one way, whoever says it.
  @Test func anEmptyDescriptionIsNone() async throws {
    let test = try await TestLibrary()
    let (playlists, id) = (test.library.playlists, EntityID.number(10))
    try await playlists.create(id, name: "Evening", description: "")
    #expect(try test.sql("SELECT description IS NULL FROM collection_info") == ["1"])
    #expect(try await playlists.change(id, description: "").outcome == .unchanged)
    try await playlists.change(id, description: "late", artworkURL: "https://example.com/a")
    try await playlists.change(id, name: "Night")
    #expect(
      try test.sql(
        "SELECT name, description, artwork_url FROM collections JOIN collection_info ON id = collection_id"
      )
        == ["Night|late|https://example.com/a"])
    try await playlists.change(id, description: "")
    #expect(
      try test.sql("SELECT description, artwork_url FROM collection_info") == [
        "|https://example.com/a"
      ])
  }

  /// A log may have been written by any program: no number of it ends a replay.
  @Test(arguments: [-1e300, -5, 0, 1e300, 4e17])
  func aDurationMayBeAnyNumber(_ duration: Double) async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let track = try #require(try await test.library.tracks.track(.number(1)))
    let facts = TrackFacts(
      id: track.id, title: track.title, artist: "", album: "", duration: duration,
      fileURL: track.fileURL, source: "local", uri: "file:///Music/nocturne.mp3")
    try await test.catalog.change(by: "test") { _ in [.trackUpserted(facts)] }
    _ = try await test.library.playlists.list(limit: 9)
    let before = try test.rows()
    _ = try await test.catalog.rebuild()
    #expect(try test.rows() == before)
  }

  @Test func playsAreCountedAndOutliveTheTrack() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    let tracks = test.library.tracks
    for _ in 0..<3 { try await tracks.play(.number(1)) }
    await #expect(throws: ProjectionError.self) { try await tracks.play(.number(9)) }
    try await tracks.remove(.number(1))
    let plays = try #require(try await tracks.plays(of: .number(1)))
    #expect(plays.playCount == 3)
    #expect(plays.firstPlayedAt < plays.lastPlayedAt)
    #expect(try await test.uris(of: .number(10)) == ["file:///Music/field.mp3"])
  }
}
