import CatalogEngine
import CatalogTestSupport
import Foundation
import KindConformance
import PastViewsTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "The views that other programs use over a history have the rows of each moment, or fail"),
  .promise(
    "A kind keeps what the engine promises of all kinds, and a kind that does not is found"))
struct TrackConformanceTests {
  /// The program that is built with these tests.
  private var catalogctl: String { BuiltProgram.path("catalogctl") }

  @Test func trackLibrariesKeepWhatTheEnginePromises() async throws {
    let findings = try await KindConformance(
      TrackLibraryKind(), batches: Self.batches(), program: catalogctl
    ).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  /// Statements in Python over the views have the answers of the databases that replays make.
  @Test func plainViewsShowEachMoment() throws {
    let folder = try ScratchFolder()
    let trial = try ViewsTrial.catalog(TrackLibraryKind(), Self.batches(), in: folder)
    let found = try trial.compare(
      moments: 50, statements: Sample.count(2, of: 10), label: "views of tracks")
    #expect(found.contains(" statements, "), "\(found)")
  }

  /// All events, contradictions among them.
  private static func batches() -> [[TrackEvent]] {
    let (isrc, apple) = ("USS1Z9900001", "1488408568")
    let picture = Artwork([1, 2, 3, 0, 255])
    let ids = (1...6).map(EntityID.number)
    let lists = (11...12).map(EntityID.number)
    let tags = (21...24).map(EntityID.number)
    func track(_ place: Int, _ title: String, song: String? = nil, artwork: String? = nil)
      -> TrackEvent
    {
      .trackUpserted(
        TrackFacts(
          id: ids[place], title: title, artist: "An Artist", album: "", duration: 1.5,
          fileURL: "file:///\(place).mp3", artwork: artwork, year: 1999, source: "local",
          uri: "file:///\(place).mp3", song: song))
    }
    var moved = TrackFacts(
      id: ids[1], title: "Moved", artist: "", album: "", duration: 0, fileURL: "file:///0.mp3",
      source: "local", uri: "file:///0.mp3")
    moved.dateAdded = Timestamp(milliseconds: 1_000)
    return [
      [
        .libraryImported(
          ImportedLibrary(
            format: "library.json", name: "library.json", sha256: picture.sha256, tracks: 3,
            collections: 1, identified: 1)),
        .artworkAdded(picture), .songUpserted(SongFacts(id: apple, title: "One", artist: "A")),
        track(0, "One", song: apple, artwork: picture.sha256), track(1, "Two"), track(2, "Three"),
        track(3, "Four", song: apple),
        .collectionUpserted(CollectionFacts(id: lists[0], name: "Evening", description: "late")),
        .collectionTracksSet(lists[0], [ids[0], ids[1], ids[0], ids[2]]),
        .collectionUpserted(CollectionFacts(id: lists[1], name: "Evening")),
        .collectionTracksSet(lists[1], [ids[2], ids[2]]),
      ],
      [
        .tagAdded(
          LibraryTag(id: tags[0], name: "Favorites", hexColor: "#FF0000", isSystemTag: true)),
        .tagAdded(LibraryTag(id: tags[1], name: "calm", hexColor: "#00FF00", isSystemTag: false)),
        .tagAdded(LibraryTag(id: tags[2], name: "loud", hexColor: "#0000FF", isSystemTag: false)),
        .songTagsSet(song: apple, source: "person", tags: [tags[0], tags[1]]),
        .songTagsSet(song: apple, source: "analysis", tags: [tags[1], tags[2], tags[2]]),
      ],
      [.songSynced(song: apple, through: 100), .trackPlayed(ids[0]), .trackPlayed(ids[1])],
      [.trackPlayed(ids[0]), .songTagsSet(song: apple, source: "person", tags: [tags[0]])],
      // It was uploaded before that change: it stays pending.
      [.songSynced(song: apple, through: 3)],
      // What contradicts the rows changes nothing.
      [
        .trackUpserted(moved), .trackRemoved(ids[5]), .trackPlayed(ids[5]),
        track(4, "Five", song: "none"), track(4, "Five", artwork: "none"),
        .collectionRemoved(ids[0]), .collectionTracksSet(lists[0], [ids[5]]),
        .collectionTracksSet(ids[0], []), .songIdentified(from: "1", to: "2"),
        .songIdentified(from: apple, to: apple), .songRemoved("1"),
        .songSynced(song: "1", through: 1),
        .songTagsSet(song: "1", source: "person", tags: []),
        .songTagsSet(song: apple, source: "person", tags: [tags[3]]),
        .tagChanged(tags[0], name: "X", hexColor: "#000000"), .tagRemoved(tags[0]),
        .tagChanged(tags[1], name: "loud", hexColor: "#000000"), .tagRemoved(tags[3]),
        .tagAdded(LibraryTag(id: tags[3], name: "calm", hexColor: "#000000", isSystemTag: false)),
        .tagAdded(LibraryTag(id: tags[1], name: "new", hexColor: "#000000", isSystemTag: false)),
      ],
      [
        .songIdentified(from: "42", to: apple), .songIdentified(from: apple, to: isrc),
        .songIdentified(from: "43", to: apple),
        .songUpserted(SongFacts(id: apple, title: "", artist: "")),
      ],
      [
        .songUpserted(SongFacts(id: "44", title: "One again", artist: "A")),
        .songTagsSet(song: "44", source: "person", tags: [tags[2]]),
        .songIdentified(from: "44", to: isrc), .songIdentified(from: isrc, to: "44"),
      ],
      [
        .trackRemoved(ids[0]), .tagChanged(tags[1], name: "calmer", hexColor: "#0A0B0C"),
        .tagRemoved(tags[2]), .trackUpserted(moved), .collectionRemoved(lists[1]),
      ],
      [.songRemoved(isrc), .songTagsSet(song: isrc, source: "person", tags: [])],
      [.songSynced(song: isrc, through: 1), .songSynced(song: "42", through: 1_000)],
      [
        .collectionTracksSet(lists[0], [ids[1], ids[2]]),
        .collectionTracksChanged(
          CollectionTracksChange(
            id: lists[0], base: CollectionTracksChange.hash(of: [ids[1], ids[2]]), count: 3,
            runs: [.kept(from: 1, count: 1), .new([ids[2], ids[1]])])),
        // Another list is its base.
        .collectionTracksChanged(
          CollectionTracksChange(
            id: lists[0], base: CollectionTracksChange.hash(of: [ids[1], ids[2]]), count: 1,
            runs: [.new([ids[1]])])),
        .collectionTracksChanged(
          CollectionTracksChange(
            id: ids[0], base: CollectionTracksChange.hash(of: []), count: 0, runs: [])),
      ],
      [.collectionTracksSet(lists[0], [])],
    ]
  }
}
