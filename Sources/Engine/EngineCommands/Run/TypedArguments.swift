import ArgumentParser
import CatalogModel
import Foundation

/// A command line as the user typed it, in the form that the parser reads.
///
/// - Options before the command are moved after it: users know them from `git -C DIR log`.
/// - `--json` means `--format json`, `-V` and `version` mean `--version`, `-n5` means `-n 5`, and `-7d` is
///   a moment.
/// - Options that became arguments are read for one release, with a line on standard error.
struct TypedArguments {
  /// For the parser.
  private(set) var words: [String]
  /// Lines about spellings that a later release will not read.
  private(set) var notes: [String] = []
  private(set) var shape = OutputShape.indented
  private(set) var isQuiet = false
  /// Whether a program reads the output as JSON.
  private(set) var asksJSON = false
  /// The command whose subcommand is missing after options that every command has; nil if one is named, or help is asked for.
  private(set) var incomplete: (any ParsableCommand.Type)?

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - root: the command above all others.
  init(_ arguments: [String], of root: any ParsableCommand.Type) {
    words = arguments
    guard let first = words.first, first != "--generate-completion-script" else { return }
    if first == "version", words.count == 1 { words = ["--version"] }
    let place = moveLeadingOptions(root)
    rewriteFormerOptions(at: place)
    rewriteWords(of: words.prefix(place).joined(separator: " "))
  }

  /// The words before `--`, after which every word is an argument.
  private var options: Range<Int> { 0..<(words.firstIndex(of: "--") ?? words.count) }

  // MARK: Options before the command

  private static let withValue: Set = ["--catalog", "--format"]
  private static let flags: Set = ["--json", "--quiet", "--strict", "-q"]

