public import ArgumentParser
public import CatalogEngine
public import Support
import Synchronization

/// A program on the engine: its commands, and the kinds of catalogs that it knows.
///
/// ```swift
/// CatalogProgram(ShelfControl.self, kinds: [Bookshelf()]).run(CommandLine.arguments.dropFirst())
/// ```
public struct CatalogProgram: Sendable {
  package let root: any AsyncParsableCommand.Type
  package let kinds: KnownKinds
  /// Lines to type that help shows with commands of the engine, by the command's name.
  let examples: [String: [String]]
  /// Commands that take the place of others for some catalogs.
  let variants: [CommandVariant]
  /// The help and the errors in catalogs of one kind.
  let helps: [KindHelp]
  private let ownWords: @Sendable (Recovery) -> RecoveryWords.Word?

  /// The program whose command runs.
  @TaskLocal package static var current: CatalogProgram?

  /// - Parameters:
  ///   - root: the command above all others, with `EngineCommandGroups.all` among its groups of subcommands. Its name
  ///     is the program's.
  ///   - kinds: the kinds of catalogs that it knows.
  ///   - descriptions: makes the kinds that logs describe; nil if the program reads no such log.
  ///   - examples: lines to type that help shows with commands of the engine, by the command's name.
  ///   - variants: commands that take the place of others of the same name for some catalogs.
  ///   - helps: what help and errors say in catalogs of one kind; the first one that is about a kind counts.
  ///   - words: what this program says of a recovery; nil for what every program says, as `shelfctl rebuild`.
  public init(
    _ root: any AsyncParsableCommand.Type, kinds: [any CatalogKind],
    descriptions: (any KindDescriptions)? = nil,
    examples: [String: [String]] = [:],
    variants: [CommandVariant] = [],
    helps: [KindHelp] = [],
    words: @escaping @Sendable (Recovery) -> RecoveryWords.Word? = { _ in nil }
  ) {
    self.root = root
    self.kinds = KnownKinds(kinds, descriptions: descriptions)
    self.examples = examples
    self.variants = variants
    self.helps = helps
    ownWords = words
    ProgramName.set(root.configuration.commandName ?? ProgramName.current)
  }
}

extension CatalogProgram {
  /// The command that does a task in catalogs of a kind, without the program's name; nil if none does.
  func command(toDo task: String, in kind: any CatalogKind) -> String? {
    helps.first { $0.isMeant(kind) }?.tasks[task]?.first
  }

  /// How this program speaks of what somebody can do about an error.
  package var words: RecoveryWords { words(ofKind: nil) }

  /// Words recoveries in errors of a command.
  ///
  /// - Parameters:
  ///   - kind: the only kind that the command works on; nil if it works on several.
  ///   - help: of the kinds whose catalogs alone have the command; nil if several have it.
  func words(ofKind kind: String?, _ help: KindHelp? = nil) -> RecoveryWords {
    let name = root.configuration.commandName ?? ProgramName.current
    return .commands(of: name) { [ownWords] recovery in
      if recovery == .begin, let beginning = help?.beginning { return .phrase(beginning) }
      if recovery == .begin, let kind {
        return .phrase("create one with `\(name) init --kind \(kind)`")
      }
      return ownWords(recovery)
    }
  }
}

/// What the program is called in what it says: help, examples, errors.
public enum ProgramName {
  private static let name = Mutex("catalogctl")

  /// The name of the root command of the `CatalogProgram` that this process made.
  public static var current: String { name.withLock { $0 } }

  fileprivate static func set(_ new: String) {
    name.withLock { $0 = new }
  }
}

extension KnownKinds {
  /// Those of the program whose command runs.
  package static var current: KnownKinds { CatalogProgram.current?.kinds ?? KnownKinds([]) }
}
