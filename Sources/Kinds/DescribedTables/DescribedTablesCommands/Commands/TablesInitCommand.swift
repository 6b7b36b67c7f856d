import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import EventLog
import Foundation
import Support

/// Creates a catalog of tables that a person describes: `init --describe`, `init --table`.
struct TablesInitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a catalog of tables that are described as data.",
    usage: """
      \(ProgramName.current) init --describe FILE [options]
      \(ProgramName.current) init --table NAME=FILE [--key COLUMN] [options]
      \(ProgramName.current) init --table NAME=REPO:PATH --git [--key COLUMN] [options]
      """,
    discussion: """
      With --describe the description is read from a file of JSON. With --table it is made up from a document: the columns \
      from its header or its members, the types from its values; it is printed and written to kind.json in the \
      catalog's folder. The rows are not imported yet. The log has the description from then on: no other file is \
      needed. docs/TABLES.md has the format.

      With --git the table fits all versions of a file in a git repository: it has the columns of each, with the widest types. \
      The catalog begins at the time of the first version, so that import --git takes all of them.

      With --log the events are in PostgreSQL, where other machines read them and append to them; each joins by \
      `init --log` alone, since the log has the description.
      """.examples(
        "\(ProgramName.current) init --catalog shop --describe kind.json",
        "\(ProgramName.current) init --catalog shop --table products=products.csv --key sku",
        "\(ProgramName.current) init --catalog shop --describe kind.json --log postgresql://db.example/catalogs#shop",
        "\(ProgramName.current) init --catalog shop --table products=lists:products.csv --git --key sku"
      ))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var csv: CSVArguments
  @OptionGroup var git: GitArguments
  @OptionGroup var sharing: SharedLogArguments

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A description of the kind, as JSON; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var describe: String?

  @Option(
    name: .long,
    help: ArgumentHelp("A table, and a document of its rows.", valueName: "name=file"))
  var table: [NamedFile] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The columns of a table's key, with commas between them, or 'whole row'; table=column if there are several tables.",
      valueName: "column"))
  var key: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("The name of the kind; default the catalog's folder.", valueName: "name"))
  var kind: String?

  // For histories that have to be the same in each run: a log with this id may exist once only.
  @Option(name: .customLong("log-id"), help: .hidden)
  var logID: String?

  @OptionGroup var time: EventTimeArguments

  func validate() throws {
    if (describe == nil) == table.isEmpty {
      throw ValidationError("name a description with --describe, or documents with --table")
    }
    if let logID, LogID(logID) == nil {
      throw ValidationError("--log-id takes a UUID in lower case, not \"\(logID)\"")
    }
    if describe != nil {
      if git.git { throw ValidationError("--git is about --table") }
      if !key.isEmpty {
        throw ValidationError("--key is about --table: a description has the keys")
      }
      if csv.isAny {
        throw ValidationError(
          "--separator, --encoding, --decimal-comma and --empty-null are about --table: a description has the form of its documents"
        )
      }
    }
    for key in key {
      guard table.count > 1 || key.contains("=") else { continue }
      let named = NamedText(argument: key)?.name
      guard !table.contains(where: { $0.name == named }) else { continue }
      throw ValidationError(
        "--key \(key) is of no table; write \(table.first?.name ?? "table")=COLUMN")
    }
    for name in table.map(\.name) {
      let own = key.filter { key in
        table.count == 1 && !key.contains("=") || NamedText(argument: key)?.name == name
      }
      guard own.count > 1 else { continue }
      let columns = own.map { NamedText(argument: $0)?.text ?? $0 }.joined(separator: ",")
      let whole = own.contains { $0.contains("=") } ? "\(name)=\(columns)" : columns
      throw ValidationError(
        "--key names the key of \(name) \(own.count) times; write its columns with commas between them: --key \(whole)"
      )
    }
    for table in table where table.name.isEmpty {
      throw ValidationError("--table takes NAME=FILE, such as products=\(table.file)")
    }
  }

  func run() async throws {
    let console = Console.current
    let directory = try options.directory
    let (found, began) = try await Blocking.run { try description(directory) }
    let kind = DescribedKind(found.description)
    let isNewFolder = (try? directory.existingLog().head()) == nil
    if describe == nil, isNewFolder {
      try DescriptionFile.requireNone(besides: found.description, in: directory)
    }
    if KnownKinds.current.kind(named: kind.name) != nil {
      throw Refusal(
        "\"\(kind.name)\" is a kind of this program; name the new one otherwise with --kind")
    }
    if describe == nil, self.kind == nil {
      try sharing.requireName("--kind NAME, any name for a catalog of these tables")
    }
    if let address = try sharing.address,
      try KnownKinds.current.knownKind(of: address.store(), besides: nil) != nil
    {
      throw Refusal(
        "there is a log at \(address) already; `\(ProgramName.current) init --log` without a description joins it"
      )
    }
    let clock = time.at == nil ? began.map { .fixed($0) } ?? time.clock : time.clock
    let isNew = try await options.changing(waiting, clock: clock) { opening, _ in
      var opening = opening
      let id = logID.flatMap { LogID($0) } ?? opening.newLogID()
      opening.newLogID = { id }
      return try await Blocking.run { [opening] in
        try sharing.joining(directory, logID: id) {
          try TableCatalog.create(in: directory, kind, options: opening)
        }
      }
    }
    guard isNew else {
      throw CatalogError(
        .directory, "\(directory.path) already holds a catalog; name another folder")
    }
    // Of a catalog that was refused nothing is described.
    if options.format == .text {
      for line in found.lines { console.write(line) }
    }
    for note in found.notes { console.error(note) }
    let described =
      describe == nil ? DescriptionFile.writeIfPossible(found.description, in: directory) : ""
    let address = try sharing.address
    let json: JSONObject = [
      "catalog": directory.path, "kind": kind.name, "log": address?.description,
    ]
    try console.write(options.format, json: json) {
      if let address {
        $0.note("there was no log at \(address): it is new; to join another one, check the name")
      }
      $0.write(
        describe == nil
          ? "created a catalog of kind \"\(kind.name)\" in \(directory.path)\(described), without rows: `\(ProgramName.current) import` reads them, `\(ProgramName.current) kind change` takes another description"
          : "created a catalog of kind \"\(kind.name)\" in \(directory.path)")
    }
  }

  /// A description, and what is to be said about it.
  fileprivate struct InitialDescription {
    var description: KindDescription
    var lines: [String] = []
    var notes: [String] = []
  }

  /// - Returns: also the time of the first version in git, if there is one.
  private func description(
    _ directory: CatalogDirectory
  ) throws -> (InitialDescription, began: Timestamp?) {
    if let describe {
      var (description, name) = try KindDescription.typed(describe)
      if let kind { description.kind = kind }
      return (InitialDescription(description: try description.checked(file: name)), nil)
    }
    var found = InitialDescription(
      description: KindDescription(kind: kind ?? Self.name(of: directory), tables: []))
    var began: Timestamp?
    for named in table {
      let inference: TableInference
      if git.git {
        let (ofVersions, first) = try self.inference(ofVersionsOf: named)
        inference = ofVersions
        began = min(began ?? first, first)
      } else {
        inference = try TableInference(
          named.source(), table: named.name, key: key(of: named.name),
          csv: csv.options(nil, file: named.file), words: CSVArguments.words)
      }
      try found.add(inference, file: named.file)
    }
    found.description = try found.description.checked()
    return (found, began)
  }

  /// The table that fits all versions of a file, and the time of the first.
  private func inference(
    ofVersionsOf named: NamedFile
  ) throws -> (TableInference, first: Timestamp) {
    let history = try GitHistory(git, [named])
    let reader = try GitVersions(history)
    var rest = history.versions[...]
    let inference = try TableInference.ofVersions(
      table: named.name, key: key(of: named.name), csv: csv.options(nil, file: named.file),
      words: CSVArguments.words
    ) {
      while let version = rest.popFirst() {
        if let source = try reader.read(version).first?.source { return source }
      }
      return nil
    }
    guard let inference, let first = history.versions.first else {
      throw Refusal("\(named.file): no version has rows")
    }
    return (inference, first.time)
  }

  private func key(of table: String) throws -> [String]? {
    for key in key {
      if self.table.count == 1, !key.contains("=") { return columns(key) }
      if let named = NamedText(argument: key), named.name == table { return columns(named.text) }
    }
    return nil
  }

  private func columns(_ text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  /// A name for a kind that the folder's name gives.
  static func name(of directory: CatalogDirectory) -> String {
    let folder = URL(fileURLWithPath: directory.path).lastPathComponent.lowercased()
    let words = folder.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let name = words.joined(separator: "-").prefix(64)
    return name.isEmpty ? "tables" : String(name)
  }
}

extension TablesInitCommand.InitialDescription {
  /// - Throws: `Refusal` if the key is not known.
  fileprivate mutating func add(_ inference: TableInference, file: String) throws {
    lines.append(inference.sentence)
    if let sentence = inference.keySentence { lines.append(sentence) }
    guard inference.isComplete else {
      throw Refusal(
        "\(file): \(inference.keySentence ?? "the key is not known"); name it with --key")
    }
    description.tables.append(inference.table)
    if let document = inference.document { description.documents.append(document) }
    notes += inference.notes
  }
}
