import CatalogEngine
import CatalogModel
import CatalogTestSupport
import KindConformance
import Projections
import Promises
import Testing
import TrackLibrary

/// Reverts of random operations of generated track libraries, each held against a plain model of the rows.
@Suite(
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "generated track libraries"))
struct TrackRevertTests {
  @Test(
    arguments: Sample.reverts(
      RevertLength(seed: 1, batches: 60, reverts: 35),
      RevertLength(seed: 2, batches: 60, reverts: 35)))
  func anyOperationsAreTakenBack(_ length: RevertLength) async throws {
    var dice = TrackDice(seed: length.seed)
    let trial = try RevertTrial(TrackLibraryKind()) { Self.finding($0) }
    let batches = RevertTrial<TrackLibraryKind>.batches(length.batches) { dice.event() }
    let finding = try trial.run(batches, reverts: length.reverts, seed: length.seed)
    #expect(finding == nil, "\(finding ?? "")")
    let reducer = try Program(
      "python3", ScratchFolder.repository + "/Tools/track-reducer.py", trial.directory.events,
      trial.directory.database)
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
  }

  /// A revert brings rows back table by table: the place in the playlist before the track, or after it.
  @Test(arguments: [true, false])
  func aPlaylistIsAsLongAsItsTracksWhicheverIsBackFirst(_ isPlaceFirst: Bool) async throws {
    let test = try await TestLibrary()
    let (track, playlist) = (EntityID(high: 0, low: 1), EntityID(high: 0, low: 2))
    func append(_ events: [TrackEvent]) async throws {
      _ = try await test.catalog.change(by: "test") { _ in events }
    }
    let facts = TrackFacts(
      id: track, title: "First", artist: "A", album: "B", duration: 181.5,
      fileURL: "file:///first.m4a", source: "local", uri: "file:///first.m4a")
    try await append([
      .trackUpserted(facts), .collectionUpserted(CollectionFacts(id: playlist, name: "Evening")),
      .collectionTracksSet(playlist, [track, track]),
    ])
    let before = try test.rows()
    func total() throws -> [String] {
      try test.sql("SELECT track_count, milliseconds FROM projection_collection_order")
    }
    #expect(try total() == ["2|363000"])
    let order = RestoredRows(
      table: "projection_track_order", columns: [], rows: [], key: ["track_id"],
      gone: [[.text(track.description)]])
    let places = RestoredRows(
      table: "collection_tracks", columns: [], rows: [], key: ["collection_id", "position"],
      gone: [0, 1].map { [.text(playlist.description), .integer($0)] })
    func events(_ parts: [RestoredRows]) -> [TrackEvent] {
      (isPlaceFirst ? parts : parts.reversed()).map { .reversal(.rows($0)) }
    }
    try await append(events([places, order]))
    #expect(try total() == ["0|0"])
    let backOrder = RestoredRows(
      table: "projection_track_order",
      columns: [
        "track_id", "source", "title", "artist", "album", "album_artist", "track_number", "year",
        "date_added", "duration",
      ],
      rows: [
        [
          .text(track.description), .text("local"), .text("first"), .text("a"), .text("b"),
          .text("a"), .integer(0), .null, .text("2026-01-31T12:00:00.000Z"), .real(181.5),
        ]
      ], key: [], gone: [])
    let backPlaces = RestoredRows(
      table: "collection_tracks", columns: ["collection_id", "position", "track_id"],
      rows: [0, 1].map {
        [.text(playlist.description), .integer($0), .text(track.description)]
      }, key: [], gone: [])
    try await append(events([backPlaces, backOrder]))
    #expect(try total() == ["2|363000"])
    #expect(try test.rows()["collection_tracks"] == before["collection_tracks"])
  }

  /// Plays outlive their track, so a revert may leave a play without its track, as it was before.
  @Test(arguments: [true, false])
  func aRevertIsTakenBackThoughAPlayOutlivedItsTrack(ofPlay: Bool) async throws {
    let test = try await TestLibrary()
    let track = EntityID(high: 0, low: 1)
    func append(_ events: TrackEvent...) async throws -> UInt64 {
      try await test.catalog.change(by: "test") { _ in events }.sequence
    }
    func revert(_ events: ClosedRange<UInt64>) async throws -> ClosedRange<UInt64> {
      let report = try await test.catalog.revert(.events(events))
      let change = try #require(report.change)
      try #require(change.events > 0, "\(report.conflicts)")
      #expect(report.conflicts.isEmpty)
      return change.sequence + 1 - UInt64(change.events)...change.sequence
    }
    let facts = TrackFacts(
      id: track, title: "First", artist: "A", album: "B", duration: 181.5,
      fileURL: "file:///first.m4a", source: "local", uri: "file:///first.m4a")
    _ = try await append(.trackUpserted(facts))
    let played = try await append(.trackPlayed(track))
    let removed = try await append(.trackRemoved(track))
    func rows() throws -> [String: [String]] {
      try test.rows().filter { $0.key != "projection_reverted" }
    }
    let before = try rows()
    #expect(before["track_play"]?.count == 1 && before["tracks"]?.isEmpty == true)
    let first = try await revert(ofPlay ? played...played : removed...removed)
    #expect(try rows()["track_play"]?.count == (ofPlay ? 0 : 1))
    #expect(try rows()["tracks"]?.count == (ofPlay ? 0 : 1))
    _ = try await revert(first)
    #expect(try rows() == before)
  }

