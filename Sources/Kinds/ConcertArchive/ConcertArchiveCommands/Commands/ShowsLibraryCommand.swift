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
    let cursor = try page.cursor()
    try await options.readArchive { archive in
      let page = try await archive.library.list(
        isPinned: pinned, limit: page.limit, after: cursor)
      try Console.current.write(page, "show", options.format, json: \.json, text: \.lines)
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

extension SavedShow {
  fileprivate var json: JSONObject {
    [
      "show": line.json, "addedAt": Timestamp(milliseconds: addedAt).description,
      "isPinned": isPinned, "notes": notes, "rating": rating, "tags": tags,
      "lastPlayedAt": lastAccessedAt.map { Timestamp(milliseconds: $0).description },
    ]
  }
}
