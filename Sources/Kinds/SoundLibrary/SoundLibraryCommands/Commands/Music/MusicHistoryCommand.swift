import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

struct MusicHistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show which tracks of a playlist were added, removed and moved.",
    discussion: """
      Every refreshed list of tracks counts, read from the log. + added, - removed, ~ moved; positions start \
      at 1.
      """.examples(
        "\(ProgramName.current) music history 1d413d40-4bef-5b08-b3df-3ac297fe9e77",
        "\(ProgramName.current) music history 'Rainy Harbour'"))

  @OptionGroup var history: HistoryOptions

  @Argument(
    help: ArgumentHelp(
      "The music entry's UUID, the beginning of it, or its title.", valueName: "item"),
    completion: LibraryCompletion.items)
  var words: [String]

  func run() async throws {
    let reader = try history.reader()
    let item = try NamedRow(words, of: CatalogOptions.table("library_item")).id {
      let progress = ProgressPrinter(.current)
      defer { progress.finish() }
      return try history.database(.head(back: 0), progress)
    }
    let found = try PlaylistHistory(of: item, in: reader)
    try Console.current.write(history.options.format, json: found.json) { console in
      let lines =
        found.snapshots.map { ($0.sequence, text(of: $0)) }
        + found.states.map { ($0.sequence, [text(of: $0)]) }
      for (_, lines) in lines.sorted(by: { $0.0 < $1.0 }) {
        for line in lines { console.write(line) }
      }
      console.note(Count.of(found.snapshots.count, "list"))
    }
  }

  private func text(of state: PlaylistHistory.StateChange) -> String {
    "event \(state.sequence)  \(state.at)  \(state.playlistID): "
      + state.state.words(in: state.storefront) + (state.reason.map { ": \($0)" } ?? "")
  }

  private func text(of snapshot: PlaylistHistory.Snapshot) -> [String] {
    let change = snapshot.change
    let head =
      "event \(snapshot.sequence)  \(snapshot.at)  \(snapshot.playlistID): "
      + "\(Count.of(snapshot.tracks.count, "track")), +\(change.came.count) -\(change.went.count) "
      + "~\(change.moved.count)"
    return [head]
      + change.came.map { "  + \($0.position + 1)  \(name(snapshot.tracks[$0.position]))" }
      + snapshot.went.map { "  - \($0.position + 1)  \(name($0))" }
      + change.moved.map { "  ~ \($0.from + 1) → \($0.to + 1)  \(name(snapshot.tracks[$0.to]))" }
  }

  private func name(_ track: PlaylistTrack) -> String {
    "\(track.id)  \(track.words)"
  }
}

extension PlaylistHistory {
  fileprivate var json: JSONObject {
    ["snapshots": snapshots.map(\.json), "states": states.map(\.json)]
  }
}

extension PlaylistHistory.Snapshot {
  fileprivate var json: JSONObject {
    [
      "sequence": sequence, "at": at.description, "playlistId": playlistID,
      "storefront": storefront, "tracks": tracks.count,
      "came": change.came.map { tracks[$0.position].place }, "went": went.map(\.place),
      "moved": change.moved.map { move in
        [
          "id": move.id, "from": move.from, "to": move.to, "title": tracks[move.to].title,
        ] as JSONObject
      },
    ]
  }
}

extension PlaylistHistory.StateChange {
  fileprivate var json: JSONObject {
    [
      "sequence": sequence, "at": at.description, "playlistId": playlistID,
      "storefront": storefront, "state": state.rawValue, "reason": reason,
    ]
  }
}

extension PlaylistTrack {
  /// The track at a position, which it has now or had before.
  fileprivate var place: JSONObject { ["id": id, "position": position, "title": title] }
}
