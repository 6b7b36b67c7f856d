import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands

/// The options of commands that take documents into a catalog: what may be lost, what has another name now, and why it is done.
struct TakingOptions: ParsableArguments {
  @Flag(name: .long, help: "Import also if a table loses more rows than usual.")
  var allowRemoval = false

  @Flag(
    name: .long, help: "Import a database also if it is an older copy than the one imported last.")
  var older = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A table, or a column (table.column), of a database that has another name now.",
      valueName: "old=new"))
  var rename: [NamedText] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A table, or a column, of a database that the catalog drops; it is left out from then on if the database has it still.",
      valueName: "table[.column]"))
  var drop: [String] = []

  @OptionGroup var reverted: RevertedArguments
  @OptionGroup var cause: ReasonArguments

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The source of the batch; default import: and the document's name.", valueName: "name"))
  var by: String?

  func validate() throws {
    if let by, by.isEmpty || by.utf8.count > 200 { throw ValidationError("--by takes a name") }
  }

  /// The importer of the documents, which follows the schemas of databases.
  ///
  /// - Parameters:
  ///   - version: the source of the batch, if the documents are a version of files whose versions are all imported.
  ///   - isRepeated: whether the command takes later states, too: then a new name may be about none of them yet, or about an
  ///     earlier one.
  ///   - unterminated: whether a document may end without a line end if the one before it had one.
  func importer(
    of documents: [ImportSource], _ kind: DescribedKind, in directory: CatalogDirectory,
    _ opening: OpeningOptions, version: String? = nil, isRepeated: Bool = false,
    unterminated: Bool = false
  ) async throws -> TableImporter {
    let documents = documents.map { document in
      var document = document
      document.reason = cause.reason
      return document
    }
    var permissions = permissions
    permissions.unterminated = unterminated
    // The order of versions says which is the older one.
    if version != nil { permissions.older = true }
    // A version is in a commit as a whole.
    if version != nil { permissions.unterminated = true }
    var importer = TableImporter(kind, documents, permissions)
    importer.author = by ?? version
    guard documents.contains(where: \.file.isDatabase) else {
      guard version != nil || rename.isEmpty && drop.isEmpty else {
        throw ValidationError(
          "--rename and --drop are about databases; kind change renames and drops for other documents"
        )
      }
      return importer
    }
    var choices = AdoptedChange.Choices()
    choices.renamed = rename.map { ($0.name, $0.text) }
    choices.dropped = drop
    choices.areForSeveral = version != nil || isRepeated
    do {
      return try await importer.following(choices, in: directory, options: opening)
    } catch let refusal as DescriptionRefusal {
      throw refusal.refused(documents[0].file.name)
    }
  }

  /// Imports documents. The description beside the catalog follows that of the log.
  func apply(
    _ importer: TableImporter, to catalog: EventCatalog<DescribedKind>,
    in directory: CatalogDirectory
  ) async throws -> TableImportReport {
    let report = try await importer.apply(to: catalog)
    if report.hasDescribed { DescriptionFile.follow(importer.kind, in: directory) }
    return report
  }

  private var permissions: TableImporter.Permissions {
    var permissions = TableImporter.Permissions()
    permissions.removal = allowRemoval
    permissions.reverted = reverted.takeReverted
    permissions.older = older
    return permissions
  }

  /// Runs an import whose refusals name the options that allow it.
  func namingOptions<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let refusal as RemovalRefusal {
      throw refusal.error
    }
  }
}

extension RemovalRefusal {
  /// The error with the option that takes the documents.
  var error: any Error {
    DocumentError(
      joining: tables.map {
        DocumentError(
          code: .conflict, file: $0.file, message: "refused, nothing was appended: \($0.sentence)",
          advice: "--allow-removal takes it")
      }) ?? self
  }
}
