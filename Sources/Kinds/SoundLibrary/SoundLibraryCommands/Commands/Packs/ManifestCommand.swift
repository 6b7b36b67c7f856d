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
        "\(ProgramName.current) manifest apply manifest.json",
        "\(ProgramName.current) manifest apply manifest.json --dry-run"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var trial: DryRunArguments
  @OptionGroup var time: EventTimeArguments

  @Argument(
    help: "The manifest, plain or compressed by gzip or zstd; - is standard input.",
    completion: .file(extensions: ["json"]))
  var file: String

  /// The manifest's name in errors and reports.
  private var name: String { TypedDocument.name(of: file) }

  func run() async throws {
    let console = Console.current
    let source =
      file == "-"
      ? ManifestSource.bytes(try DocumentFile.loadStandardInput(), name: name) : .file(file)
    let warning = try time.warning(about: options)
    if trial.dryRun {
      return try await options.readCatalog { library in
        let planned = try await library.manifests.planned(source)
        try write(planned, to: console)
        if let warning, planned.events > 0 { console.error(warning) }
        if planned.events > 0 { throw Exit(status: .findings) }
      }
    }
    let report = try await options.changeCatalog(waiting, clock: time.clock) {
      try await $0.manifests.apply(source)
    }
    try write(report, to: console)
    if let warning, report.outcome != .unchanged { console.error(warning) }
    if report.outcome == .appended { throw Exit(status: .error) }
  }

  private func write(_ report: ManifestReport, to console: Console) throws {
    for key in report.ignoredKeys {
      console.error(
        "\(ProgramName.current): warning: \(name): \(key) is an unknown key and was ignored")
    }
    for remark in report.remarks {
      console.error("\(ProgramName.current): warning: \(name): \(remark)")
    }
    try console.write(options.format, whole: report.json(isPlanned: trial.dryRun)) { console in
      let pack = "\(name): pack \(report.packID.uuidString.lowercased())"
      let events = Count.of(report.events, "event")
      let outcome =
        report.events == 0
        ? "nothing new, 0 events"
        : trial.dryRun ? "would append \(events)" : "appended \(events)"
      console.write(
        "\(pack), version \(report.version), \(Count.of(report.assets, "asset")): \(outcome), "
          + "head \(report.sequence)")
      for line in report.lines { console.write(line) }
    }
  }
}

extension ManifestReport {
  /// The most assets that the text names.
  private static let namedAssets = 10

  /// Names assets that came, went and changed, in at most ten lines of assets and one of their numbers.
  fileprivate var lines: [String] {
    guard events > 0 else { return [] }
    let before = versionBefore.map { "since version \($0)" } ?? "no manifest was applied before"
    guard let changes else {
      return ["  \(before): not known; the log has no list of the assets before"]
    }
    let all =
      changes.came.map { ("came", $0) } + changes.went.map { ("went", $0) }
      + changes.changed.map { ("changed", $0) }
    let counts =
      "\(changes.came.count) came, \(changes.went.count) went, \(changes.changed.count) changed"
    var lines = ["  \(before): \(counts)"]
    lines += all.prefix(Self.namedAssets).map { verb, asset in
      "  \(verb) \(asset.title.isEmpty ? asset.itemID.uuidString.lowercased() : asset.title)"
        + " (asset \(asset.id.uuidString.lowercased()))"
    }
    if all.count > Self.namedAssets {
      lines.append("  and \(all.count - Self.namedAssets) more; --format json has all")
    }
    return lines
  }

  fileprivate func json(isPlanned: Bool) -> JSONObject {
    let outcome = isPlanned && events > 0 ? "planned" : outcome.rawValue
    return [
      "packId": packID.uuidString.lowercased(), "version": version, "assets": assets,
      "outcome": outcome, "events": events, "sequence": sequence,
      "ignoredKeys": ignoredKeys, "remarks": remarks, "versionBefore": versionBefore,
      "changes": changes?.json,
    ]
  }
}

extension ManifestReport.Changes {
  fileprivate var json: JSONObject {
    ["came": came.map(\.json), "went": went.map(\.json), "changed": changed.map(\.json)]
  }
}

extension ManifestReport.Asset {
  fileprivate var json: JSONObject {
    [
      "assetId": id.uuidString.lowercased(), "itemId": itemID.uuidString.lowercased(),
      "title": title,
    ]
  }
}