  /// A library with a playlist of some of its tracks, which are called by their numbers.
  private func library(_ tracks: [UInt64]) async throws -> TestLibrary {
    let test = try await TestLibrary()
    _ = try await test.catalog.change(by: "test") { _ in
      (0...4).map { .trackUpserted(Self.track($0, at: "file:///\($0).m4a")) }
        + [
          .collectionUpserted(CollectionFacts(id: Self.playlist, name: "Evening")),
          .collectionTracksSet(Self.playlist, tracks.map(Self.id)),
        ]
    }
    return test
  }

  private static let playlist = EntityID(high: 0, low: 99)

  private static func id(_ number: UInt64) -> EntityID { EntityID(high: 0, low: number) }

  private static func track(_ number: UInt64, at uri: String) -> TrackFacts {
    TrackFacts(
      id: id(number), title: "Track \(number)", artist: "A", album: "B", duration: 1,
      fileURL: uri, source: "local", uri: uri)
  }

  /// The order that a revert leaves says nothing about which members a later operation moved.
  @Test func aSecondRevertMovesNoTrack() async throws {
    let test = try await library([0, 3, 2, 1])
    func set(_ tracks: [UInt64]) async throws -> UInt64 {
      try await test.catalog.change(by: "test") { _ in
        [.collectionTracksSet(Self.playlist, tracks.map(Self.id))]
      }.sequence
    }
    let wrong = try await set([1, 3, 0])
    _ = try await set([2, 3, 1])
    let first = try await test.catalog.revert(.events(wrong...wrong))
    #expect(first.change?.outcome == .applied)
    let second = try await test.catalog.revert(.events(wrong...wrong))
    #expect(second.change?.outcome == .unchanged)
  }

  /// The events between two reverts of an operation that moved a track and gave another its title.
  enum Between: CaseIterable {
    /// Instead of the first revert, one of the titles alone: the list stays as it was.
    case onlyTitles
    /// A later operation brings the order back, and adds a track.
    case takenAgain
    /// The first revert is taken back, and then the titles alone are reverted.
    case broughtBack
    /// A later operation adds a track.
    case added
    /// A person moves the track that the revert moved back, and another one comes.
    case movedByAPerson
  }

