import ArgumentParser
import CatalogModel
import Foundation
import Logging
import SoundLibrary

/// Edits tags of a catalog through the library's public face and says each sequence after the edit returned.
struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "edit")

  @Argument var catalog: String
  /// The item that gets the tags.
  @Option var item: String
  /// Begins the names of the tags.
  @Option var name: String
  @Option var count = Int.max
  /// Seconds to wait for other writers.
  @Option var wait = 60.0

  func run() async throws {
    guard let item = UUID(uuidString: item) else {
      throw ValidationError("--item is not a UUID")
    }
    var options = SoundLibrary.Options(wait: .seconds(wait))
    options.logger.logLevel = .error
    let catalog = try await SoundLibrary.openExisting(
      CatalogDirectory(catalog), options: options)
    defer { catalog.close() }
    for number in 0..<count {
      let tag = TagName(.moods, "\(name) \(number)")
      let added = try await catalog.tags.add([tag], to: item)
      Embedder.say("ack \(added.sequence) \(added.events)")
      guard number % 3 == 2 else { continue }
      let removed = try await catalog.tags.remove([tag], from: item)
      Embedder.say("ack \(removed.sequence) \(removed.events)")
    }
  }
}
