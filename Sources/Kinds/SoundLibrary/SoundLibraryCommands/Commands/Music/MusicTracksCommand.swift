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
        "\(ProgramName.current) music tracks 1d413d40-4bef-5b08-b3df-3ac297fe9e77",
        "\(ProgramName.current) music tracks 'Rainy Harbour'",
        "\(ProgramName.current) music tracks 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --at 4711"))

  @OptionGroup var options: CatalogOptions

  @Option(
    name: .long, help: ArgumentHelp("The moment to show; default now.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @Argument(
    help: ArgumentHelp(
      "The music entry's UUID, the beginning of it, or its title.", valueName: "item"),
    completion: LibraryCompletion.items)
  var words: [String]

  func run() async throws {
    let item = try await item()
    let snapshot: PlaylistSnapshot?
    var moment: FoundMoment?
    if let at, at != .live {
      let log = try options.log()
      let found = try at.found(in: log)
      let history = try PlaylistHistory(of: item, in: log.reader, through: found.sequence)
      moment = found
      snapshot = history.current.map { PlaylistSnapshot(at: $0.at, tracks: $0.tracks) }
    } else {
      snapshot = try await current(item)
    }
    guard let snapshot else {
      throw CatalogError(
        .notFound,
        "no tracks of item \(item) were read\(at == nil ? "" : " by then"); "
          + "`\(ProgramName.current) music refresh --tracks \(item)` reads them")
    }
    let console = Console.current
    console.write(moment, besides: options.format)
    // The last event that was looked at; the list as it is now has none.
    let json: JSONObject = ["sequence": moment?.sequence]
    try console.write(options.format, json: json + snapshot.json) { console in
      for track in snapshot.tracks { console.write(track.line) }
      console.error("\(Count.of(snapshot.tracks.count, "track")), read at \(snapshot.at)")
    }
  }

  /// The entry that was named. The log is enough for one that is named by its id.
  private func item() async throws -> EntityID {
    if let id = EntityID(words.joined(separator: " ")) { return id }
    var found: EntityID?
    try await options.readCatalog { catalog in
      found = EntityID(try await options.item(words, in: catalog))
    }
    guard let found else { preconditionFailure("a catalog that is read names an item, or throws") }
    return found
  }

  private func current(_ item: EntityID) async throws -> PlaylistSnapshot? {
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
    return number.aligned(to: 4) + "  \(id)  \(words)"
  }

  /// Artist and title, as far as they are known.
  var words: String {
    let words = [artist, title].filter { !$0.isEmpty }.joined(separator: " – ")
    return words.isEmpty ? "(unknown track)" : words
  }
}

extension PlaylistSnapshot {
  fileprivate var json: JSONObject { ["readAt": at.description, "tracks": tracks.map(\.json)] }
}

extension PlaylistTrack {
  fileprivate var json: JSONObject {
    [
      "position": position, "id": id, "type": type, "title": title, "artist": artist,
      "album": album, "duration": duration, "artworkUrl": artworkURL,
    ]
  }
}
