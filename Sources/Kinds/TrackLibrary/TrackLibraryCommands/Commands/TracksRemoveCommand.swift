import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

struct TracksRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a track, also from the playlists.",
    discussion: """
      Its file, its song and what is known of plays stay. An import that names the track adds it again, but for a \
      library.json that was imported before.
      """.examples("\(ProgramName.current) tracks remove 00000000-0000-4000-8000-000000000001"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @OptionGroup var argument: TrackArgument

  func run() async throws {
    try await options.changeLibrary(
      waiting, argument, changed: { "removed \($0)" }, by: Self.remove)
  }

  private static func remove(
    from library: TrackLibrary, _ id: EntityID
  ) async throws -> ChangeReport {
    let change = try await library.tracks.remove(id)
    guard change.outcome != .unchanged else {
      throw ProjectionError(contradiction: "there is no track \(id); `tracks list` shows ids")
    }
    return change
  }
}
