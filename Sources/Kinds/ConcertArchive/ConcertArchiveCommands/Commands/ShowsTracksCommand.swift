import ArgumentParser
import CatalogEngine
import CatalogModel
import ConcertArchive
import Downloads
import DownloadsOverSystem
import EngineCommands
import Foundation

/// Where the archive on the web and the cache are.
struct CacheOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder of the cache.", discussion: "Default: cache in the catalog's folder.",
      valueName: "dir"), completion: .directory)
  var cache: String?

  /// The cache, for as long as `body` runs.
  func withCache(
    of options: CatalogOptions, _ body: (ArchiveCache) async throws -> Void
  ) async throws {
    let transport = SystemTransport()
    defer { transport.shutdown() }
    let address = ProcessInfo.processInfo.environment["CONCERT_ARCHIVE_API"] ?? ""
    let service = ArchiveService(
      address: address.isEmpty ? ArchiveService.standardAddress : address, transport: transport)
    let directory = try options.directory
    if let cache { try directory.requireApart(cache) }
    let folder = cache ?? directory.path + "/cache"
    try await body(ArchiveCache(folder: folder, service: service))
  }
}

struct ShowsTracksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks", abstract: "List the tracks of a recording.",
    discussion: """
      The archive on the web is asked once a day; its answers are kept in files that may be deleted at any time. The \
      variable CONCERT_ARCHIVE_API names another server.
      """.examples("\(ProgramName.current) shows tracks gd1977-05-08.sbd.miller.97065.flac16"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var caching: CacheOptions

  @Flag(name: .long, help: "Ask the archive, whatever is kept.")
  var refresh = false

  @Argument(help: ArgumentHelp("The recording's identifier.", valueName: "recording"))
  var recording: String

  func run() async throws {
    try await options.readArchive { archive in
      guard try await archive.shows.recording(recording) != nil else {
        throw Refusal(
          "there is no recording \"\(JSONExcerpt.printable(recording))\"; "
            + "`\(ProgramName.current) shows recordings` lists those of a show")
      }
      try await caching.withCache(of: options) { cache in
        let document = try await cache.document(.tracks, of: recording, refreshing: refresh)
        let tracks = try await cache.tracks(of: recording)
        let json: JSONObject = [
          "recording": recording, "fetchedAt": document.fetchedAt.description,
          "isStale": document.isStale, "tracks": tracks.map(\.json),
        ]
        try Console.current.write(options.format, json: json) { console in
          for track in tracks { console.write(track.line) }
          console.error(
            "\(Count.of(tracks.count, "file")), as of \(document.fetchedAt)"
              + (document.isStale ? "; the archive cannot be reached" : ""))
        }
      }
    }
  }
}

extension ArchiveTrack {
  fileprivate var line: String {
    [track ?? "-", length ?? "-", format ?? "-", title ?? name].joined(separator: "  ")
  }

  fileprivate var json: JSONObject {
    ["name": name, "title": title, "track": track, "format": format, "length": length]
  }
}

struct ShowsPrefetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefetch", abstract: "Bring the tracks of the shows beside one into the cache.",
    discussion: """
      Two shows before it and two after, the best recording of each. Files of the cache that are older than a day are \
      removed.
      """.examples(
        "\(ProgramName.current) shows prefetch 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var caching: CacheOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.readArchive(argument) { archive, id in
      try await caching.withCache(of: options) { cache in
        let removed = try cache.removeExpired()
        let (recordings, failures) = try await archive.prefetch(around: id, into: cache)
        let brought = recordings.filter { failures[$0] == nil }
        let json: JSONObject = ["recordings": brought, "failures": failures, "removed": removed]
        try Console.current.write(options.format, json: json) { console in
          for recording in brought { console.write(recording) }
          for (_, reason) in failures.sorted(by: { $0.key < $1.key }) { console.error(reason) }
        }
        if !failures.isEmpty { throw Exit(status: .error) }
      }
    }
  }
}
