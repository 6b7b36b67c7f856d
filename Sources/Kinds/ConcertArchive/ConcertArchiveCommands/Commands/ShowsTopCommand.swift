import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsTopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "List the shows with the best ratings.",
    discussion: "".examples(
      "\(ProgramName.current) shows top --limit 10"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  func run() async throws {
    let (limit, cursor, format) = (page.limit, try page.cursor(), options.format)
    try await options.readArchive { archive in
      let page = try await archive.shows.top(limit: limit, after: cursor)
      try Console.current.write(page, "show", format, json: { ShowLineJSON($0.line) }) {
        ["\($0.rating)  \(Count.of($0.reviews, "review"))  \($0.line.text)"]
      }
    }
  }
}

struct ShowsVersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Show which package was imported last.",
    discussion: "".examples(
      "\(ProgramName.current) shows version"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let format = options.format
    try await options.readArchive { archive in
      let version = try await archive.shows.version()
      let console = Console.current
      switch format {
      case .text:
        guard let version else { return console.error("no package was imported") }
        console.write(
          "\(version.packageName) \(version.dataVersion) (\(version.versionType)): "
            + "\(Count.of(version.totalShows, "show")), \(Count.of(version.totalVenues, "venue")), "
            + "\(Count.of(version.totalFiles, "file")), \(Count.bytes(version.totalSizeBytes))")
      case .json: try console.write(json: VersionJSON(package: version.map(PackageJSON.init)))
      }
    }
  }
}

private struct VersionJSON: Encodable {
  let package: PackageJSON?
}

private struct PackageJSON: Encodable {
  let name: String
  let version: String
  let versionType: String
  let description: String?
  let importedAt: String
  let gitCommit: String?
  let gitTag: String?
  let buildTimestamp: String?
  let shows: Int64
  let venues: Int64
  let files: Int64
  let bytes: Int64

  init(_ version: DataVersion) {
    name = version.packageName
    self.version = version.dataVersion
    versionType = version.versionType
    description = version.description
    importedAt = Timestamp(milliseconds: version.importedAt).description
    gitCommit = version.gitCommit
    gitTag = version.gitTag
    buildTimestamp = version.buildTimestamp
    shows = version.totalShows
    venues = version.totalVenues
    files = version.totalFiles
    bytes = version.totalSizeBytes
  }
}
