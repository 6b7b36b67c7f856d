import CatalogEngine
import CatalogModel
import CatalogTestSupport
import KindConformance
import Projections
import Promises
import Testing

@testable import ConcertArchive

/// Reverts of random operations of generated archives, each held against a plain model of the rows.
@Suite(
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "generated concert archives"))
struct ConcertRevertTests {
  @Test(
    arguments: Sample.reverts(
      RevertLength(seed: 1, batches: 60, reverts: 35),
      RevertLength(seed: 2, batches: 60, reverts: 35)))
  func anyOperationsAreTakenBack(_ length: RevertLength) async throws {
    var dice = ConcertDice(seed: length.seed)
    let trial = try RevertTrial(ConcertArchiveKind()) { Self.finding($0) }
    let batches = RevertTrial<ConcertArchiveKind>.batches(length.batches) { dice.event() }
    let finding = try trial.run(batches, reverts: length.reverts, seed: length.seed)
    #expect(finding == nil, "\(finding ?? "")")
    let reducer = try Program(
      "python3", ScratchFolder.repository + "/Tools/concert-reducer.py", trial.directory.events,
      trial.directory.database)
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
  }

  /// A play outlives its show, so a revert may bring it back without the show, as it was before.
  @Test func aRevertedPlayIsBackThoughItsShowIsGone() async throws {
    let folder = try ScratchFolder()
    let catalog = try await EventCatalog.open(
      CatalogDirectory(folder.file("archive")), ConcertArchiveKind())
    defer { catalog.close() }
    try await catalog.create(by: "test")
    func append(_ event: ConcertEvent) async throws -> UInt64 {
      try await catalog.change(by: "test") { _ in [event] }.sequence
    }
    func plays() throws -> [String] {
      try SQLiteShell.rows(
        of: folder.file("archive/catalog.sqlite"), "SELECT show_id FROM recent_shows")
    }
    var dice = ConcertDice(seed: 3)
    var show: String?
    while show == nil {
      guard case .showUpserted(let facts) = dice.event() else { continue }
      show = facts.showID
      _ = try await append(.showUpserted(facts))
    }
    let id = try #require(show)
    let played = try await append(.showPlayed(id))
    _ = try await append(.showRemoved(id))
    #expect(try plays() == [id])
    let first = try await catalog.revert(.events(played...played))
    let change = try #require(first.change)
    #expect(try plays() == [])
    let second = try await catalog.revert(
      .events(change.sequence + 1 - UInt64(change.events)...change.sequence))
    #expect(second.conflicts.isEmpty)
    #expect(try plays() == [id])
  }

  /// The first thing in the rows that no log makes; nil if there is none.
  static func finding(_ rows: NamedRows) -> String? {
    let saved = Set(rows.values("library_shows", "show_id"))
    var dates: [String: (date: Value, sequence: Value)] = [:]
    for row in rows["shows"] {
      guard case .text(let id)? = row["show_id"], let date = row["date"],
        let sequence = row["show_sequence"]
      else { return "a show without an id" }
      dates[id] = (date, sequence)
      guard (row["is_in_library"] == .integer(1)) == saved.contains([.text(id)]) else {
        return "\(id) is not in the library as it says"
      }
    }
    let links = Dictionary(
      grouping: rows.values("projection_show_recording", "identifier", "show_id")
    ) {
      $0[0]
    }
    for row in rows["shows"] {
      let own = rows["projection_show_recording"].filter { $0["show_id"] == row["show_id"] }
        .sorted { [$0["position"] ?? .null].isBefore([$1["position"] ?? .null]) }
        .map { $0["identifier"] ?? .null }
      var listed: [Value] = []
      if case .text(let text)? = row["recordings_raw"] {
        for recording in ContractJSON.texts(in: text) ?? [] {
          if !listed.contains(.text(recording)) { listed.append(.text(recording)) }
        }
      }
      guard listed == own else { return "a show lists \(listed), and its recordings are \(own)" }
    }
    for row in rows.values("recordings", "identifier", "show_id") {
      let home = (links[row[0]] ?? []).compactMap { link -> (String, String)? in
        guard case .text(let id) = link[1], let show = dates[id], case .text(let date) = show.date,
          case .integer(let sequence) = show.sequence
        else { return nil }
        return ("\(date) \(1_000 + sequence)", id)
      }.min { $0.0 < $1.0 }
      guard row[1] == home.map({ .text($0.1) }) else {
        return "\(row) is at home at \(home as Any)"
      }
    }
    for row in rows.values("collections", "id", "total_shows", "show_ids_json") {
      let members = rows["projection_collection_show"].filter { $0["collection_id"] == row[0] }
      guard row[1] == .integer(Int64(members.count)) else {
        return "a collection of \(members.count) shows says \(row[1])"
      }
    }
    let shows = Set(rows.values("shows", "show_id"))
    guard shows == Set(rows.values("projection_show_text", "show_id")) else {
      return "texts are of other shows"
    }
    let rated = rows["shows"].filter { $0["average_rating"] != .null }.map {
      [$0["show_id"] ?? .null]
    }
    guard Set(rated) == Set(rows.values("projection_rated_show", "show_id")) else {
      return "other shows are rated"
    }
    return rows.gap("shows", "show_sequence", in: "date", from: 1)
      ?? rows.gap("projection_collection_show", "position", in: "collection_id")
  }
}

