import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

/// The track that a command is about.
struct TrackArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The track's id, the beginning of it, or its title; several words are one title.",
      valueName: "track"))
  var track: [String]
}

/// The playlist that a command is about.
struct PlaylistArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The playlist's name, in capitals or not, or its id.", valueName: "playlist")
  )
  var playlist: String

  /// The playlist that the argument names, for a change.
  var reference: PlaylistText { PlaylistText(playlist) }

  /// The playlist with its tracks.
  ///
  /// - Throws: `PlaylistError` with `notFound`, `ambiguous`.
  func found(in library: TrackLibrary) async throws -> Playlist {
    let id = try await library.playlists.id(of: reference)
    guard let found = try await library.playlists.playlist(id) else {
      throw NoPlaylist(id: id)
    }
    return found
  }
}

/// One of the values of a library's type, as it is typed.
struct ChoiceArgument<Choice: RawRepresentable<String> & CaseIterable & Sendable>:
  ExpressibleByArgument
{
  let choice: Choice

  init(_ choice: Choice) {
    self.choice = choice
  }

  init?(argument: String) {
    guard let choice = Choice(rawValue: argument) else { return nil }
    self.init(choice)
  }

  var defaultValueDescription: String { choice.rawValue }
  static var allValueStrings: [String] { Choice.allCases.map(\.rawValue) }
}

/// No playlist has an id that was given.
struct NoPlaylist: Error, CustomStringConvertible {
  let id: EntityID

  var description: String {
    "there is no playlist \(id); `\(ProgramName.current) tracks playlist list` lists them"
  }
}

extension TrackLine {
  /// `1b0c…  Nocturne, A Pianist, Nights (3:05)  spotify`
  var text: String {
    let words = [title, artist, album].filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(id)  \(words)\(duration > 0 ? " (\(Self.clock(duration)))" : "")  \(source)"
  }

  /// `3:05`, `1:02:03`
  static func clock(_ seconds: Double) -> String {
    let all = Int64(min(seconds.rounded(), 1e15))
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (all / 3_600, all / 60 % 60)
    return hours > 0
      ? "\(hours):\(two(minutes)):\(two(all % 60))" : "\(minutes):\(two(all % 60))"
  }
}

extension TrackLine {
  var json: JSONObject {
    [
      "id": id.description, "title": title, "artist": artist, "album": album,
      "duration": duration, "source": source, "uri": uri, "song": songID,
      "dateAdded": dateAdded.description,
    ]
  }
}
