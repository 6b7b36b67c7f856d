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
    let (collection, tag) = (collection, tag)
    let (limit, cursor, format) = (page.limit, try page.cursor(), options.format)
    try await options.readArchive { archive in
      if let collection {
        try await Self.show(collection, of: archive, limit, cursor, format)
      } else {
        try await Self.list(tag, of: archive, limit, cursor, format)
      }
    }
  }

  private static func list(
    _ tag: String?, of archive: ConcertArchive, _ limit: Int, _ cursor: KeysetCursor?,
    _ format: OutputFormat
  ) async throws {
    let page = try await archive.collections.list(tag: tag, limit: limit, after: cursor)
    let console = Console.current
    switch format {
    case .text:
      for collection in page.rows {
        console.write(
          "\(collection.id)  \(collection.name), \(Count.of(collection.totalShows, "show"))")
      }
      console.summarize(page, "collection")
    case .json:
      try console.write(
        json: CollectionsJSON(
          collections: page.rows.map(CollectionJSON.init), shows: nil, next: page.next?.description)
      )
    }
  }

  private static func show(
    _ id: String, of archive: ConcertArchive, _ limit: Int, _ cursor: KeysetCursor?,
    _ format: OutputFormat
  ) async throws {
    guard let collection = try await archive.collections.collection(id) else {
      let ids = try await archive.collections.list(limit: 10_000).rows.map(\.id)
      let advice =
        if let near = NearMiss.find(id, among: ids) { "did you mean \"\(near)\"?" } else {
          "`\(ProgramName.current) shows collections` lists them"
        }
      throw Refusal("there is no collection \"\(JSONExcerpt.printable(id))\"; \(advice)")
    }
    let page = try await archive.collections.shows(of: id, limit: limit, after: cursor)
    let console = Console.current
    switch format {
    case .text:
      console.write("\(collection.name): \(collection.description)")
      for show in page.rows { console.write(show.line.text) }
      console.summarize(page, "show")
    case .json:
      try console.write(
        json: CollectionsJSON(
          collections: [CollectionJSON(collection)],
          shows: page.rows.map { ShowLineJSON($0.line) }, next: page.next?.description))
    }
  }
}

private struct CollectionsJSON: Encodable {
  let collections: [CollectionJSON]
  let shows: [ShowLineJSON]?
  let next: String?
}

private struct CollectionJSON: Encodable {
  let id: String
  let name: String
  let description: String
  let primaryTag: String?
  let totalShows: Int64

  init(_ collection: ShowCollection) {
    id = collection.id
    name = collection.name
    description = collection.description
    primaryTag = collection.primaryTag
    totalShows = collection.totalShows
  }
}
