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
  @OptionGroup var page: PagingOptions

  @Flag(name: .long, help: "Only pinned shows.")
  var pinned = false

  func run() async throws {
    let (isPinned, limit, cursor, format) = (pinned, page.limit, try page.cursor(), options.format)
    try await options.readArchive { archive in
      let page = try await archive.library.list(isPinned: isPinned, limit: limit, after: cursor)
      try Console.current.write(
        page, "show", format, json: SavedShowJSON.init, text: { $0.lines })
    }
  }
}

extension SavedShow {
  fileprivate var lines: [String] {
    var lines = [(isPinned ? "pinned  " : "        ") + line.text]
    let indent = String(repeating: " ", count: 10)
    if let rating { lines.append("\(indent)rated \(rating)") }
    if !tags.isEmpty { lines.append("\(indent)tagged \(tags.joined(separator: ", "))") }
    if let notes { lines += notes.split(separator: "\n").map { indent + $0 } }
    return lines
  }
}

private struct SavedShowJSON: Encodable {
  let show: ShowLineJSON
  let addedAt: String
  let isPinned: Bool
  let notes: String?
  let rating: Double?
  let tags: [String]
  let lastPlayedAt: String?

  init(_ saved: SavedShow) {
    show = ShowLineJSON(saved.line)
    addedAt = Timestamp(milliseconds: saved.addedAt).description
    isPinned = saved.isPinned
    notes = saved.notes
    rating = saved.rating
    tags = saved.tags
    lastPlayedAt = saved.lastAccessedAt.map { Timestamp(milliseconds: $0).description }
  }
}