  @Test(arguments: Between.allCases)
  func aSecondRevertMovesTracksThatAreNotBack(between: Between) async throws {
    let test = try await library([1, 2, 3, 4])
    func append(_ events: TrackEvent...) async throws -> ChangeReport {
      try await test.catalog.change(by: "test") { _ in events }
    }
    func set(_ tracks: [UInt64]) -> TrackEvent {
      .collectionTracksSet(Self.playlist, tracks.map(Self.id))
    }
    func tracks() throws -> [String] {
      try test.sql("SELECT substr(track_id, -1) FROM collection_tracks ORDER BY position")
    }
    var other = Self.track(0, at: "file:///0.m4a")
    other.title = "Another title"
    let wrong = try await append(set([4, 1, 2, 3]), .trackUpserted(other)).sequence
    let operation = OperationName.events(wrong - 1...wrong)
    let isPart = between == .onlyTitles
    let first = try await test.catalog.revert(operation, tables: isPart ? ["tracks"] : [])
    #expect(first.change?.outcome == .applied && first.conflicts.isEmpty)
    #expect(try tracks() == (isPart ? ["4", "1", "2", "3"] : ["1", "2", "3", "4"]))
    if between == .broughtBack {
      let change = try #require(first.change)
      let revert = change.sequence - UInt64(change.events) + 1...change.sequence
      _ = try await test.catalog.revert(.events(revert))
      _ = try await test.catalog.revert(operation, tables: ["tracks"])
      #expect(try tracks() == ["4", "1", "2", "3"])
    }
    if between == .takenAgain { _ = try await append(set([4, 1, 2, 3])) }
    let present: [UInt64] =
      switch between {
      case .added: [1, 2, 3, 4, 0]
      case .movedByAPerson: [1, 4, 2, 3, 0]
      case .onlyTitles, .takenAgain, .broughtBack: [4, 1, 2, 3, 0]
      }
    let changed = try await append(set(present))
    let stays = between == .added || between == .movedByAPerson
    let second = try await test.catalog.revert(operation)
    #expect(second.change?.outcome == (stays ? .unchanged : .applied))
    #expect(
      try tracks() == (stays ? present.map(String.init) : ["1", "2", "3", "4", "0"]),
      "\(second.conflicts)")
    #expect(
      second.conflicts.map(\.later?.sequence)
        == (between == .movedByAPerson ? [changed.sequence] : []), "\(second.conflicts)")
  }

  /// A revert takes one of two equal tracks, so that the list is what the operation had made of it.
  @Test func aSecondRevertTakesNoEqualTrack() async throws {
    let test = try await library([])
    func set(_ tracks: [UInt64]) async throws -> UInt64 {
      try await test.catalog.change(by: "test") { _ in
        [.collectionTracksSet(Self.playlist, tracks.map(Self.id))]
      }.sequence
    }
    let wrong = try await set([1, 3])
    _ = try await set([1, 1, 3, 3])
    for outcome in [.applied, .unchanged] as [ChangeOutcome] {
      let revert = try await test.catalog.revert(.events(wrong...wrong))
      #expect(revert.change?.outcome == outcome)
      #expect(
        try test.sql("SELECT substr(track_id, -1) FROM collection_tracks ORDER BY position")
          == ["1", "3"])
    }
  }

  /// A track that did not come back stays away from a list that changed since: that change is the cause.
  @Test func aListThatStaysNamesTheEventThatChangedIt() async throws {
    let test = try await library([1, 1, 2])
    func append(_ events: TrackEvent...) async throws -> UInt64 {
      try await test.catalog.change(by: "test") { _ in events }.sequence
    }
    let renamed = try await append(
      .collectionUpserted(CollectionFacts(id: Self.playlist, name: "Night")),
      .trackRemoved(Self.id(2)))
    let wrong = renamed - 1...renamed
    _ = try await append(.trackUpserted(Self.track(7, at: "file:///2.m4a")))
    let first = try await test.catalog.revert(.events(wrong))
    #expect(first.change?.outcome == .applied && !first.conflicts.isEmpty)
    let later = try await append(.collectionTracksSet(Self.playlist, [Self.id(1)]))
    let second = try await test.catalog.revert(.events(wrong))
    let members = second.conflicts.filter { $0.table.name == "collection_tracks" }
    #expect(members.map(\.later?.sequence) == [later], "\(second.conflicts)")
  }

  /// The first thing in the rows that no log makes; nil if there is none.
  static func finding(_ rows: NamedRows) -> String? {
    func differ(_ table: String, _ column: String, _ other: String, _ otherColumn: String)
      -> String?
    {
      Set(rows.values(table, column)) == Set(rows.values(other, otherColumn))
        ? nil : "\(table) and \(other) have other rows"
    }
    let union = Set(rows.values("projection_song_tag_source", "song_id", "tag_id"))
    guard union == Set(rows.values("song_tag", "song_id", "tag_id")) else {
      return "song_tag is no union"
    }
    let songs = Set(rows.values("song", "id"))
    if let alias = rows.values("song_alias", "alias").first(where: songs.contains) {
      return "\(alias) is a song and another name of one"
    }
    var lengths: [Value: Int64] = [:]
    for row in rows.values("projection_track_order", "track_id", "duration") {
      if case .real(let seconds) = row[1] { lengths[row[0]] = Int64((seconds * 1_000).rounded()) }
    }
    let places = Dictionary(grouping: rows.values("collection_tracks", "collection_id", "track_id"))
    {
      $0[0]
    }
    for row in rows.values(
      "projection_collection_order", "collection_id", "track_count", "milliseconds")
    {
      let tracks = places[row[0]] ?? []
      let sum = tracks.reduce(0) { $0 + (lengths[$1[1]] ?? 0) }
      guard row[1] == .integer(Int64(tracks.count)), row[2] == .integer(sum) else {
        return "a playlist of \(tracks.count) tracks and \(sum) ms is \(row)"
      }
    }
    // The words by which a search finds a track are those of its row, whatever brought that back.
    var words: [Value: Value] = [:]
    for row in rows.values("projection_track_words", "number", "words") { words[row[0]] = row[1] }
    let titles = Dictionary(
      uniqueKeysWithValues: rows.values("tracks", "id", "title", "artist", "album").map {
        ($0[0], Array($0[1...]))
      })
    for row in rows.values("projection_track_text", "number", "track_id") {
      let texts = (titles[row[1]] ?? []).compactMap { value -> String? in
        if case .text(let text) = value { SearchText(text).all } else { nil }
      }
      guard words[row[0]] == .text(texts.joined(separator: " | ")) else {
        return "the track \(row[1]) is found by other words than its own"
      }
    }
    guard words.count == titles.count else { return "words of tracks that are gone" }
    return rows.gap("collection_tracks", "position", in: "collection_id")
      ?? differ("tracks", "id", "track_source", "track_id")
      ?? differ("tracks", "id", "projection_track_text", "track_id")
      ?? differ("tracks", "id", "projection_track_order", "track_id")
      ?? differ("collections", "id", "collection_info", "collection_id")
      ?? differ("collections", "id", "projection_collection_order", "collection_id")
      ?? differ("song", "id", "projection_song_change", "song_id")
      ?? differ("song", "id", "projection_song_order", "song_id")
      ?? differ("track_play", "track_id", "projection_counted_play", "track_id")
  }
}