  /// Moves options that come before the command after it.
  ///
  /// - Returns: how many words name the command.
  private mutating func moveLeadingOptions(_ root: any ParsableCommand.Type) -> Int {
    let (leading, rest) = Self.separated(words[...])
    if rest.first == "help" {
      words = Array(rest)
      return 0
    }
    var command: any ParsableCommand.Type = root
    var count = 0
    while let word = rest.dropFirst(count).first,
      let next = command.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      command = next
      count += 1
    }
    let isLeaf = command.configuration.subcommands.isEmpty
    if !isLeaf, command.configuration.defaultSubcommand == nil, words.count > count {
      // Without any option the parser shows the help.
      let other = Self.separated(rest.dropFirst(count)).rest.first
      if other.map(Self.withValue.contains) ?? true { incomplete = command }
    }
    guard let word = rest.first, !word.hasPrefix("-") else { return count }
    // If the name of a subcommand is unknown, the words that follow should be it.
    let path = isLeaf ? rest.prefix(count) : rest.prefix { !$0.hasPrefix("-") }
    words = path + leading + rest.dropFirst(path.count)
    return count
  }

  /// Separates the options of every command at the beginning of some words from the words after them.
  private static func separated(
    _ words: ArraySlice<String>
  ) -> (options: [String], rest: ArraySlice<String>) {
    var rest = words
    while let word = rest.first, word.hasPrefix("-") {
      let name = String(word.prefix { $0 != "=" })
      let takesNext = withValue.contains(word)
      guard takesNext ? rest.count > 1 : withValue.contains(name) || flags.contains(word) else {
        break
      }
      rest = rest.dropFirst(takesNext ? 2 : 1)
    }
    return (Array(words[..<rest.startIndex]), rest)
  }

  // MARK: Former options

  /// Options of earlier releases that are arguments now, by command.
  private static let formerOptions = [
    "what-if": (option: "--without", argument: "OPERATION"),
    "bisect": ("--sql", "SQL"), "history count": ("--sql", "SQL"), "materialize": ("--at", "WHEN"),
    "report": ("--out", "FILE"), "verify": ("--receipt", "RECEIPT"),
  ]

  private mutating func rewriteFormerOptions(at place: Int) {
    let command = words.prefix(place).joined(separator: " ")
    guard let (option, argument) = Self.formerOptions[command] else { return }
    guard let index = options.first(where: { isOption(option, words[$0]) }), index >= place else {
      return
    }
    var value = String(words[index].dropFirst(option.count + 1))
    if words[index] == option {
      // The parser says that the value is missing.
      guard index + 1 < options.upperBound else { return }
      value = words[index + 1]
      words.remove(at: index + 1)
    }
    words.remove(at: index)
    if option == "--at", Self.beginsWithAge(value) { value = "now" + value }
    if value.hasPrefix("-"), !value.dropFirst().isEmpty {
      if !words.contains("--") { words.append("--") }
      words.insert(value, at: (words.firstIndex(of: "--") ?? words.count - 1) + 1)
    } else {
      words.insert(value, at: place)
    }
    notes.append(
      "\(ProgramName.current): \(option) became an argument: `\(ProgramName.current) \(command) \(argument)"
        + "\(command == "materialize" ? " FILE" : "")`; the option works in this release")
  }

  private func isOption(_ option: String, _ word: String) -> Bool {
    word == option || word.hasPrefix(option + "=")
  }

  // MARK: Other words

  private mutating func rewriteWords(of command: String) {
    var format: String?
    for index in options.reversed() {
      switch words[index] {
      case "--json":
        words.replaceSubrange(index...index, with: ["--format", "json"])
        format = format ?? "json"
      // `rows --csv` is an option of its own: it writes what an import reads back.
      case "--csv" where command != "rows":
        words.replaceSubrange(index...index, with: ["--format", "csv"])
        format = format ?? "csv"
      case "--format" where index + 1 < options.upperBound:
        words[index + 1] = words[index + 1].lowercased()
        format = format ?? words[index + 1]
      case let word where word.hasPrefix("--format="):
        words[index] = word.lowercased()
        format = format ?? String(words[index].dropFirst("--format=".count))
      case "-q", "--quiet": isQuiet = true
      case "-V" where !isText(at: index): words[index] = "--version"
      case let word where index > 0 && Self.isNegative(word, after: words[index - 1]):
        words.replaceSubrange(index - 1...index, with: ["\(words[index - 1])=\(word)"])
      case let word where Self.isCount(word) && !isText(at: index):
        words.replaceSubrange(index...index, with: ["-n", String(word.dropFirst(2))])
      case let word where isMoment(at: index, of: command) && Self.beginsWithAge(word):
        words[index] = "now" + word
      default: break
      }
    }
    asksJSON = format == "json" || format == "jsonl"
    shape = format == "jsonl" ? .lines : format == "csv" ? .csv : .indented
  }

  /// Options whose values are moments.
  private static let momentOptions: Set = [
    "--at", "--since", "--until", "--good", "--bad", "--from", "--to",
  ]
  /// Options of these commands whose values can be any text.
  private static let textOptions: Set = [
    "--reason", "--where", "--table", "--column", "--by", "--key", "--grep", "--tag", "--type",
    "--op",
    "--item", "--pack",
  ]
  /// Commands whose arguments are moments or ranges of them.
  private static let momentCommands: Set = [
    "diff", "changes", "event", "log", "materialize", "show", "what-if", "revert",
  ]

  /// Whether a word is in the place of a moment.
  private func isMoment(at index: Int, of command: String) -> Bool {
    let option = index > 0 ? words[index - 1] : ""
    // An import takes a time, and says so.
    if Self.momentOptions.contains(option) { return !command.hasSuffix("import") }
    return Self.momentCommands.contains(command) && !isText(at: index)
  }

  /// Whether a word is the value of an option that takes any text.
  private func isText(at index: Int) -> Bool {
    index > 0 && Self.textOptions.contains(words[index - 1])
  }

  /// Options whose values are numbers.
  private static let numberOptions: Set = [
    "--limit", "--rows", "--skip", "--largest", "--wait", "--timeout", "--every", "--for", "--port",
  ]

  /// Whether a word is a number below 0 as the value of an option, which says what it takes. The parser takes it for an option.
  private static func isNegative(_ word: String, after option: String) -> Bool {
    numberOptions.contains(option) && word.hasPrefix("-")
      && word.dropFirst().first?.isNumber == true && Double(word) != nil
  }

  /// Whether a word is `-n5`, which the parser takes for an option.
  private static func isCount(_ word: String) -> Bool {
    word.hasPrefix("-n") && word.count > 2 && word.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit)
  }

  /// Whether a word is a moment such as `-7d`, or a range that begins with one: the parser takes it for an option, and no option
  /// begins with a digit.
  private static func beginsWithAge(_ word: String) -> Bool {
    guard word.utf8.first == UInt8(ascii: "-") else { return false }
    let digits = word.utf8.dropFirst().prefix(while: \.isASCIIDigit)
    let rest = word.dropFirst(1 + digits.count)
    let unit = rest.range(of: "..").map { rest[..<$0.lowerBound] } ?? rest
    return !digits.isEmpty && ["s", "m", "min", "h", "d", "w"].contains(unit)
  }
}
