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
    of options: CatalogOptions, _ body: @Sendable (ArchiveCache) async throws -> Void
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
    let (options, caching, refresh, recording) = (options, caching, refresh, recording)
    try await options.readArchive { archive in
      guard try await archive.shows.recording(recording) != nil else {
        throw Refusal(
          "there is no recording \"\(JSONExcerpt.printable(recording))\"; "
            + "`\(ProgramName.current) shows recordings` lists those of a show")
      }
      try await caching.withCache(of: options) { cache in
        let document = try await cache.document(.tracks, of: recording, refreshing: refresh)
        let tracks = try await cache.tracks(of: recording)
        let console = Console.current
        switch options.format {
        case .text:
          for track in tracks { console.write(track.line) }
          console.error(
            "\(Count.of(tracks.count, "file")), as of \(document.fetchedAt)"
              + (document.isStale ? "; the archive cannot be reached" : ""))
        case .json:
          try console.write(json: TracksJSON(recording, document, tracks))
        }
      }
    }
  }
}

extension ArchiveTrack {
  fileprivate var line: String {
    [track ?? "-", length ?? "-", format ?? "-", title ?? name].joined(separator: "  ")
  }
}

private struct TracksJSON: Encodable {
  let recording: String
  let fetchedAt: String
  let isStale: Bool
  let tracks: [TrackJSON]

  init(_ recording: String, _ document: CachedDocument, _ tracks: [ArchiveTrack]) {
    self.recording = recording
    fetchedAt = document.fetchedAt.description
    isStale = document.isStale
    self.tracks = tracks.map(TrackJSON.init)
  }
}

private struct TrackJSON: Encodable {
  let name: String
  let title: String?
  let track: String?
  let format: String?
  let length: String?

  init(_ track: ArchiveTrack) {
    name = track.name
    title = track.title
    self.track = track.track
    format = track.format
    length = track.length
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
    let (options, caching, show) = (options, caching, argument.show)
    try await options.readArchive { archive in
      try await caching.withCache(of: options) { cache in
        let removed = try cache.removeExpired()
        let (recordings, failures) = try await archive.prefetch(around: show, into: cache)
        let console = Console.current
        switch options.format {
        case .text:
          for recording in recordings where failures[recording] == nil { console.write(recording) }
          for (_, reason) in failures.sorted(by: { $0.key < $1.key }) { console.error(reason) }
        case .json:
          try console.write(
            json: PrefetchJSON(
              recordings: recordings.filter { failures[$0] == nil }, failures: failures,
              removed: removed))
        }
        if !failures.isEmpty { throw Exit(status: .error) }
      }
    }
  }
}

private struct PrefetchJSON: Encodable {
  let recordings: [String]
  let failures: [String: String]
  let removed: Int
}
