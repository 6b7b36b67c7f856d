import ArgumentParser
import Foundation
import KindConformance
import SoundLibrary

/// Two catalogs share a log in a store that the application brings, and the suite for stores tries it.
struct ObjectsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "objects")

  @Argument var folder: String

  func run() async throws {
    let folder = folder
    let findings = try await StoreConformance { name in
      try ObjectStore("objects://\(folder)/trials#\(name)")
    }.findings()
    guard findings.isEmpty else { throw Failure(description: "\(findings)") }
    SharedLogs.add(scheme: "objects") { address in try ObjectStore(address) }
    let first = try await catalog("first")
    try await first.importer.importIfNeeded()
    let found = try await catalog("second").library.searchItems(kind: nil, query: "rain")
    guard !found.isEmpty else { throw Failure(description: "the second has no items") }
    Embedder.say("shared")
  }

  /// A catalog on the log that both share.
  private func catalog(_ name: String) async throws -> SoundLibrary {
    let directory = CatalogDirectory("\(folder)/\(name)")
    try directory.shareLog(at: "objects://\(folder)/logs#sounds")
    return try await SoundLibrary.open(directory)
  }
}
