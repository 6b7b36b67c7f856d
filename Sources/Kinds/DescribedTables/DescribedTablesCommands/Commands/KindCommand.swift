import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import Projections

/// The description of a catalog's kind.
struct KindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kind",
    abstract: "Show, check and change the description of a catalog's tables.",
    subcommands: [KindShowCommand.self, KindCheckCommand.self, KindChangeCommand.self])
}

struct KindShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the description that the log has, as JSON.",
    discussion: "".examples("\(ProgramName.current) kind show > kind.json"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let description = try options.describedKind().description
    try Console.current.write(wholeText: description.canonical.indented + "\n")
  }
}

struct KindCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a description, and list everything that is wrong with it.",
    discussion: "".examples("\(ProgramName.current) kind check kind.json"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: "A description, as JSON; - is standard input.", completion: .file(extensions: ["json"]))
  var file: String

  func run() async throws {
    let (description, name): (KindDescription, String)
    do {
      (description, name) = try KindDescription.typed(file)
      try DescribedKind(description).requireCarriedOut(file: name)
    } catch let error as DocumentError where options.format == .json && error.isAboutContents {
      try Console.current.write(json: ["faults": error.all.map(\.json)] as JSONObject)
      throw error
    }
    let columns = description.tables.reduce(0) { $0 + $1.columns.count }
    let json: JSONObject = [
      "kind": description.kind, "version": description.version,
      "tables": description.tables.map(\.name), "documents": description.documents.map(\.name),
      "events": description.events.map(\.name), "rules": description.rules.map(\.name),
    ]
    try Console.current.write(options.format, json: json) {
      $0.write(
        "\(name): kind \"\(description.kind)\", \(Count.of(description.tables.count, "table")) with "
          + "\(Count.of(columns, "column")), \(Count.of(description.documents.count, "document")), "
          + "\(Count.of(description.events.count, "event")), \(Count.of(description.rules.count, "rule"))"
      )
    }
  }
}

extension DocumentError {
  /// Whether the file could be read, and something in it is wrong.
  fileprivate var isAboutContents: Bool { path != nil || offset != nil }

  fileprivate var json: JSONObject {
    [
      "path": path, "byte": offset, "line": line, "value": value, "message": message,
      "advice": advice,
    ]
  }
}

struct KindChangeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Take another description of the catalog's tables.",
    discussion: """
      The new description becomes an event of the log, and the database is rebuilt for it. Columns may be new (with a \
      default, or ? in their type), renamed (with "was", the name before), dropped, or of a wider type; tables and \
      indexes may be new. Another key, and a type that values do not fit, are refused. The past is shown as the new \
      description has it, unless --as-described asks for the tables of its time. `projection diff kind.json` shows which \
      rows and values would be others.
      """.examples(
        "\(ProgramName.current) kind change kind.json --dry-run",
        "\(ProgramName.current) kind change kind.json --drop products.color"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Drop this table, or this column, which the new description lacks.", valueName: "name"),
    completion: DescriptionCompletion.droppable)
  var drop: [String] = []

  @Flag(
    name: [.long, .customShort("n")],
    help:
      "Check the description against the whole log, and append nothing; exit status 2 if it is another one."
  )
  var dryRun = false

  @Argument(
    help: "A description, as JSON; - is standard input.", completion: .file(extensions: ["json"]))
  var file: String

  func run() async throws {
    let kind = try options.describedKind()
    let (new, name) = try KindDescription.typed(file)
    let change: DescriptionChange
    do {
      change = try DescriptionChange(from: kind.description, to: new, dropping: Set(drop))
    } catch {
      let (directory, opening) = (
        try options.directory, options.opening(ProgressPrinter(Console.current))
      )
      let refusal = try await Blocking.run {
        try TableCatalog.naming(rowsOf: error, in: directory, kind, options: opening)
      }
      throw refusal.refused(name)
    }
    if change.isUnchanged(from: kind.description) {
      return try write(nil, change, isChanged: false, version: kind.description.version)
    }
    let report = try await options.changing(waiting) { opening, _ in
      let (directory, isTrial) = (try options.directory, dryRun)
      do {
        return try await Blocking.run {
          try TableCatalog.describe(
            change, in: directory, kind, options: opening, isTrial: isTrial)
        }
      } catch let refusal as DescriptionRefusal {
        throw refusal.refused(name)
      }
    }
    try write(report, change, isChanged: true, version: change.description.version)
    if dryRun { throw Exit(status: .findings) }
  }

  private func write(
    _ report: ChangeReport?, _ change: DescriptionChange, isChanged: Bool, version: Int64
  ) throws {
    let json: JSONObject = [
      "changed": isChanged, "sequence": report?.sequence, "version": version,
      "moves": change.moves.map(\.sentence), "additions": change.additions,
    ]
    try Console.current.write(options.format, json: json) { console in
      guard isChanged else { return console.write("the log has this description already") }
      for line in change.sentences { console.write(line) }
      console.write(
        report.map {
          "event \($0.sequence): version \(version) of the description"
        }
          ?? "would become version \(version) of the description; no event contradicts it"
      )
      if let failure = report?.failure {
        console.error("the database does not have it yet: \(failure)")
      }
    }
  }
}

extension DescriptionChange {
  var json: JSONObject {
    [
      "version": description.version, "moves": moves.map(\.sentence), "additions": additions,
    ]
  }
}

extension DescriptionRefusal {
  /// The refusal as faults of a file, a line each.
  func refused(_ file: String) -> any Error {
    DocumentError(
      joining: reasons.map { DocumentError(code: .conflict, file: file, message: $0) }) ?? self
  }
}
