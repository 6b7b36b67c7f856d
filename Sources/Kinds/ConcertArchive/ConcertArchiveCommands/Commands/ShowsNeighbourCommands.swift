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
    let (id, format) = (argument.show, options.format)
    try await options.readArchive { archive in
      try Console.current.write(
        neighbour: try await archive.shows.next(after: id).first, format, "no later show")
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
    let (id, format) = (argument.show, options.format)
    try await options.readArchive { archive in
      try Console.current.write(
        neighbour: try await archive.shows.previous(before: id).first, format, "no earlier show")
    }
  }
}

extension Console {
  fileprivate func write(
    neighbour: ShowLine?, _ format: OutputFormat, _ none: String
  ) throws {
    switch format {
    case .text:
      if let neighbour { write(neighbour.text) } else { error(none) }
    case .json: try write(json: NeighbourJSON(show: neighbour.map(ShowLineJSON.init)))
    }
  }
}

private struct NeighbourJSON: Encodable {
  let show: ShowLineJSON?
}
