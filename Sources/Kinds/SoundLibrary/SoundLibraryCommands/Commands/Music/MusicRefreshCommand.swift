import AppleMusic
import AppleMusicTokens
import ArgumentParser
import CatalogModel
import CatalogStore
import DownloadsOverSystem
import EngineCommands
import Foundation
import SoundLibrary

struct MusicRefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Refresh playlists from Apple Music; with --tracks, their tracks too.",
    discussion: """
      Changes are appended as events; if nothing changed, nothing is appended. A playlist that no longer \
      exists stays listed, with the reason.

      The developer token comes from the environment: APPLE_MUSIC_TOKEN, or APPLE_MUSIC_KEY_FILE (a .p8 file \
      that only its owner can read), APPLE_MUSIC_KEY_ID and APPLE_MUSIC_TEAM_ID, which sign tokens. \
      APPLE_MUSIC_API replaces https://api.music.apple.com.
      """.examples(
        "\(ProgramName.current) music refresh",
        "\(ProgramName.current) music refresh --tracks --storefront de"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Flag(name: .long, help: "Refresh the tracks too.")
  var tracks = false

  @Option(name: .long, help: ArgumentHelp("The storefront to use.", valueName: "country"))
  var storefront = "us"

  @Argument(
    help: ArgumentHelp("UUIDs of music entries; default all visible ones.", valueName: "item"),
    completion: LibraryCompletion.items)
  var items: [EntityID] = []

  func validate() throws {
    let isCountry =
      storefront.utf8.count == 2
      && storefront.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard isCountry else {
      throw ValidationError(
        "--storefront takes two lower-case letters, such as us, not \(storefront)")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let tokens = try DeveloperTokens.fromEnvironment(environment) else {
      throw AppleMusicError(
        .tokenUnusable,
        "Apple Music needs a developer token: set APPLE_MUSIC_TOKEN, or APPLE_MUSIC_KEY_FILE, "
          + "APPLE_MUSIC_KEY_ID and APPLE_MUSIC_TEAM_ID")
    }
    let transport = SystemTransport()
    defer { transport.shutdown() }
    let client = try AppleMusicClient(
      transport: transport, tokens: tokens,
      baseURL: environment["APPLE_MUSIC_API"] ?? "https://api.music.apple.com")
    try await refresh(with: MusicService(client: client, storefront: storefront))
  }

  private func refresh(with service: MusicService) async throws {
    try await options.changeCatalog(waiting, music: service) { try await refresh($0) }
  }

  private func refresh(_ catalog: SoundLibrary) async throws {
    var wanted = items.map { UUID($0) }
    if wanted.isEmpty { wanted = try await catalog.music.entriesToRefresh() }
    var done: [(outcome: ChangeOutcome, json: JSONObject)] = []
    do {
      for item in wanted { done.append(try await refresh(item, catalog.music)) }
    } catch {
      if options.format == .json { try Console.current.write(json: done.map(\.json)) }
      if wanted.count > 1 {
        Console.current.error("\(done.count) of \(Count.of(wanted.count, "playlist")) refreshed")
      }
      throw error
    }
    if options.format == .json { try Console.current.write(json: done.map(\.json)) }
    if done.contains(where: { $0.outcome == .appended }) { throw Exit(status: .error) }
  }

  private func refresh(
    _ item: UUID, _ music: MusicRepository
  ) async throws -> (outcome: ChangeOutcome, json: JSONObject) {
    var refresh = try await music.refreshPlaylistMetadata(itemId: item)
    var events = refresh.events
    var outcome = refresh.outcome
    if tracks, refresh.state == .available {
      refresh = try await music.refreshPlaylistTrackCache(itemId: item)
      events += refresh.events
      if outcome == .unchanged || refresh.outcome == .appended { outcome = refresh.outcome }
    }
    if options.format == .text { write(refresh, events: events, of: item) }
    let json: JSONObject = [
      "item": EntityID(item).description, "playlistId": refresh.playlistID,
      "state": refresh.state.rawValue, "reason": refresh.reason, "tracks": refresh.trackCount,
      "outcome": outcome.rawValue, "events": events,
    ]
    return (outcome, json)
  }

  private func write(_ refresh: PlaylistRefresh, events: Int, of item: UUID) {
    var line = "\(EntityID(item))  \(refresh.playlistID)  "
    line += events == 0 ? "nothing new" : "appended \(Count.of(events, "event"))"
    if let count = refresh.trackCount { line += ", \(Count.of(count, "track"))" }
    if let reason = refresh.reason { line += ", \(refresh.state.words(in: storefront)): \(reason)" }
    Console.current.write(line)
  }
}
