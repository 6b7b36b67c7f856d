import ArgumentParser
import CatalogModel
import ConcertArchive
import EngineCommands

struct ShowsCollectionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collections", abstract: "List the collections, or the shows of one.",
    discussion: "".examples(
      "\(ProgramName.current) shows collections --tag official-release",
      "\(ProgramName.current) shows collections dicks-picks-vol-4"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Option(
    name: .long, help: ArgumentHelp("Only collections with this first tag.", valueName: "tag"))
  var tag: String?

  @Argument(help: ArgumentHelp("The collection's id.", valueName: "collection"))
  var collection: String?

  func validate() throws {
    if collection != nil, tag != nil {
      throw ValidationError("--tag is for the list of collections, not for one of them")
    }
  }

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readArchive { archive in
      if let collection {
        try await show(collection, of: archive, after: cursor)
      } else {
        try await list(archive, after: cursor)
      }
    }
  }

  private func list(_ archive: ConcertArchive, after cursor: KeysetCursor?) async throws {
    let page = try await archive.collections.list(tag: tag, limit: page.limit, after: cursor)
    let json: JSONObject = [
      "collections": page.rows.map(\.json), "next": page.next?.description,
    ]
    try Console.current.write(options.format, json: json) { console in
      for collection in page.rows {
        console.write(
          "\(collection.id)  \(collection.name), \(Count.of(collection.totalShows, "show"))")
      }
      console.summarize(page, "collection")
    }
  }

  private func show(
    _ id: String, of archive: ConcertArchive, after cursor: KeysetCursor?
  ) async throws {
    guard let collection = try await archive.collections.collection(id) else {
      let ids = try await archive.collections.list(limit: 10_000).rows.map(\.id)
      let advice =
        if let near = NearMiss.find(id, among: ids) { "did you mean \"\(near)\"?" } else {
          "`\(ProgramName.current) shows collections` lists them"
        }
      throw Refusal("there is no collection \"\(JSONExcerpt.printable(id))\"; \(advice)")
    }
    let page = try await archive.collections.shows(of: id, limit: page.limit, after: cursor)
    let json: JSONObject = [
      "collections": [collection.json], "shows": page.rows.map(\.line.json),
      "next": page.next?.description,
    ]
    try Console.current.write(options.format, json: json) { console in
      console.write("\(collection.name): \(collection.description)")
      for show in page.rows { console.write(show.line.text) }
      console.summarize(page, "show")
    }
  }
}

extension ShowCollection {
  fileprivate var json: JSONObject {
    [
      "id": id, "name": name, "description": description, "primaryTag": primaryTag,
      "totalShows": totalShows,
    ]
  }
}
