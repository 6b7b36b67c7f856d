import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "What two programs save at once in the same playlist and track, both have",
    by: "saves at once, saves that are cancelled"))
struct LibraryRepositoryTests {
  private func track(_ number: Int, _ title: String = "Track") -> Track {
    Track(
      id: .number(number), title: title, artist: "A", album: "B", albumArtist: "C", duration: 1.5,
      fileURL: "file:///\(number).mp3", artworkURL: "https://example.com/a",
      artworkData: [1, 2, UInt8(number % 250)], genre: "G", year: 1999, trackNumber: 7)
  }

  @Test func whatIsSavedIsLoaded() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    let tracks = [track(1), track(2), track(3)]
    let collections = [
      SavedCollection(
        id: .number(11), name: "Mix", trackIDs: [.number(2), .number(1), .number(2)]),
      SavedCollection(id: .number(12), name: "Empty", trackIDs: []),
    ]
    try await repository.saveTracks(tracks)
    try await repository.saveCollections(collections)
    let other = test.library.repository()
    #expect(try await other.loadTracks() == tracks)
    #expect(try await other.loadCollections() == collections)
    #expect(try await other.save(tracks: tracks, collections: collections).outcome == .unchanged)
    #expect(try test.sql("SELECT count(*) FROM projection_artwork") == ["3"])
  }

  /// A save appends the difference, not everything.
  @Test func aSaveAppendsTheDifference() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    var tracks = (1...20).map { track($0) }
    try await repository.saveTracks(tracks)
    tracks[3].title = "Other"
    tracks.remove(at: 7)
    let report = try await repository.save(tracks: tracks, collections: nil)
    #expect(report.events == 2)
    #expect(try await test.library.repository().loadTracks() == tracks)
  }

  /// DELETE FROM tracks, with cascades on, empties every collection when the process ends before the inserts.
  @Test func savingTracksNeverEmptiesACollection() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    var tracks = (1...4).map { track($0) }
    var collection = SavedCollection(id: .number(11), name: "Mix", trackIDs: tracks.map(\.id))
    try await repository.save(tracks: tracks, collections: [collection])
    tracks[0].title = "Other"
    tracks.append(track(5))
    try await repository.saveTracks(tracks)
    #expect(try await test.library.repository().loadCollections() == [collection])
    // Both in one batch: a track and its place go together.
    collection.trackIDs.removeFirst()
    tracks.removeFirst()
    let before = try test.sql("SELECT count(*) FROM collection_tracks")
    let report = try await repository.save(tracks: tracks, collections: [collection])
    #expect(before == ["4"])
    #expect(report.events == 2)
    #expect(try await test.library.repository().loadCollections() == [collection])
  }

  /// A save that is cancelled is whole or not there.
  @Test(arguments: [0, 1, 5, 20])
  func aSaveThatIsCancelledIsWholeOrNotThere(_ milliseconds: Int) async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    let tracks = (1...300).map { track($0) }
    let before = SavedCollection(id: .number(999), name: "Mix", trackIDs: [.number(1)])
    try await repository.save(tracks: [track(1)], collections: [before])
    let after = SavedCollection(id: .number(999), name: "Mix", trackIDs: tracks.map(\.id))
    let save = Task { try await repository.save(tracks: tracks, collections: [after]) }
    try await Task.sleep(for: .milliseconds(milliseconds))
    save.cancel()
    _ = try? await save.value
    let other = test.library.repository()
    let (count, collections) = (
      try await other.loadTracks().count, try await other.loadCollections()
    )
    #expect(
      count == 300 && collections == [after] || count == 1 && collections == [before],
      "\(count) tracks")
    // And the next one is.
    try await repository.save(tracks: tracks, collections: [after])
    #expect(try await other.loadCollections() == [after])
  }

  /// A playlist with one track twice survives save, load, M3U and load again.
  @Test func aTrackThatIsThereTwiceSurvivesSaveLoadAndM3U() async throws {
    let (test, copy) = (try await TestLibrary(), try await TestLibrary())
    let mix = SavedCollection(
      id: .number(11), name: "Mix", trackIDs: [.number(2), .number(1), .number(2)])
    try await test.library.repository().save(tracks: [track(1), track(2)], collections: [mix])
    #expect(try await test.library.repository().loadCollections() == [mix])
    let playlist = try #require(try await test.library.playlists.playlist(mix.id))
    try await copy.importing(try playlist.m3u8(), as: "mix.m3u8")
    let tracks = try await copy.library.repository().loadTracks()
    let loaded = try #require(try await copy.library.repository().loadCollections().first)
    #expect(loaded.id == mix.id)
    #expect(loaded.name == "Mix")
    let places = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.fileURL) })
    #expect(
      loaded.trackIDs.map { places[$0] } == ["file:///2.mp3", "file:///1.mp3", "file:///2.mp3"])
  }

  @Test func savesAtOnceLoseNothing() async throws {
    let test = try await TestLibrary()
    let shared = test.library.repository()
    try await shared.saveTracks([track(1)])
    try await withThrowingTaskGroup { group in
      for number in 2...9 {
        group.addTask {
          // Half of them share a repository, the others have one each.
          let repository = number.isMultiple(of: 2) ? shared : test.library.repository()
          let loaded = try await repository.loadTracks()
          try await repository.saveTracks(
            loaded.filter { $0.id == .number(1) } + [self.track(number)])
        }
      }
      try await group.waitForAll()
    }
    let found = try await test.library.repository().loadTracks().map(\.id)
    #expect(found.contains(.number(1)))
    // An app that holds what it loaded, and adds to it, loses nothing that others added.
    let left = test.library.repository()
    let right = test.library.repository()
    let (ofLeft, ofRight) = (try await left.loadTracks(), try await right.loadTracks())
    async let first: Void = left.saveTracks(ofLeft + [track(20)])
    async let second: Void = right.saveTracks(ofRight + [track(21)])
    _ = try await (first, second)
    let all = Set(try await test.library.repository().loadTracks().map(\.id))
    #expect(all == Set(found + [.number(20), .number(21)]))
  }

  @Test func whatCannotBeSavedIsRefusedWhole() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    var noPlace = track(2)
    noPlace.fileURL = "relative.mp3"
    var samePlace = track(3)
    samePlace.fileURL = "file://localhost/1.mp3"
    var large = track(4)
    large.artworkData = [UInt8](repeating: 0, count: Artwork.limit + 1)
    var endless = track(5)
    endless.duration = .infinity
    var text = track(6)
    text.title = "a\0"
    for (bad, code) in [
      (noPlace, SaveError.Code.urlRefused), (samePlace, .duplicateURL), (large, .artworkTooLarge),
      (endless, .durationRefused), (text, .textRefused), (track(1), .duplicateID),
    ] {
      let error = await #expect(throws: SaveError.self) {
        try await repository.saveTracks([track(1), bad])
      }
      #expect(error?.code == code)
    }
    #expect(try test.uris().isEmpty)
    await #expect(throws: ProjectionError.self) {
      try await repository.saveCollections([
        SavedCollection(id: .number(11), name: "Mix", trackIDs: [.number(1)])
      ])
    }
    #expect(try test.sql("SELECT count(*) FROM collections") == ["0"])
  }

  /// Two apps that loaded the same change the same playlist and the same track.
  @Test func whatOthersWroteInThePlaylistAndTheTrackStays() async throws {
    let test = try await TestLibrary()
    let (one, other) = (test.library.repository(), test.library.repository())
    let mix = SavedCollection(id: .number(11), name: "Mix", trackIDs: [.number(1), .number(2)])
    try await one.save(tracks: [track(1), track(2), track(3), track(4)], collections: [mix])
    var (mine, theirs) = (try await one.loadTracks(), try await other.loadTracks())
    var (myMix, theirMix) = (mix, mix)
    _ = try await other.loadCollections()
    theirs[0].title = "Their title"
    theirMix.trackIDs.append(.number(3))
    try await other.save(tracks: theirs, collections: [theirMix])
    mine[0].genre = "My genre"
    myMix.trackIDs.insert(.number(4), at: 0)
    myMix.name = "My mix"
    try await one.save(tracks: mine, collections: [myMix])
    let saved = try #require(try await test.library.repository().loadTracks().first)
    #expect(saved.title == "Their title")
    #expect(saved.genre == "My genre")
    #expect(
      try await test.library.repository().loadCollections() == [
        SavedCollection(
          id: .number(11), name: "My mix",
          trackIDs: [.number(4), .number(1), .number(2), .number(3)])
      ])
  }

  /// A save that begins while another is under way compares with what that one made known.
  @Test func savesOfOneRepositoryFollowEachOther() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    try await repository.saveTracks([track(1)])
    async let more: Void = repository.saveTracks((1...40).map { track($0) })
    async let less: Void = repository.saveTracks((1...20).map { track($0) })
    _ = try await (more, less)
    let left = try await test.library.repository().loadTracks().count
    // The later of both counts as a whole.
    #expect([20, 40].contains(left))
    try await repository.saveTracks([])
    #expect(try await test.library.repository().loadTracks().isEmpty)
  }

  /// Tracks that go together leave a playlist together: it is written once, not once a track.
  @Test func tracksThatGoTogetherLeaveAPlaylistOnce() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    let all = (1...6).map { track($0) }
    let mix = SavedCollection(id: .number(11), name: "Mix", trackIDs: all.map(\.id) + [all[5].id])
    try await repository.save(tracks: all, collections: [mix])
    let report = try await repository.save(tracks: Array(all.suffix(2)), collections: nil)
    #expect(report.events == 5)
    #expect(
      try await test.library.repository().loadCollections().first?.trackIDs
        == [.number(5), .number(6), .number(6)])
    #expect(try test.sql("SELECT track_count FROM projection_collection_order") == ["3"])
  }

  /// A file that another one replaces in the same save: the place is free.
  @Test func aTrackTakesThePlaceOfOneThatGoes() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    try await repository.save(
      tracks: [track(1)],
      collections: [SavedCollection(id: .number(11), name: "Mix", trackIDs: [.number(1)])])
    var other = track(2)
    other.fileURL = track(1).fileURL
    let collection = SavedCollection(id: .number(11), name: "Mix", trackIDs: [.number(2)])
    try await repository.save(tracks: [other], collections: [collection])
    #expect(try await test.library.repository().loadTracks() == [other])
    #expect(try await test.library.repository().loadCollections() == [collection])
  }

  /// An empty picture is none: the same is written for both.
  @Test func anEmptyPictureIsNone() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    var one = track(1)
    one.artworkData = []
    try await repository.saveTracks([one])
    #expect(try test.sql("SELECT count(*) FROM projection_artwork") == ["0"])
    #expect(try await test.library.repository().loadTracks().first?.artworkData == nil)
    #expect(try await repository.save(tracks: [one], collections: nil).outcome == .unchanged)
  }

  /// The brief's "unopened database": each call throws an error with a code.
  @Test func aDatabaseThatIsNotOpenIsAnError() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    try await repository.saveTracks([track(1)])
    test.library.close()
    for call in ["tracks", "collections", "save", "list"] {
      let error = await #expect(throws: StoreError.self) {
        switch call {
        case "tracks": _ = try await repository.loadTracks()
        case "collections": _ = try await repository.loadCollections()
        case "save": try await repository.saveTracks([])
        default: _ = try await test.library.albums.list(limit: 1)
        }
      }
      #expect(error?.code == .closed)
    }
  }
}
