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
        "catalogctl music history 1d413d40-4bef-5b08-b3df-3ac297fe9e77"))

  @OptionGroup var history: HistoryOptions

  @Argument(
    help: ArgumentHelp("The music entry's UUID.", valueName: "item"),
    completion: LibraryCompletion.items)
  var item: EntityID

  func run() async throws {
    let console = Console.current
    let history = try PlaylistHistory(of: item, in: history.reader())
    switch self.history.options.format {
    case .text:
      let lines =
        history.snapshots.map { ($0.sequence, text(of: $0)) }
        + history.states.map { ($0.sequence, [text(of: $0)]) }
      for (_, lines) in lines.sorted(by: { $0.0 < $1.0 }) {
        for line in lines { console.write(line) }
      }
      console.error(Count.of(history.snapshots.count, "list"))
    case .json: try console.write(json: HistoryJSON(history))
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

private struct HistoryJSON: Encodable {
  let snapshots: [Snapshot]
  let states: [State]

  init(_ history: PlaylistHistory) {
    snapshots = history.snapshots.map(Snapshot.init)
    states = history.states.map(State.init)
  }

  struct Snapshot: Encodable {
    let sequence: UInt64
    let at: String
    let playlistId: String
    let storefront: String
    let tracks: Int
    let came: [Place]
    let went: [Place]
    let moved: [Move]

    init(_ snapshot: PlaylistHistory.Snapshot) {
      sequence = snapshot.sequence
      at = snapshot.at.description
      playlistId = snapshot.playlistID
      storefront = snapshot.storefront
      tracks = snapshot.tracks.count
      came = snapshot.change.came.map { Place(snapshot.tracks[$0.position]) }
      went = snapshot.went.map(Place.init)
      moved = snapshot.change.moved.map { Move($0, snapshot.tracks[$0.to].title) }
    }
  }

  struct Place: Encodable {
    let id: String
    let position: Int
    let title: String

    init(_ track: PlaylistTrack) {
      id = track.id
      position = track.position
      title = track.title
    }
  }

  struct Move: Encodable {
    let id: String
    let from: Int
    let to: Int
    let title: String

    init(_ move: TrackListChange.Move, _ title: String) {
      id = move.id
      from = move.from
      to = move.to
      self.title = title
    }
  }

  struct State: Encodable {
    let sequence: UInt64
    let at: String
    let playlistId: String
    let storefront: String
    let state: String
    let reason: String?

    init(_ change: PlaylistHistory.StateChange) {
      sequence = change.sequence
      at = change.at.description
      playlistId = change.playlistID
      storefront = change.storefront
      state = change.state.rawValue
      reason = change.reason
    }
  }
}
