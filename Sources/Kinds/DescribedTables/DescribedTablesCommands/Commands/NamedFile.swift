import ArgumentParser
import DescribedTables
import EngineCommands
import Foundation

/// An argument `TABLE=FILE`.
struct NamedFile: ExpressibleByArgument, Hashable, Sendable {
  /// The table, or the document of the description; empty if the argument is a file alone.
  let name: String
  let file: String

  init?(argument: String) {
    // No table and no document is called so: it is a path, also one in a repository.
    guard let mark = argument.firstIndex(of: "="),
      !argument[..<mark].contains(where: { "/:".contains($0) })
    else {
      (name, file) = ("", argument)
      return
    }
    let file = argument[argument.index(after: mark)...]
    guard !file.isEmpty, mark > argument.startIndex else { return nil }
    (name, self.file) = (String(argument[..<mark]), String(file))
  }

  /// The argument for a description: a file whose name has a `=` is named without a table.
  func resolved(in description: KindDescription) -> NamedFile {
    let whole = "\(name)=\(file)"
    guard !name.isEmpty, FileManager.default.fileExists(atPath: whole) else { return self }
    let isKnown = description.document(name) != nil || description.table(name) != nil
    if isKnown, FileManager.default.fileExists(atPath: file) { return self }
    return NamedFile(whole: whole)
  }

  /// A file alone, whatever its name is like.
  init(whole: String) {
    (name, file) = ("", whole)
  }

  /// The bytes: `-` is standard input.
  func source() throws -> SourceFile {
    file == "-" ? try SourceFile.standardInput() : try SourceFile(file)
  }

  /// The name of the document, or of the table, that the file is: the only one if the argument names none.
  func document(_ source: SourceFile, _ description: KindDescription) throws -> String {
    if !name.isEmpty { return name }
    let databases = description.documents.filter { $0.format == .sqlite }
    if source.isDatabase, databases.count == 1 { return databases[0].name }
    guard description.tables.count == 1 else {
      // A document of another name than the tables fills several of them.
      let names =
        description.documents.map(\.name).filter { description.table($0) == nil }
        + description.tables.map(\.name)
      throw ValidationError(
        "\"\(file)\" names no table; write \(names[0])=\(file)"
          + (names.count > 1 ? ", or one of \(names.dropFirst().joined(separator: ", "))" : ""))
    }
    return description.tables[0].name
  }
}

/// A value of a column: `vendor=Ferrum`.
struct NamedText: ExpressibleByArgument, Hashable, Sendable {
  let name: String
  let text: String

  init?(argument: String) {
    guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
    name = String(argument[..<mark])
    text = String(argument[argument.index(after: mark)...])
  }
}

/// How the values of a document without types are spelt, if the description does not say it.
struct CSVArguments: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The character between two values of CSV; default found out.", valueName: "character"))
  var separator: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The encoding of a text; default found out.", valueName: "name"))
  var encoding: String?

  @Flag(name: .long, help: "Read 12,99 as a number.")
  var decimalComma = false

  @Flag(
    name: .long,
    help: "Read an empty value of CSV as NULL, and one in quotation marks as an empty text.")
  var emptyNull = false

  func validate() throws {
    guard let separator, separator.utf8.count != 1, separator != "\\t" else { return }
    throw ValidationError("--separator takes one character, such as ; or \\t")
  }

  /// Whether an option is named.
  var isAny: Bool { separator != nil || encoding != nil || decimalComma || emptyNull }

  /// The options; nil if none is named.
  func options(_ described: DescribedDocument.CSV?, file: String) throws -> CSVOptions? {
    guard isAny else { return nil }
    var csv = described ?? DescribedDocument.CSV()
    if let separator { csv.separator = separator == "\\t" ? "\t" : separator }
    if let encoding { csv.encoding = encoding }
    if decimalComma { csv.decimal = "," }
    if emptyNull { csv.empty = .null }
    return try CSVOptions(csv, file: file)
  }

  /// The words in which errors of documents name these options.
  static var words: DocumentWords {
    var words = DocumentWords()
    words.decimalComma = "--decimal-comma reads it"
    words.encoding = "--encoding names another one"
    words.removal = "--allow-removal takes it"
    words.database = "\(ProgramName.current) adopt makes a catalog of it"
    words.older = "--older takes it"
    words.wholeRow = "--key 'whole row' takes equal rows, too"
    words.unterminated = "--unterminated takes it"
    words.part = "import it without --complete"
    let others = words.others
    words.others = { name in
      others(name)
        + ": write it into a file of `\(ProgramName.current) kind show`, for `\(ProgramName.current) kind change`"
    }
    words.gone = { name, likely, isCertain in
      let drop =
        "--drop \(ShellWord.quoted(name)) drops it here, too, and the past shows it with --as-described alone"
      // A few at most are worth reading.
      let renames = likely.prefix(3).map {
        "--rename \(ShellWord.quoted(name))=\(ShellWord.quoted($0))"
      }
      if renames.isEmpty { return drop }
      if isCertain { return "\(renames[0]) takes it under its new name; \(drop)" }
      let more = likely.count > renames.count ? " or another of them" : ""
      return
        "\(drop); if it has another name now: \(renames.joined(separator: " or "))\(more)"
    }
    words.leavingOut = {
      "leave it out: \(ProgramName.current) kind change takes a description whose document has \"ignore\": \"\($0)\", with --drop \(ShellWord.quoted($0)) if the catalog has it"
    }
    words.key = { "\(ProgramName.current) adopt makes another catalog, with --key \($0)=…" }
    return words
  }
}
