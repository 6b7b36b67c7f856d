import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

struct PacksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packs",
    abstract: "List packs and their state.",
    discussion: "".examples(
      "catalogctl packs",
      "catalogctl packs sfx"))

  @OptionGroup var options: CatalogOptions

  @Argument(help: "atmosphere or sfx; default both.")
  var kind: Kind?

  func run() async throws {
    try await options.readCatalog { catalog in
      let console = Console.current
      var packs: [PackWithState] = []
      for kind in kind.map({ [$0] }) ?? [.atmosphere, .sfx] {
        packs += try await catalog.packs.listPacks(kind: kind)
      }
      switch options.format {
      case .text:
        for pack in packs { console.write(pack.line) }
        console.error(Count.of(packs.count, "pack"))
      case .json: try console.write(json: packs.map(PackJSON.init))
      }
    }
  }
}

struct PackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack", abstract: "Show one pack: its state and its items.",
    discussion: "".examples(
      "catalogctl pack 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The pack's UUID.", valueName: "id"), completion: LibraryCompletion.packs)
  var pack: EntityID

  func run() async throws {
    try await options.readCatalog { catalog in
      let console = Console.current
      let detail = try await catalog.packs.packDetail(packId: UUID(pack))
      switch options.format {
      case .text:
        console.write(detail.pack.line)
        for item in detail.items {
          console.write("  \(item.lowercaseID)  \(item.title)  \(item.availability.rawValue)")
        }
        console.error(Count.of(detail.items.count, "item"))
      case .json:
        try console.write(
          json: PackDetailJSON(
            pack: PackJSON(detail.pack), items: detail.items.map(ItemJSON.init)))
      }
    }
  }
}

private struct PackDetailJSON: Encodable {
  let pack: PackJSON
  let items: [ItemJSON]
}

extension SelectedPack {
  var lowercaseID: String { id.uuidString.lowercased() }
}

extension PackWithState {
  var lowercaseID: String { id.uuidString.lowercased() }

  var line: String {
    var state = state.rawValue
    if let bytesDownloaded, self.state == .downloading || self.state == .failed {
      state += " \(Count.bytes(bytesDownloaded))"
      if let bytesTotal { state += " of \(Count.bytes(bytesTotal))" }
    }
    if let installedVersion { state += ", version \(installedVersion) installed" }
    if let lastError { state += ": \(lastError)" }
    return "\(lowercaseID)  \(kind.rawValue)  \(title)  \(Count.of(itemCount, "item")), "
      + "version \(version), \(state)"
  }
}

/// A pack with its state, as JSON.
struct PackJSON: Encodable {
  let id: String
  let kind: String
  let title: String
  let description: String?
  let artworkUrl: String?
  let version: Int
  let manifestUrl: String
  let createdAt: String
  let itemCount: Int
  let state: String
  let bytesTotal: Int64?
  let bytesDownloaded: Int64?
  let installedVersion: Int?
  let lastError: String?
  let stateChangedAt: String

  init(_ pack: PackWithState) {
    id = pack.lowercaseID
    kind = pack.kind.rawValue
    title = pack.title
    description = pack.description
    artworkUrl = pack.artworkURL
    version = pack.version
    manifestUrl = pack.manifestURL
    createdAt = pack.createdAt.description
    itemCount = pack.itemCount
    state = pack.state.rawValue
    bytesTotal = pack.bytesTotal
    bytesDownloaded = pack.bytesDownloaded
    installedVersion = pack.installedVersion
    lastError = pack.lastError
    stateChangedAt = pack.stateChangedAt.description
  }
}
