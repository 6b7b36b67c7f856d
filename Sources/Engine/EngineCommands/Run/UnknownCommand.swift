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
        let known =
          commands.filter { $0.configuration.shouldDisplay }.map { name($0) }
          + (parent == root ? ["help"] : [])
        let place = parent == root ? "" : " of \(name(parent))"
        let other = parent == root ? otherWords[word.lowercased()] : nil
        let hint =
          (other.flatMap { known.contains($0) ? $0 : nil } ?? NearMiss.find(word, among: known))
          .map { "did you mean \"\($0)\"?" }
        return UnknownCommand(
          parent: parent,
          message: "there is no command \"\(word)\"\(place)" + (hint.map { "; \($0)" } ?? ""))
      }
      parent = next
    }
    return nil
  }

  /// Commands of other programs, and those that do the same here.
  private static let otherWords = [
    "ls": "tables", "list": "tables", "schema": "tables", "info": "status", "st": "status",
    "undo": "revert", "rollback": "revert", "restore": "revert", "annotate": "blame",
    "sql": "query", "select": "query", "add": "import", "load": "import", "create": "init",
    "new": "init", "watch": "follow", "tail": "log", "web": "serve", "open": "serve", "ui": "serve",
    "clone": "copy", "backup": "copy", "fsck": "check", "validate": "verify", "find": "search",
  ]

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
