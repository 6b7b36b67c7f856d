import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List tracks.",
    discussion: "".examples(
      "\(ProgramName.current) tracks list --source spotify --sort added",
      "\(ProgramName.current) tracks list --artist 'A Pianist'",
      "\(ProgramName.current) tracks list --album Nights --artist 'A Pianist' --sort album"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Option(name: .long, help: ArgumentHelp("Only tracks from this source.", valueName: "source"))
  var source: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only tracks by this artist; with --album, of the album by this artist.", valueName: "artist"
    ))
  var artist: String?

  @Option(name: .long, help: ArgumentHelp("Only tracks of this album.", valueName: "album"))
  var album: String?

  @Option(name: .long, help: "The order.")
  var sort = ChoiceArgument(TrackSort.title)

  func validate() throws {
    guard source == nil || artist == nil && album == nil else {
      throw ValidationError("--source is not for --artist or --album: name one of them")
    }
  }

  private var filter: TrackFilter {
    if let album { return .album(album, by: artist) }
    if let artist { return .artist(artist) }
    return source.map { .source($0) } ?? .all
  }

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readLibrary { library in
      let page = try await library.tracks.list(
        filter, by: sort.choice, limit: page.limit, after: cursor)
      try Console.current.write(page, "track", options.format, json: \.json) { [$0.text] }
    }
  }
}

struct TracksSearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find tracks by words.",
    discussion: """
      Titles, artists and albums are searched. A track is found if it has all words; the last may be the beginning of \
      one.
      """.examples("\(ProgramName.current) tracks search nocturne pian"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Argument(help: ArgumentHelp("What to find.", valueName: "words"))
  var words: [String]

  func run() async throws {
    let (query, cursor) = (words.joined(separator: " "), try page.cursor())
    try await options.readLibrary { library in
      let page = try await library.tracks.search(query, limit: page.limit, after: cursor)
      try Console.current.write(page, "track", options.format, json: \.json) { [$0.text] }
      if page.rows.isEmpty, cursor == nil,
        let near = try await library.tracks.nearMiss(of: query)
      {
        Console.current.error("no track has these words; did you mean \"\(near)\"?")
      }
    }
  }
}
