import CatalogModel
import Foundation

/// The message of the parser for wrong usage, as one sentence, with suggestions that can have been meant.
struct ParserMessage {
  private(set) var text: String

  /// Options of other programs, and those that do the same here.
  private static let otherOptions = [
    "--last": ["--newest", "--limit"], "--tail": ["--newest", "--limit"], "--reverse": ["--newest"],
    "--head": ["--limit"], "--count": ["--limit"], "--max": ["--limit", "--rows"],
    "--output": ["--out"], "--from": ["--since"], "--to": ["--until"], "--author": ["--by"],
    "--search": ["--grep"], "--db": ["--catalog"], "--dir": ["--catalog"],
  ]

  /// - Parameters:
  ///   - text: the parser's, without its usage.
  ///   - help: of the command, which has the names of its options.
  init(_ text: String, help: String) {
    // The parser adds other readings of the same word.
    let end = ["\n   or: ", "\n\nOVERVIEW: "].compactMap { text.range(of: $0)?.lowerBound }.min()
    self.text = end.map { String(text[..<$0]) } ?? text
    suggestOption(help)
    suggestValue()
    explainArguments(help)
  }

  /// Says of arguments that a command does not take how they were meant.
  private mutating func explainArguments(_ help: String) {
    if text.contains("The value '=' is invalid") {
      text += ". Write NAME=FILE without spaces"
    } else if text.contains("nexpected argument"), help.contains("<sql>") {
      text += ". Write the statement in quotes: 'SELECT …'"
    } else if let start = text.range(of: "Unexpected argument '"), help.contains("--limit") {
      let word = text[start.upperBound...].prefix { $0 != "'" }
      if UInt(word) != nil {
        text +=
          help.contains("[<events>]")
          ? ". A range of events is written FIRST..LAST" : ". Did you mean '--limit \(word)'?"
      }
    }
  }

  /// Replaces the parser's suggestion by a nearer one, or by none: it names the least distant option, however far.
  private mutating func suggestOption(_ help: String) {
    guard let start = text.range(of: "Unknown option '"),
      let end = text[start.upperBound...].firstIndex(of: "'")
    else { return }
    let option = String(text[start.upperBound..<end])
    let rest = text[text.index(after: end)...]
    let line = rest.prefix { $0 != "\n" }
    let guess = line.range(of: "Did you mean '").map { mark in
      String(line[mark.upperBound...].prefix { $0 != "'" })
    }
    let known = (Self.otherOptions[option] ?? []).filter { help.contains($0) }
    // The parser does not know those that are written otherwise before it reads them.
    let rewritten = NearMiss.find(option, among: ["--json", "--csv"])
    var advice = ""
    if !known.isEmpty {
      advice = ". Did you mean \(known.map { "'\($0)'" }.joined(separator: " with "))?"
    } else if let guess, NearMiss.find(option, among: [guess]) != nil {
      advice = ". Did you mean '\(guess)'?"
    } else if let rewritten, rewritten != option, help.contains("--format") {
      advice = ". Did you mean '\(rewritten)'?"
    } else if option.dropFirst().allSatisfy(\.isNumber), option.count > 1 {
      advice =
        "; head~\(option.dropFirst()) names the state \(option.dropFirst()) batches before the head"
    }
    text.replaceSubrange(line.startIndex..<line.endIndex, with: advice)
  }

  /// Writes the values that an option takes in one line, and names the one that is near.
  private mutating func suggestValue() {
    guard let list = text.range(of: "Please provide one of ") else { return }
    let rest = text[list.upperBound...]
    var values: [String]
    if rest.hasPrefix("the following:") {
      let items = rest.split(separator: "\n").dropFirst()
        .prefix { $0.hasPrefix("  - ") }
      values = items.map { String($0.dropFirst(4)) }
      let end = items.last?.endIndex ?? rest.endIndex
      text.replaceSubrange(
        rest.startIndex..<end, with: values.map { "'\($0)'" }.joined(separator: ", ") + ".")
    } else {
      values = rest.prefix { $0 != "\n" }.split(separator: "'").map(String.init)
        .filter { !$0.contains(" ") && !$0.contains(",") && !$0.contains(".") }
    }
    guard let start = text.range(of: "The value '"),
      let end = text[start.upperBound...].firstIndex(of: "'")
    else { return }
    let value = String(text[start.upperBound..<end])
    let near =
      NearMiss.find(value, among: values)
      ?? values.first { !value.isEmpty && $0.lowercased().hasPrefix(value.lowercased()) }
    if let near { text += " Did you mean '\(near)'?" }
  }
}