/// Events that meet each other: few shows, recordings, dates.
struct ConcertDice {
  private var random: SplitMix

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  private mutating func show() -> String { "show-\(random.below(7))" }
  private mutating func recording() -> String { "rec-\(random.below(9))" }

  mutating func event() -> ConcertEvent {
    switch random.below(20) {
    case 0, 1, 2, 3, 4: .showUpserted(facts())
    case 5, 6, 7: .recordingUpserted(recordingFacts())
    case 8: .showRemoved(show())
    case 9: .recordingRemoved(recording())
    case 10, 11:
      .collectionUpserted(
        CollectionFacts(
          id: "col-\(random.below(3))", name: random.pick(["A", "B"]), description: "",
          tags: random.pick([[], ["x"], ["y", "x"]]),
          showIDs: (0..<random.below(4)).map { _ in show() }))
    case 12: .collectionRemoved("col-\(random.below(3))")
    case 13, 14: .libraryShowAdded(show())
    case 15:
      random.pick([
        .libraryShowRemoved(show()), .libraryShowPinned(show(), random.below(2) == 0),
        .libraryShowTagged(show(), random.pick([[], ["t"], ["t", "u"], ["v"]])),
        .libraryShowNoted(show(), random.pick([nil, "n", "\u{E9}"])),
        .libraryShowRated(show(), random.pick([nil, 3.5, 4])),
      ])
    case 16, 17: .showPlayed(show())
    case 18:
      random.below(2) == 0
        ? .recentCleared(.show(show()))
        : .recentCleared(
          .before(Timestamp(milliseconds: Int64(random.below(2)) * 4_000_000_000_000)))
    default:
      .packageImported(
        ImportedPackage(
          version: "1.\(random.below(9)).0", packageName: "p", versionType: "release",
          description: nil, gitCommit: nil, gitTag: nil, buildTimestamp: nil,
          sha256: String(repeating: random.pick(["0a", "1b"]), count: 32),
          counts: ImportedPackage.Counts(
            shows: 1, recordings: 2, collections: 3, venues: 4, files: 5, bytes: 6),
          unlisted: []))
    }
  }

  private mutating func facts() -> ShowFacts {
    ShowFacts(
      showID: show(), date: random.pick(["1977-05-08", "1977-05-09", "1978-01-01"]),
      band: "The Band", url: nil, venue: random.pick(["Barn", "Hall"]), city: "Ithaca",
      state: random.pick([nil, "NY"]), country: nil, location: nil, setlistStatus: nil,
      setlist: random.below(2) == 0
        ? nil
        : [ConcertSet(name: "Set 1", songs: [Song(name: "One", segue: random.below(2) == 0)])],
      lineupStatus: nil, lineup: nil,
      recordings: (0..<random.below(4)).map { _ in recording() },
      recordingCount: Int64(random.below(4)), bestRecording: nil,
      averageRating: random.pick([nil, 4, 4.25]), totalReviews: Int64(random.below(9)),
      showTime: random.pick([nil, .early, .late]))
  }

  private mutating func recordingFacts() -> RecordingFacts {
    RecordingFacts(
      identifier: recording(), sourceType: random.pick([nil, "SBD", "AUD"]), rating: 4,
      rawRating: Double(random.below(50)) / 10, reviewCount: Int64(random.below(9)), confidence: 1,
      highRatings: 1, lowRatings: 0, taper: nil, source: nil, lineage: nil)
  }
}
