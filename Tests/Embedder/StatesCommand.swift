import ArgumentParser
import Foundation
import TrackLibrary

/// Saves recorded states of playlists one after the other, as an app does, and compares the playlists with the last ones.
///
/// `Tools/playlist-states` makes the file of an archive: a JSON object a line.
struct StatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "states", abstract: "Replay recorded states of playlists.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Argument(help: "A file with a state a line.")
  var file: String

  private struct State: Decodable {
    let playlist: String
    let name: String
    let uris: [String]
    let titles: [String]
  }

  func run() async throws {
    let lines = try String(contentsOf: URL(filePath: file), encoding: .utf8).split(separator: "\n")
    let states = try lines.map { try JSONDecoder().decode(State.self, from: Data($0.utf8)) }
    let library = try await TrackLibrary.open(CatalogDirectory(catalog))
    defer { library.close() }
    let repository = library.repository()
    var tracks: [EntityID: Track] = [:]
    for state in states {
      for (uri, title) in zip(state.uris, state.titles) {
        let id = NameBasedID.track(uri)
        tracks[id] = Track(
          id: id, title: title, artist: "", album: "", duration: 0, fileURL: uri)
      }
    }
    try await repository.saveTracks(tracks.values.sorted { $0.id < $1.id })
    var last: [EntityID: SavedCollection] = [:]
    for state in states {
      let id = NameBasedID.collection("spotify", "spotify:playlist:\(state.playlist)")
      last[id] = SavedCollection(
        id: id, name: state.name, trackIDs: state.uris.map(NameBasedID.track))
      try await repository.saveCollections(Array(last.values))
    }
    let saved = try await library.repository().loadCollections()
    guard saved == last.values.sorted(by: { $0.id < $1.id }) else {
      throw Failure(description: "the playlists do not have their last states")
    }
    Embedder.say("\(saved.count) playlists have their last states, after \(states.count)")
  }
}
