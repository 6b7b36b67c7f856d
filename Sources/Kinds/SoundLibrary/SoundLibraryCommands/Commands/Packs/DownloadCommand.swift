import ArgumentParser
import Catalog
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation

struct DownloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract: "Download packs, or the newest version of them.",
    discussion: """
      The manifest is fetched and checked, each asset's bytes and SHA-256 are verified, and the pack is \
      installed when all of it is there; until then an older version stays as it is. What an earlier \
      attempt left is gone on with. Ctrl-C stops and keeps what is there; the same command goes on.
      """.examples(
        "catalogctl download 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08",
        "catalogctl download --all"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "All packs that are not installed in their newest version.")
  var all = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Take the manifest from a file, not from the pack's address; with one pack alone.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var manifest: String?

  @Argument(
    help: ArgumentHelp("UUIDs of packs.", valueName: "id"), completion: LibraryCompletion.packs)
  var packs: [EntityID] = []

  func validate() throws {
    try PackArguments.validate(packs, all: all)
    if manifest != nil, packs.count != 1 {
      throw ValidationError("--manifest goes with one pack")
    }
  }

  func run() async throws {
    try await options.withCatalog { catalog in
      let packs =
        try await all
        ? catalog.packSelection.outdated() : catalog.packSelection.packs(packs.map { UUID($0) })
      try await PackDownloads(catalog, format: options.format).run(packs) { manager, pack in
        try await manager.startDownload(
          packId: pack.id, manifest: manifest.map { ManifestSource.file($0) })
      }
    }
  }
}

struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Go on with downloads that failed or were stopped; bring back files that are gone.",
    discussion: """
      Every installed file of the pack is read and compared with its SHA-256. What is there and right \
      is not downloaded again. `doctor` tells what there is to repair.
      """.examples(
        "catalogctl repair 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08",
        "catalogctl repair --all"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "All packs that were ever downloaded.")
  var all = false

  @Argument(
    help: ArgumentHelp("UUIDs of packs.", valueName: "id"), completion: LibraryCompletion.packs)
  var packs: [EntityID] = []

  func validate() throws { try PackArguments.validate(packs, all: all) }

  func run() async throws {
    try await options.withCatalog { catalog in
      let packs =
        try await all
        ? catalog.packSelection.begun() : catalog.packSelection.packs(packs.map { UUID($0) })
      try await PackDownloads(catalog, format: options.format).run(packs) { manager, pack in
        try await manager.repairOrResume(packId: pack.id)
      }
    }
  }
}

/// Which packs a command is about.
enum PackArguments {
  static func validate(_ packs: [EntityID], all: Bool) throws {
    if packs.isEmpty == !all {
      throw ValidationError("name packs by their UUIDs, or say --all")
    }
    if Set(packs).count < packs.count {
      throw ValidationError("a pack is named twice")
    }
  }
}
