import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary
import Support

struct MusicTracksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks",
    abstract: "List the tracks of a playlist, as last refreshed.",
    discussion: """
      With --at, the list at a past moment, read from the log: a sequence or an ISO 8601 time. `music \
      refresh --tracks` reads lists from Apple Music.
      """.examples(
        "catalogctl music tracks 1d413d40-4bef-5b08-b3df-3ac297fe9e77",
        "catalogctl music tracks 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --at 4711"))

  @OptionGroup var options: CatalogOptions

  @Option(
    name: .long, help: ArgumentHelp("The moment to show; default now.", valueName: "when"))
  var at: Moment?

  @Argument(
    help: ArgumentHelp("The music entry's UUID.", valueName: "item"),
    completion: LibraryCompletion.items)
  var item: EntityID

  func run() async throws {
    let snapshot: PlaylistSnapshot?
    var moment: FoundMoment?
    if let at, at != .live {
      let log = try options.reader()
      let found = try at.found(in: log)
      let history = try PlaylistHistory(of: item, in: log, through: found.sequence)
      moment = found
      snapshot = history.current.map { PlaylistSnapshot(at: $0.at, tracks: $0.tracks) }
    } else {
      snapshot = try await current()
    }
    guard let snapshot else {
      throw CatalogError(
        .notFound,
        "no tracks of item \(item) were read\(at == nil ? "" : " by then"); "
          + "`catalogctl music refresh --tracks \(item)` reads them")
    }
    let console = Console.current
    console.write(moment, besides: options.format)
    switch options.format {
    case .text:
      for track in snapshot.tracks { console.write(track.line) }
      console.error("\(Count.of(snapshot.tracks.count, "track")), read at \(snapshot.at)")
    case .json: try console.write(json: SnapshotJSON(snapshot, moment?.sequence))
    }
  }

  private func current() async throws -> PlaylistSnapshot? {
    var snapshot: PlaylistSnapshot?
    try await options.readCatalog { catalog in
      snapshot = try await catalog.music.tracks(of: UUID(item))
    }
    return snapshot
  }
}

extension PlaylistTrack {
  /// `  1  723390870  Janet Jackson – Together Again`
  fileprivate var line: String {
    let number = "\(position + 1)"
    return String(repeating: " ", count: max(0, 4 - number.count)) + "\(number)  \(id)  \(words)"
  }

  /// Artist and title, as far as they are known.
  var words: String {
    let words = [artist, title].filter { !$0.isEmpty }.joined(separator: " – ")
    return words.isEmpty ? "(unknown track)" : words
  }
}

private struct SnapshotJSON: Encodable {
  /// The last event that was looked at; nil for the list as it is now.
  let sequence: UInt64?
  let readAt: String
  let tracks: [TrackJSON]

  init(_ snapshot: PlaylistSnapshot, _ sequence: UInt64?) {
    self.sequence = sequence
    readAt = snapshot.at.description
    tracks = snapshot.tracks.map(TrackJSON.init)
  }
}

private struct TrackJSON: Encodable {
  let position: Int
  let id: String
  let type: String
  let title: String
  let artist: String
  let album: String?
  let duration: Double?
  let artworkUrl: String?

  init(_ track: PlaylistTrack) {
    position = track.position
    id = track.id
    type = track.type
    title = track.title
    artist = track.artist
    album = track.album
    duration = track.duration
    artworkUrl = track.artworkURL
  }
}
