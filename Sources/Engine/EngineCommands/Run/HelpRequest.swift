import ArgumentParser
import CatalogEngine
import Foundation

/// A command line that asks for help.
struct HelpRequest {
  /// The words that name the command; empty for the program.
  let command: [String]
  /// Whether the commands of all kinds are asked for.
  let isComplete: Bool
  /// Whether the names of the commands are asked for, as shells ask that complete one.
  let isOfNames: Bool

  /// - Parameter words: as the parser reads them.
  /// - Returns: nil if no help is asked for.
  init?(_ words: [String]) {
    let options = words.prefix { $0 != "--" }
    let isCommand = words.first == "help"
    guard words.isEmpty || isCommand || options.contains(where: Self.flags.contains) else {
      return nil
    }
    let rest = Self.withoutLocation(isCommand ? words[1...] : words[...])
    command = Array(rest.prefix { !$0.hasPrefix("-") })
    isComplete = command.isEmpty && rest.contains("--all")
    isOfNames = isCommand && rest == ["--names"]
    if isOfNames { return }
    // The parser says what is wrong with other options.
    let known = Self.flags.union(["--all"])
    if isCommand || command.isEmpty, let other = rest.dropFirst(command.count).first,
      !known.contains(other)
    {
      return nil
    }
  }

  private static let flags: Set = ["-h", "-help", "--help"]

  /// The words without the options that name a catalog.
  private static func withoutLocation(_ words: ArraySlice<String>) -> [String] {
    var words = words
    var rest: [String] = []
    while let word = words.popFirst() {
      if word == "--catalog" {
        words = words.dropFirst()
      } else if !word.hasPrefix("--catalog="), !["-q", "--quiet", "--strict"].contains(word) {
        rest.append(word)
      }
    }
    return rest
  }
}

extension KindAtHand {
  /// The catalog that arguments name, or the usual one, if its kind can be told at once.
  static func find(by arguments: [String], of program: CatalogProgram) -> KindAtHand? {
    guard let directory = CatalogLocation.named(by: arguments[...]),
      let kind = program.kinds.kindAtOnce(of: directory)
    else { return nil }
    return KindAtHand(kind, in: directory.path, of: program)
  }
}
