/// How a program speaks of what somebody can do about an error.
///
/// The engine's own words name the `Recovery`. The command line puts commands and options in their place, and so may
/// an application, with whatever its buttons say:
///
/// ```swift
/// let words = RecoveryWords { $0 == .rebuild ? .phrase("Repair") : RecoveryWords.plain.word(for: $0) }
/// let text = RecoveryWords.$current.withValue(words) { "\(error)" }
/// ```
public struct RecoveryWords: Sendable {
  /// What is put where a message speaks of a recovery.
  public enum Word: Hashable, Sendable {
    /// Something that is typed, or called: set off by backquotes within a sentence.
    case command(String)
    /// A part of the sentence.
    case phrase(String)
  }

  private let words: @Sendable (Recovery) -> Word

  public init(_ words: @escaping @Sendable (Recovery) -> Word) {
    self.words = words
  }

  public func word(for recovery: Recovery) -> Word { words(recovery) }

  /// Those of the program that runs in this task.
  @TaskLocal public static var current = RecoveryWords.plain

  /// Words that hold in any program: the engine's names.
  public static let plain = RecoveryWords { recovery in
    switch recovery {
    case .begin: .phrase("create one")
    case .rebuild: .command("rebuild")
    case .rebuildKeepingOld: .command("rebuildKeepingOld")
    case .rebuildDiscarding: .command("rebuildDiscarding")
    case .verify: .command("verify")
    case .check: .command("check")
    case .examine: .command("examine")
    case .seal: .command("seal")
    case .salvage: .command("salvage")
    case .salvagePastGaps: .command("salvagePastGaps")
    case .showEvent(let sequence): .command("showEvent \(sequence)")
    case .showLost(let sequence): .command("showLost \(sequence)")
    case .listOperations: .command("listOperations")
    case .findFork: .command("findFork")
    case .listContradictions: .command("listContradictions")
    case .wait: .phrase(", or wait for it longer")
    case .acceptLoss: .phrase("; or accept the loss")
    case .allowMoreTime: .phrase("its time limit")
    case .askEveryMoment: .phrase("a scan of every moment")
    case .nameCatalog, .readLogAlone, .keepOld: .phrase("")
    case .ofKind(let recovery):
      .command(([recovery.action] + recovery.subjects).joined(separator: " "))
    }
  }
}
