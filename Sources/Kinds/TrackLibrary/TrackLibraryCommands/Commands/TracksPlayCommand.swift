import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

struct TracksPlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Count a play of a track.",
    discussion: "".examples(
      "\(ProgramName.current) tracks play 00000000-0000-4000-8000-000000000001",
      "\(ProgramName.current) tracks play 'Lantern Waltz'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @OptionGroup var argument: TrackArgument

  func run() async throws {
    try await options.changeLibrary(
      waiting, argument, changed: { "played \($0)" }, by: { try await $0.tracks.play($1) })
  }
}
