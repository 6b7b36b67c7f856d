import Foundation
import Testing

/// A command as the program itself describes it: `--experimental-dump-help`.
struct CommandTree: Decodable, Sendable {
  struct Argument: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      let kind: String
      let name: String
    }

    let kind: String
    let shouldDisplay: Bool
    let names: [Name]?
    let valueName: String?
    let allValues: [String]?
  }

  let commandName: String
  let superCommands: [String]?
  let shouldDisplay: Bool
  let abstract: String?
  let discussion: String?
  let subcommands: [CommandTree]?
  let arguments: [Argument]?

  static let root = Task {
    struct Dump: Decodable {
      let command: CommandTree
    }
    let outcome = try await Program.catalogctl(["--experimental-dump-help"])
    try #require(outcome.status == 0, "\(outcome)")
    return try JSONDecoder().decode(Dump.self, from: Data(outcome.output.utf8)).command
  }

  /// The words behind `catalogctl`; empty for the root.
  var words: [String] {
    superCommands.map { Array(($0 + [commandName]).dropFirst()) } ?? []
  }

  var shown: [CommandTree] {
    (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  /// This command and all below it that are shown.
  var all: [CommandTree] { [self] + shown.flatMap(\.all) }

  /// Those that do something themselves.
  var leaves: [CommandTree] { all.filter(\.shown.isEmpty) }
}
