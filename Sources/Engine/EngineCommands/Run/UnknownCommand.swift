import ArgumentParser
import CatalogModel

/// A word where a command should stand, and which is none.
///
/// The parser calls it an unexpected argument, and `help` passes it over.
struct UnknownCommand {
  /// The command whose subcommands were meant.
  let parent: any ParsableCommand.Type
  let message: String

  /// - Returns: nil if every command is known.
  static func find(
    in arguments: [String], of root: any ParsableCommand.Type
  ) -> UnknownCommand? {
    var words = arguments[...]
    if words.first == "help" { words.removeFirst() }
    var parent: any ParsableCommand.Type = root
    for word in words {
      let commands = parent.configuration.subcommands
      if commands.isEmpty || word.hasPrefix("-") || word == "help" { return nil }
      guard let next = commands.first(where: { name($0) == word }) else {
        let known = commands.filter { $0.configuration.shouldDisplay }.map { name($0) }
        let place = parent == root ? "" : " of \(name(parent))"
        let hint = NearMiss.find(word, among: known).map { "did you mean \"\($0)\"?" }
        return UnknownCommand(
          parent: parent,
          message: "there is no command \"\(word)\"\(place)" + (hint.map { "; \($0)" } ?? ""))
      }
      parent = next
    }
    return nil
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
