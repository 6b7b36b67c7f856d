import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsSearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find shows by words.",
    discussion: """
      Dates, venues, places, musicians and songs are searched. A show is found if it has all words; shows that have \
      them as they are typed come first. A day can be written 1977-05-08, 5/8/77, 05.08.1977, 19770508, May 8, 1977 or \
      8 May 1977, a month 5/77, 1977-05 or May '77, a day of any year 5/8. Numbers are month, day, year. A word with a \
      star at its end is the beginning of one. States and countries are found by their names and codes.
      """.examples(
        "\(ProgramName.current) shows search 5/8/1977",
        "\(ProgramName.current) shows search half step may 1977"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Argument(help: ArgumentHelp("What to find.", valueName: "words"))
  var words: [String]

  func run() async throws {
    let (query, cursor) = (words.joined(separator: " "), try page.cursor())
    try await options.readArchive { archive in
      let page = try await archive.shows.search(query, limit: page.limit, after: cursor)
      try Console.current.write(page, "show", options.format, json: \.json) { [$0.line.text] }
      if page.rows.isEmpty, cursor == nil, let near = try await archive.shows.nearMiss(of: query) {
        Console.current.error("no show has these words; did you mean \"\(near)\"?")
      }
    }
  }
}

extension ShowHit {
  fileprivate var json: JSONObject { ["isExact": isExact, "show": line.json] }
}
