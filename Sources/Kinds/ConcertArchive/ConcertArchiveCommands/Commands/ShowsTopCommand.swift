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
    let cursor = try page.cursor()
    try await options.readArchive { archive in
      let page = try await archive.shows.top(limit: page.limit, after: cursor)
      try Console.current.write(page, "show", options.format, json: \.line.json) {
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
    try await options.readArchive { archive in
      let version = try await archive.shows.version()
      try Console.current.write(
        options.format, json: ["package": version?.json] as JSONObject
      ) { console in
        guard let version else { return console.error("no package was imported") }
        console.write(
          "\(version.packageName) \(version.dataVersion) (\(version.versionType)): "
            + "\(Count.of(version.totalShows, "show")), \(Count.of(version.totalVenues, "venue")), "
            + "\(Count.of(version.totalFiles, "file")), \(Count.bytes(version.totalSizeBytes))")
      }
    }
  }
}

extension DataVersion {
  fileprivate var json: JSONObject {
    [
      "name": packageName, "version": dataVersion, "versionType": versionType,
      "description": description,
      "importedAt": Timestamp(milliseconds: importedAt).description, "gitCommit": gitCommit,
      "gitTag": gitTag, "buildTimestamp": buildTimestamp, "shows": totalShows,
      "venues": totalVenues, "files": totalFiles, "bytes": totalSizeBytes,
    ]
  }
}
