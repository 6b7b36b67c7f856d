import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsNextCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "Show the show that comes after one.",
    discussion: "After the last show nothing is printed.".examples(
      "\(ProgramName.current) shows next 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.readArchive(argument) { archive, id in
      let show = try await archive.shows.next(after: id).first
      try Console.current.write(neighbour: show, options.format, "no later show")
    }
  }
}

struct ShowsPreviousCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "previous", abstract: "Show the show that comes before one.",
    discussion: "Before the first show nothing is printed.".examples(
      "\(ProgramName.current) shows previous 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.readArchive(argument) { archive, id in
      let show = try await archive.shows.previous(before: id).first
      try Console.current.write(neighbour: show, options.format, "no earlier show")
    }
  }
}

extension Console {
  fileprivate func write(
    neighbour: ShowLine?, _ format: OutputFormat, _ none: String
  ) throws {
    try write(format, json: ["show": neighbour?.json] as JSONObject) {
      if let neighbour { $0.write(neighbour.text) } else { $0.error(none) }
    }
  }
}
