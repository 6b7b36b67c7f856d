import Support

extension RecoveryWords {
  /// What a person types into a shell to bring things in order.
  ///
  /// - Parameter own: what this program says instead; nil for what it says as all others do.
  static func commands(
    of program: String, own: @escaping @Sendable (Recovery) -> Word?
  ) -> RecoveryWords {
    RecoveryWords { recovery in
      func command(_ words: String) -> Word { .command("\(program) \(words)") }
      if let word = own(recovery) { return word }
      return switch recovery {
      case .begin: .phrase("create one with `\(program) init`")
      case .rebuild: command("rebuild")
      case .rebuildKeepingOld: command("rebuild --keep-old FILE")
      case .rebuildDiscarding: command("rebuild --discard")
      case .keepOld: .phrase(" (--keep-old FILE keeps a copy of the old one)")
      case .verify: command("verify")
      case .check: command("check")
      case .examine: command("doctor")
      case .seal: command("seal")
      case .salvage: command("salvage OUT")
      case .salvagePastGaps: command("salvage --past-gaps OUT")
      case .showEvent(let sequence): command("event \(sequence)")
      case .showLost(let sequence): command("diff \(sequence) live")
      case .listOperations: command("log --operations")
      case .findFork: command("diverge OLD NEW")
      case .listContradictions: command("verify")
      case .wait: .phrase(", or wait longer with --wait")
      case .acceptLoss:
        .phrase(
          "; or accept the loss: `init --log` with --accept-loss, also for a folder that exists, or `copy` with --accept-loss"
        )
      case .allowMoreTime: .phrase("--timeout")
      case .askEveryMoment: .phrase("--all")
      case .nameCatalog: .phrase(" with --catalog or CATALOG_HOME")
      case .readLogAlone: .phrase(" with --events")
      case .ofKind(let recovery): command(words(of: recovery))
      }
    }
  }

  private static func words(of recovery: KindRecovery) -> String {
    // Behind `--` no name is an option.
    let mark = recovery.subjects.contains { $0.hasPrefix("-") } ? ["--"] : []
    return ([recovery.action] + mark + recovery.subjects.map(ShellWord.quoted))
      .joined(separator: " ")
  }
}
