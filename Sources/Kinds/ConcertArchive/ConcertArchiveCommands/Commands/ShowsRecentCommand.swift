import ArgumentParser
import CatalogModel
import ConcertArchive
import EngineCommands

struct ShowsRecentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recent", abstract: "List the shows that were played, the last first.",
    discussion: """
      --clear hides them. The log keeps every play: only a new log has none.
      """.examples(
        "\(ProgramName.current) shows recent",
        "\(ProgramName.current) shows recent --clear"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Flag(name: .long, help: "Hide all of them, or those that --show or --before name.")
  var clear = false

  @Option(name: .long, help: ArgumentHelp("With --clear: hide this show alone.", valueName: "show"))
  var show: String?

  @Option(
    name: .long,
    help: ArgumentHelp("With --clear: hide shows that were last played before.", valueName: "time"))
  var before: String?

  @Flag(name: .long, help: "List the shows that were played most often first.")
  var mostPlayed = false

  func validate() throws {
    if show != nil || before != nil, !clear {
      throw ValidationError("--show and --before are for --clear")
    }
    if show != nil, before != nil { throw ValidationError("name --show or --before, not both") }
    if clear, mostPlayed { throw ValidationError("--most-played is not for --clear") }
    _ = try before.map(Self.time)
  }

  private static func time(_ text: String) throws -> Timestamp {
    guard let time = Timestamp.typed(text) else {
      throw ValidationError(
        "--before takes a time such as 2026-05-08T12:00:00Z or a day, not \"\(text)\"")
    }
    return time
  }

  func run() async throws {
    let (before, cursor) = (try before.map(Self.time), try page.cursor())
    try await options.readArchive { archive in
      if clear {
        let change =
          if let show {
            try await archive.recent.clear(show: show)
          } else if let before {
            try await archive.recent.clear(before: before)
          } else {
            try await archive.recent.clear()
          }
        switch options.format {
        case .text:
          try options.write(
            change, unchanged: "nothing to hide", changed: "hidden; the log keeps the plays")
        case .json:
          try Console.current.write(
            json: ["rows": [String](), "cleared": change.outcome != .unchanged] as JSONObject)
        }
        return
      }
      let page =
        mostPlayed
        ? try await archive.recent.mostPlayed(limit: page.limit, after: cursor)
        : try await archive.recent.list(limit: page.limit, after: cursor)
      try Console.current.write(page, "show", options.format, json: \.json) { [$0.text] }
    }
  }
}

extension RecentShow {
  fileprivate var text: String {
    "\(Timestamp(milliseconds: lastPlayedTimestamp))  "
      + "\(Count.of(totalPlayCount, "play"))  \(showID)"
  }

  fileprivate var json: JSONObject {
    [
      "showId": showID,
      "lastPlayedAt": Timestamp(milliseconds: lastPlayedTimestamp).description,
      "firstPlayedAt": Timestamp(milliseconds: firstPlayedTimestamp).description,
      "playCount": totalPlayCount,
    ]
  }
}
