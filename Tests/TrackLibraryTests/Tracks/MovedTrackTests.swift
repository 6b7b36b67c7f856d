import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

/// Files that moved, some of them to where others were: ids follow the files.
@Suite(
  .promise(
    "Files that take each other's places keep their ids",
    by: "compared with a model, imports and saves"))
struct MovedTrackTests {
  private func track(_ number: Int, at place: Int) -> Track {
    Track(
      id: .number(number), title: "T\(number)", artist: "An Artist", album: "An Album",
      duration: Double(100 + number) + 0.5, fileURL: "file:///\(place).mp3")
  }

  private func document(_ tracks: [(number: Int, place: Int)], playlist: [Int]? = nil) -> String {
    LibraryText.library(
      tracks.map { LibraryText.track($0.number, "T\($0.number)", file: "/\($0.place).mp3") },
      playlist.map { [LibraryText.collection(900, "Mix", $0)] } ?? [])
  }

  private func places(_ test: TestLibrary) throws -> [String] {
    try test.sql(
      """
      SELECT title || '@' || uri FROM tracks JOIN track_source ON track_id = id
      ORDER BY CAST(substr(title, 2) AS INTEGER)
      """
    ).map { $0.replacing("file:///", with: "").replacing(".mp3", with: "") }
  }

  /// The successor stands before the track that moved: before, both exchanged their ids.
  @Test(arguments: [[(9, 1), (3, 2)], [(3, 2), (9, 1)]])
  func aSuccessorMayStandBeforeWhatMoved(_ tracks: [(Int, Int)]) async throws {
    let test = try await TestLibrary()
    try await test.importing(document([(3, 1)], playlist: [3, 3]), as: "library.json")
    let report = try await test.importing(
      document(tracks, playlist: [3, 9, 3]), as: "library.json")
    #expect(report.remarks.isEmpty)
    #expect(try places(test) == ["T3@2", "T9@1"])
    #expect(
      try await test.library.playlists.playlist(.number(900))?.tracks.map(\.id)
        == [.number(3), .number(9), .number(3)])
  }

  /// The place where a track says it is belongs to a track that stays: it does not move, and nor does what waits for it.
  @Test func aTrackDoesNotMoveToWhereAnotherStays() async throws {
    let test = try await TestLibrary()
    try await test.importing(document([(1, 1), (2, 2), (3, 3)]), as: "library.json")
    let report = try await test.importing(document([(2, 1), (3, 2)]), as: "library.json")
    #expect(report.remarks.count == 2)
    #expect(
      try test.sql("SELECT track_id, uri FROM track_source ORDER BY 1") == [
        "\(EntityID.number(1))|file:///1.mp3", "\(EntityID.number(2))|file:///2.mp3",
        "\(EntityID.number(3))|file:///3.mp3",
      ])
  }

  /// Any tracks at any places, then at any others, in documents of any order, of which one import may have several: the
  /// library has them where the last document says.
  @Test(arguments: UInt64(1)...8)
  func tracksAreWhereTheLastDocumentSays(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    var random = SplitMix(seed: seed)
    var last: [(number: Int, place: Int)] = []
    for round in 0..<4 {
      var paths: [String] = []
      for part in 0..<(1 + random.below(2)) {
        // All tracks before are named again, so that a place which is taken is taken by one that moves.
        var places = Array(0..<(last.count + 4))
        for place in places.indices { places.swapAt(place, random.below(places.count)) }
        let isStill = random.below(3) == 0
        var tracks = last.enumerated().map { offset, track in
          (track.number, isStill ? track.place : places[offset])
        }
        let used = Set(tracks.map(\.1))
        let free = places.filter { !used.contains($0) }
        for offset in 0..<(last.isEmpty ? 3 : random.below(3)) {
          tracks.append((last.count + offset, free[offset]))
        }
        last = tracks.map { (number: $0.0, place: $0.1) }
        for place in tracks.indices { tracks.swapAt(place, random.below(tracks.count)) }
        paths.append(
          try test.folder.write(
            document(tracks.map { (number: $0.0, place: $0.1) }),
            to: "\(round)-\(part).json"))
      }
      let report = try await test.library.imports.apply(paths)
      // By chance one says what an earlier one said, byte by byte.
      #expect(report.remarks.allSatisfy { $0.message.contains("was imported before") })
      #expect(
        try places(test)
          == last.sorted { $0.number < $1.number }.map { "T\($0.number)@\($0.place)" })
    }
    try await expectSameAfterRebuild(test)
  }

  /// A person's program renames files: one after the other, or in a circle.
  @Test(arguments: UInt64(1)...8)
  func aSaveMayMoveTracksAnywhere(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    var random = SplitMix(seed: seed)
    var tracks = (0..<8).map { track($0, at: $0) }
    let mix = SavedCollection(
      id: .number(900), name: "Mix", trackIDs: tracks.map(\.id) + tracks.map(\.id))
    try await repository.save(tracks: tracks, collections: [mix])
    for _ in 0..<4 {
      var places = Array(0..<10)
      for place in places.indices { places.swapAt(place, random.below(places.count)) }
      for place in tracks.indices where random.below(4) > 0 || places[place] > 7 {
        tracks[place].fileURL = "file:///\(places[place]).mp3"
      }
      guard Set(tracks.map(\.fileURL)).count == tracks.count else {
        // Two that say they are at one place: refused whole, and the repository is as it was.
        let log = try test.log()
        let error = await #expect(throws: SaveError.self) {
          try await repository.saveTracks(tracks)
        }
        #expect(error?.code == .duplicateURL)
        #expect(try test.log() == log)
        tracks = try await repository.loadTracks().sorted { $0.id < $1.id }
        continue
      }
      try await repository.saveTracks(tracks)
      #expect(
        try await test.library.repository().loadTracks().sorted { $0.id < $1.id } == tracks)
      #expect(try await test.library.repository().loadCollections() == [mix])
    }
    try await expectSameAfterRebuild(test)
  }

  @Test func namesThatMoveUpAreOneSave() async throws {
    let test = try await TestLibrary()
    let repository = test.library.repository()
    try await repository.saveTracks((1...3).map { track($0, at: $0) })
    // 3 → 4, 2 → 3, 1 → 2, named from the first: each waits for the next.
    let report = try await repository.save(
      tracks: (1...3).map { track($0, at: $0 + 1) }, collections: nil)
    #expect(report.events == 3)
    #expect(try places(test) == ["T1@2", "T2@3", "T3@4"])
    // A circle needs a step aside.
    let circle = try await repository.save(
      tracks: [track(1, at: 3), track(2, at: 2), track(3, at: 4)], collections: nil)
    #expect(circle.events == 3)
    #expect(try places(test) == ["T1@3", "T2@2", "T3@4"])
  }

  private func expectSameAfterRebuild(_ test: TestLibrary) async throws {
    let before = try test.rows()
    _ = try await test.catalog.rebuild()
    #expect(try test.rows() == before)
    #expect(try test.sql("PRAGMA foreign_key_check; PRAGMA integrity_check") == ["ok"])
  }
}
