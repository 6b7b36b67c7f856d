import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsLibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "List the library: pinned shows first, then the newest.",
    discussion: "With --format json, this is an export of the library.".examples(
      "\(ProgramName.current) shows library",
      "\(ProgramName.current) shows library --limit 1000 --format json"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: ShowPageOptions

  func run() async throws {
    let (limit, cursor, format) = (page.limit, try page.cursor(), options.format)
    try await options.readArchive { archive in
      let page = try await archive.library.list(limit: limit, after: cursor)
      let console = Console.current
      switch format {
      case .text:
        for show in page.rows {
          console.write((show.isPinned ? "pinned  " : "        ") + show.line.text)
          if let notes = show.notes { console.write("          \(notes)") }
        }
        console.summarize(page, "show")
      case .json:
        try console.write(
          json: PageJSON(rows: page.rows.map(SavedShowJSON.init), next: page.next?.description))
      }
    }
  }
}

private struct SavedShowJSON: Encodable {
  let show: ShowLineJSON
  let addedAt: String
  let isPinned: Bool
  let notes: String?

  init(_ saved: SavedShow) {
    show = ShowLineJSON(saved.line)
    addedAt = Timestamp(milliseconds: saved.addedAt).description
    isPinned = saved.isPinned
    notes = saved.notes
  }
}

struct ShowsRecentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recent", abstract: "List the shows that were played, the last first.",
    discussion: """
      --clear hides them. The log keeps every play: only a new log has none.
      """.examples(
        "\(ProgramName.current) shows recent",
        "\(ProgramName.current) shows recent --clear"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: ShowPageOptions

  @Flag(name: .long, help: "Hide all of them, or the show that --show names.")
  var clear = false

  @Option(name: .long, help: ArgumentHelp("With --clear: hide this show alone.", valueName: "show"))
  var show: String?

  func validate() throws {
    if show != nil, !clear { throw ValidationError("--show is for --clear") }
  }

  func run() async throws {
    let (options, clear, show) = (options, clear, show)
    let (limit, cursor) = (page.limit, try page.cursor())
    try await options.readArchive { archive in
      if clear {
        let change =
          if let show { try await archive.recent.clear(show: show) } else {
            try await archive.recent.clear()
          }
        switch options.format {
        case .text:
          try options.write(
            change, unchanged: "nothing to hide", changed: "hidden; the log keeps the plays")
        case .json:
          try Console.current.write(
            json: RecentJSON(rows: [], cleared: change.outcome != .unchanged, next: nil))
        }
        return
      }
      let page = try await archive.recent.list(limit: limit, after: cursor)
      let console = Console.current
      switch options.format {
      case .text:
        for recent in page.rows {
          console.write(
            "\(Timestamp(milliseconds: recent.lastPlayedTimestamp))  "
              + "\(Count.of(recent.totalPlayCount, "play"))  \(recent.showID)")
        }
        console.summarize(page, "show")
      case .json:
        try console.write(
          json: RecentJSON(
            rows: page.rows.map(RecentShowJSON.init), cleared: nil, next: page.next?.description))
      }
    }
  }
}

private struct RecentJSON: Encodable {
  let rows: [RecentShowJSON]
  let cleared: Bool?
  let next: String?
}

private struct RecentShowJSON: Encodable {
  let showId: String
  let lastPlayedAt: String
  let firstPlayedAt: String
  let playCount: Int64

  init(_ recent: RecentShow) {
    showId = recent.showID
    lastPlayedAt = Timestamp(milliseconds: recent.lastPlayedTimestamp).description
    firstPlayedAt = Timestamp(milliseconds: recent.firstPlayedTimestamp).description
    playCount = recent.totalPlayCount
  }
}
