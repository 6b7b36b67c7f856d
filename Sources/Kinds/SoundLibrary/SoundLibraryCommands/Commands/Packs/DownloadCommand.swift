import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

struct DownloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract: "Download packs, or the newest version of them.",
    discussion: """
      The manifest is fetched and checked, each asset's bytes and SHA-256 are verified, and the pack is \
      installed when it is complete; until then an older version stays installed. Partial files of an \
      earlier attempt are resumed. Ctrl-C stops and keeps partial files; run the same command again to \
      resume.
      """.examples(
        "\(ProgramName.current) download 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08",
        "\(ProgramName.current) download 'Harbour Sounds'",
        "\(ProgramName.current) download --all"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: PackWaitOptions

  @Flag(name: .long, help: "All packs whose newest version is not installed.")
  var all = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Read the manifest from a file, not from the pack's address; only with one pack.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var manifest: String?

  @Argument(help: PackArguments.help, completion: LibraryCompletion.packs)
  var packs: [String] = []

  func validate() throws {
    try PackArguments.validate(packs, all: all)
    if manifest != nil, packs.count != 1 {
      throw ValidationError("--manifest needs exactly one pack")
    }
  }

  func run() async throws {
    try await options.workOnPacks { catalog in
      let packs =
        try await all
        ? catalog.packSelection.outdated() : options.packs(packs, in: catalog)
      try await PackDownloads(catalog, format: options.format, waiting).run(packs) {
        manager, pack in
        try await manager.startDownload(
          packId: pack.id, manifest: manifest.map { ManifestSource.file($0) })
      }
    }
  }
}

struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Resume failed or stopped downloads, and restore missing files.",
    discussion: """
      Reads every installed file of the pack and compares its SHA-256. Correct files are not downloaded \
      again. `doctor` lists what needs repair.
      """.examples(
        "\(ProgramName.current) repair 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08",
        "\(ProgramName.current) repair --all"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: PackWaitOptions

  @Flag(name: .long, help: "All packs that were ever downloaded.")
  var all = false

  @Argument(help: PackArguments.help, completion: LibraryCompletion.packs)
  var packs: [String] = []

  func validate() throws { try PackArguments.validate(packs, all: all) }

  func run() async throws {
    try await options.workOnPacks { catalog in
      let packs =
        try await all
        ? catalog.packSelection.begun() : options.packs(packs, in: catalog)
      try await PackDownloads(catalog, format: options.format, waiting).run(packs) {
        manager, pack in
        try await manager.repairOrResume(packId: pack.id)
      }
    }
  }
}

/// Which packs a command is about.
enum PackArguments {
  static let help = ArgumentHelp(
    "Packs: the UUID of each, the beginning of it, or the title.", valueName: "id")

  static func validate(_ packs: [String], all: Bool) throws {
    if packs.isEmpty == !all {
      throw ValidationError("name packs by their titles or UUIDs, or use --all")
    }
  }
}
