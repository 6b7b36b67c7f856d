import ArgumentParser
import CatalogModel
import EngineCommands
import Foundation
import SoundLibrary
import Synchronization

/// The tags of an item, as commands name them.
struct ItemTagOptions: ParsableArguments {
  @OptionGroup var changing: ChangeOptions
  @OptionGroup var tags: TagOptions

  @Argument(
    help: ArgumentHelp("The item's UUID, the beginning of it, or its title.", valueName: "item"),
    completion: LibraryCompletion.items)
  var item: String

  init() {}

  func change(
    _ body: (TagEditor, @escaping ItemTagNames, UUID) async throws -> ChangeReport
  ) async throws {
    let names = tags.names
    try await changing.change { catalog in
      try await body(catalog.tags, names, changing.options.item([item], in: catalog))
    }
  }
}

struct TagAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add your own tags to an item; new values are created.",
    discussion: "".examples(
      "\(ProgramName.current) tag add 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --mood Eerie"))

  @OptionGroup var tagging: ItemTagOptions

  @Flag(
    name: .long, help: "Make a new value even if one exists that differs in case or accents alone.")
  var new = false

  func run() async throws {
    let (names, makesNew) = (tagging.tags.names, new)
    try await tagging.changing.change { catalog in
      var known: [TagDimension: [String]] = [:]
      for dimension in TagDimension.all {
        known[dimension] = try await catalog.vocabulary.values(of: dimension).flatMap {
          [$0.value.name] + $0.aliases
        }
      }
      let values = known
      let made = Mutex<[TagName]>([])
      let report = try await catalog.tags.add(
        { kind in
          let tags = try names(kind)
          let unknown = tags.filter { values[$0.dimension]?.contains($0.name) != true }
          for tag in unknown where !makesNew { try Self.requireNoLookAlike(of: tag, in: values) }
          made.withLock { $0 = unknown }
          return tags
        }, to: tagging.changing.options.item([tagging.item], in: catalog))
      // A name with a typing error makes a value, too.
      if report.outcome != .unchanged {
        for tag in made.withLock({ $0 }) {
          Console.current.note("\"\(tag.name)\" is a new value of \(tag.dimension.key)")
        }
      }
      return report
    }
  }

  /// Asks back if a new value would look like one that exists.
  private static func requireNoLookAlike(
    of tag: TagName, in known: [TagDimension: [String]]
  ) throws {
    let names = known[tag.dimension] ?? []
    func folded(_ name: String) -> String {
      name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
    guard let near = names.first(where: { folded($0) == folded(tag.name) }) else { return }
    throw ValidationError(
      "\(tag.dimension.key) has no value \"\(tag.name)\", and has \"\(near)\": name that, or add --new for a new value"
    )
  }
}

struct TagRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove tags that you added; use `suppress` for those of seeds and manifests.",
    discussion: "".examples(
      "\(ProgramName.current) tag remove 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --mood Eerie"))

  @OptionGroup var tagging: ItemTagOptions

  func run() async throws {
    try await tagging.change { try await $0.remove($1, from: $2) }
  }
}

struct TagSuppressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suppress",
    abstract: "Hide wrong tags of an item that come from a seed or manifest.",
    discussion: "".examples(
      "\(ProgramName.current) tag suppress 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --mood Cozy"))

  @OptionGroup var tagging: ItemTagOptions

  func run() async throws {
    try await tagging.change { try await $0.suppress($1, on: $2) }
  }
}

struct TagUnsuppressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsuppress", abstract: "Show suppressed tags of an item again.",
    discussion: "".examples(
      "\(ProgramName.current) tag unsuppress 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --mood Cozy"))

  @OptionGroup var tagging: ItemTagOptions

  func run() async throws {
    try await tagging.change { try await $0.unsuppress($1, on: $2) }
  }
}
