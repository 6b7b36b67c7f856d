import ArgumentParser
import CatalogModel
import CatalogStore
import Downloads
import DownloadsOverSystem
import EngineCommands
import Foundation
import SoundLibrary

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel downloads, also of other processes, and remove partial files.",
    discussion:
      "An installed version stays. A pack that is not being downloaded is not changed."
      .examples(
        "\(ProgramName.current) cancel 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: PackWaitOptions

  @Argument(help: PackArguments.help, completion: LibraryCompletion.packs)
  var packs: [String]

  func run() async throws {
    try await PackCare(options, waiting).run(packs) { try await $0.cancelDownload(packId: $1) }
  }
}

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove the downloaded files of packs.",
    discussion: "Packs, items and tags stay in the catalog and can be downloaded again."
      .examples(
        "\(ProgramName.current) delete 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: PackWaitOptions

  @Argument(help: PackArguments.help, completion: LibraryCompletion.packs)
  var packs: [String]

  func run() async throws {
    try await PackCare(options, waiting).run(packs) { try await $0.deletePack(packId: $1) }
  }
}

/// Does something to packs that needs no network, and says what has become of them.
private struct PackCare {
  private let options: CatalogOptions
  private let waiting: PackWaitOptions

  init(_ options: CatalogOptions, _ waiting: PackWaitOptions) {
    self.options = options
    self.waiting = waiting
  }

  func run(
    _ names: [String], _ change: (PackDownloadManager, UUID) async throws -> Void
  ) async throws {
    try await options.workOnPacks { catalog in
      let packs = try await options.packs(names, in: catalog)
      let transport = SystemTransport()
      defer { transport.shutdown() }
      let manager = try PackDownloadManager(catalog, transport: transport, wait: waiting.duration)
      for pack in packs { try await change(manager, pack.id) }
      var after: [PackWithState] = []
      for pack in packs {
        after.append(try await catalog.packs.packDetail(packId: pack.id).pack)
      }
      try Console.current.write(options.format, json: after.map(\.json)) { console in
        for pack in after { console.write(pack.line) }
      }
    }
  }
}
