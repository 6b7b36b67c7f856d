import ArgumentParser
import EngineCommands
import Foundation
import SoundLibrary

struct ManifestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest", abstract: "Apply the manifests of packs.",
    subcommands: [ManifestApplyCommand.self])
}

struct ManifestApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply a pack's manifest: its tags appear in facets and filters.",
    discussion: """
      Nothing is downloaded. A manifest is refused if anything in it is wrong, if it is older than the one \
      that was applied, or if it has the same version with different content. docs/SEEDS.md describes every key.
      """.showing(
        "A small manifest, manifest.json:",
        """
        {
          "packId": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e02",
          "version": 1, "totalBytes": 48213,
          "assets": [{
            "assetId": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e04",
            "itemId": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e03",
            "url": "https://example.com/groan.ogg",
            "bytes": 48213, "codec": "ogg"
          }]
        }
        """
      ).examples(
        "catalogctl manifest apply manifest.json"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: "The manifest, JSON.", completion: .file(extensions: ["json"]))
  var file: String

  func run() async throws {
    let console = Console.current
    try await options.changeCatalog(waiting) { catalog in
      let report = try await catalog.manifests.apply(.file(file))
      for key in report.ignoredKeys {
        console.error("catalogctl: warning: \(file): \(key) is an unknown key and was ignored")
      }
      try console.write(options.format, whole: report.json) { console in
        let pack = "\(file): pack \(report.packID.uuidString.lowercased())"
        console.write(
          "\(pack), version \(report.version), \(Count.of(report.assets, "asset")): "
            + (report.events == 0
              ? "nothing new, 0 events" : "appended \(Count.of(report.events, "event"))")
            + ", head \(report.sequence)")
      }
      if report.outcome == .appended { throw Exit(status: .error) }
    }
  }
}

extension ManifestReport {
  fileprivate var json: JSONObject {
    [
      "packId": packID.uuidString.lowercased(), "version": version, "assets": assets,
      "outcome": outcome.rawValue, "events": events, "sequence": sequence,
      "ignoredKeys": ignoredKeys,
    ]
  }
}
