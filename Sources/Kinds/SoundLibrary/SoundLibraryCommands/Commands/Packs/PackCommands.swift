import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

struct PacksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packs",
    abstract: "List packs and their state.",
    discussion: "".examples(
      "\(ProgramName.current) packs",
      "\(ProgramName.current) packs sfx"))

  @OptionGroup var options: CatalogOptions

  @Argument(help: "atmosphere or sfx; default both.")
  var kind: Kind?

  func run() async throws {
    try await options.readCatalog { catalog in
      var packs: [PackWithState] = []
      for kind in kind.map({ [$0] }) ?? [.atmosphere, .sfx] {
        packs += try await catalog.packs.listPacks(kind: kind)
      }
      try Console.current.write(options.format, json: packs.map(\.json)) { console in
        for pack in packs { console.write(pack.line) }
        console.note(Count.of(packs.count, "pack"))
      }
    }
  }
}

struct PackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack", abstract: "Show one pack: its state and its items.",
    discussion: "".examples(
      "\(ProgramName.current) pack 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08",
      "\(ProgramName.current) pack 'Harbour Sounds'"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The pack's UUID, the beginning of it, or its title.", valueName: "id"),
    completion: LibraryCompletion.packs)
  var pack: [String]

  func run() async throws {
    try await options.readCatalog { catalog in
      let detail = try await catalog.packs.packDetail(packId: options.pack(pack, in: catalog))
      let json: JSONObject = ["pack": detail.pack.json, "items": detail.items.map(\.json)]
      try Console.current.write(options.format, json: json) { console in
        console.write(detail.pack.line)
        for item in detail.items {
          console.write("  \(item.lowercaseID)  \(item.title)  \(item.availability.rawValue)")
        }
        console.note(Count.of(detail.items.count, "item"))
      }
    }
  }
}

extension PackWithState {
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

  var json: JSONObject {
    [
      "id": lowercaseID, "kind": kind.rawValue, "title": title, "description": description,
      "artworkUrl": artworkURL, "version": version, "manifestUrl": manifestURL,
      "createdAt": createdAt.description, "itemCount": itemCount, "state": state.rawValue,
      "bytesTotal": bytesTotal, "bytesDownloaded": bytesDownloaded,
      "installedVersion": installedVersion, "lastError": lastError,
      "stateChangedAt": stateChangedAt.description,
    ]
  }
}
