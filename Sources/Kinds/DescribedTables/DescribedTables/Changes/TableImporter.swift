package import CatalogEngine
import CatalogModel
import CatalogStore
package import EventLog
import Projections
import Support

/// A document that is to be imported.
package struct ImportSource: Sendable {
  /// The document of the description, or the table, that it is.
  package var name: String
  package var file: SourceFile
  package var request: TableDocumentRequest
  /// Why it is imported, in a person's words; nil if nothing is to be kept.
  package var reason: String?

  package init(_ name: String, _ file: SourceFile, _ request: TableDocumentRequest) {
    self.name = name
    self.file = file
    self.request = request
  }
}

/// Brings documents into a described catalog: their rows are compared with those at the log's head, and only differences
/// become events.
package struct TableImporter: Sendable {
  /// The permissions that a caller gives.
  package struct Permissions: Sendable {
    /// Whether a table may lose more rows than the description allows.
    package var removal = false
    /// Whether a document is imported again of which an operation was reverted.
    package var reverted = false
    /// Whether a database may be an older copy than the one that was imported last.
    package var older = false
    /// Whether a document may end without a line end if the one before it had one.
    package var unterminated = false

    package init() {}
  }

  package let kind: DescribedKind
  /// The source of the batch; nil if it is `import:` and the name of the document.
  package var author: String?
  /// The rows that came from a source, if `plan` is to find those of them that the documents lack.
  package var asked: SourceRows?
  /// The head of the log over which a caller looked at what `apply` would change; nil if it did not.
  package var expected: LogHead?
  private let sources: [ImportSource]
  private let permissions: Permissions
  /// The description that the documents need, and the log does not have yet.
  private let change: DescriptionChange?

  /// - Parameter kind: that of the catalog.
  package init(
    _ kind: DescribedKind, _ sources: [ImportSource], _ permissions: Permissions = Permissions()
  ) {
    self.init(kind, sources, permissions, describing: nil)
  }

  private init(
    _ kind: DescribedKind, _ sources: [ImportSource], _ permissions: Permissions,
    describing change: DescriptionChange?
  ) {
    self.kind = kind
    self.sources = sources
    self.permissions = permissions
    self.change = change
  }

  /// The importer that describes the catalog anew before it imports, if the schema of a database is another one than the
  /// description; else this one. Nothing is changed.
  ///
  /// `apply` takes a catalog that is opened with its `kind`, and appends the description and the rows as one batch.
  ///
  /// - Throws: `DocumentError` if something is gone from a database; `DescriptionRefusal`; all that `apply` throws about the
  ///   documents.
  package func following(
    _ choices: AdoptedChange.Choices, in directory: CatalogDirectory, options: OpeningOptions
  ) async throws -> TableImporter {
    let words = sources.first?.request.words ?? DocumentWords()
    let change = try await Blocking.run { () -> DescriptionChange? in
      let loading = Loading()
      _ = try OpenedCatalog.readProvedAtHead(of: directory, kind, options: options) { rows in
        try loading.findKnown(self, rows)
      }
      if loading.isAllKnown(sources), choices.isEmpty { return nil }
      return try AdoptedChange(sources, of: kind, choices, words: words) { table, visit in
        _ = try OpenedCatalog.readProvedAtHead(of: directory, kind, options: options) {
          try $0.scan(table, visit)
        }
      }.change
    }
    guard let change else { return self }
    let new = try await Blocking.run {
      try TableCatalog.kind(after: change, in: directory, kind)
    }
    var importer = TableImporter(new, sources, permissions, describing: change)
    importer.author = author
    // The database is rebuilt for the description before anything is appended: what is refused is refused now.
    _ = try await importer.plan(in: directory, options: options)
    return importer
  }

  /// Imports the documents as one batch.
  ///
  /// - Throws: `DocumentError` if anything in a document is wrong; `RemovalRefusal` if a table would lose too many rows;
  ///   what `EventCatalog.change` throws; `EventLogError` with `headMoved` if others appended since. Nothing is appended then.
  package func apply(
    to catalog: EventCatalog<DescribedKind>, wait: Duration? = nil
  ) async throws -> TableImportReport {
    try await Blocking.run {
      let loading = Loading()
      try catalog.opened.readProvedAtHead(loading: []) { rows, head in
        try loading.findKnown(self, rows)
        loading.head = head
      }
      if change == nil, loading.isAllKnown(sources) { return loading.unchangedReport(sources) }
      let documents = try read(loading)
      let (change, plan, _) = try catalog.changeNow(
        by: batchAuthor, wait: wait, document: digest(documents),
        loading: loadedTables(documents), after: expected
      ) { rows in
        var change = try planned(documents, rows)
        change.summary = change.value.summary
        change.rows = change.value.rowCount
        return change
      }
      return TableImportReport(plan, change, self.change)
    }
  }

  /// Finds what `apply` would append to a catalog that is not opened, and rehearses it: what `apply` refuses, this refuses. No file in
  /// its folder is created or changed.
  ///
  /// - Throws: as `apply`.
  package func plan(
    in directory: CatalogDirectory, options: OpeningOptions
  ) async throws -> TableImportReport {
    try await Blocking.run {
      let loading = Loading()
      // No database has line ends.
      if !sources.allSatisfy(\.file.isDatabase) {
        loading.head =
          try OpenedCatalog.readProvedAtHead(of: directory, kind, options: options) {
            try loading.findKnown(self, $0)
          }.head
        if change == nil, asked == nil, loading.isAllKnown(sources) {
          return loading.unchangedReport(sources)
        }
      }
      let documents = try read(loading)
      let (plan, head) = try OpenedCatalog.readProvedAtHead(
        of: directory, kind, options: options, loading: loadedTables(documents)
      ) { rows in try ImportPlan(documents, kind.program, rows, permissions, asked: asked) }
      guard plan.reverted != nil || !events(of: plan).isEmpty else {
        return TableImportReport(unchanged: plan.documents, described: change, at: head)
      }
      for _ in 0..<Self.trials {
        let rehearsed = try EventCatalog.rehearseNow(
          in: directory, kind, by: batchAuthor, options: options,
          loading: loadedTables(documents)
        ) { try planned(documents, $0) }
        let returned =
          rehearsed.events.isEmpty
          ? []
          : try EventCatalog.returnedValuesNow(
            in: directory, kind, after: rehearsed.sequence, options: options
          ) { try planned(documents, $0) }
        if let returned {
          let summary = rehearsed.value.summary.map {
            EventCatalog.noting($0, in: directory, kind, after: rehearsed.sequence, options)
          }
          return TableImportReport(rehearsed, summary, change, returned)
        }
      }
      throw CatalogError(
        .changeRefused, "other programs append to the log all the time; try again later")
    }
  }

  /// How often a plan is made again if others append meanwhile.
  private static let trials = 10

  /// The source that the batch has.
  package var batchAuthor: String { author.map(NormalForm.nfc) ?? usualAuthor }

  /// The tables that the documents fill.
  package var tableNames: [String] {
    sources.flatMap { kind.description.tables(filledBy: $0.name) }
  }

  private func planned(
    _ documents: [LoadedDocument], _ rows: ProvedRows
  ) throws -> PlannedChange<TableEvent, ImportPlan> {
    let plan = try ImportPlan(documents, kind.program, rows, permissions, asked: asked)
    var change = PlannedChange(events(of: plan), value: plan)
    change.alternative = plan.alternative
    return change
  }

  /// The events of a batch. A document that stays reverted does not describe anything either.
  private func events(of plan: ImportPlan) -> PlannedEvents<TableEvent> {
    guard let change, plan.reverted == nil else { return plan.events }
    return PlannedEvents(joining: [PlannedEvents([.described(change.moment)]), plan.events])
  }

  /// `import:nightly`; of several documents `import`.
  private var usualAuthor: String {
    sources.count == 1 ? "import:\(sources[0].name)" : "import"
  }

  private func read(_ loading: Loading) throws -> [LoadedDocument] {
    var documents: [LoadedDocument] = []
    var filled: [String: String] = [:]
    for (place, source) in sources.enumerated() {
      var request = source.request
      request.expectsLineEnd = !permissions.unterminated && loading.terminated.contains(place)
      let reader = try TableDocumentReader(kind.description, source.name, request)
      let document = try reader.read(source.file)
      for rows in document.tables {
        guard let other = filled.updateValue(source.file.name, forKey: rows.table.name) else {
          continue
        }
        throw DocumentError(
          code: .duplicateValue, file: source.file.name,
          message: "\(rows.table.name) is in \(other), too",
          advice: "import one after the other")
      }
      documents.append(
        LoadedDocument(
          source: source, document: document,
          isDescribed: kind.description.document(source.name) != nil))
    }
    return documents
  }

  /// The tables whose rows are loaded before the documents are compared with them, and those that are read besides.
  ///
  /// A scan is enough for rows that are found by their keys, and keeps none of them. The row that has a value of a unique
  /// column may be asked for by each row of a document: of such tables all rows are loaded.
  private func loadedTables(_ documents: [LoadedDocument]) -> [TableDescription] {
    let tables = documents.flatMap { document in
      document.document.tables.compactMap { kind.program.table($0.table.name)?.table }
    }
    guard tables.contains(where: { !$0.uniques.isEmpty }) else { return [] }
    return tables + [kind.program.sources.description, kind.program.reverted.description]
  }

  /// The SHA-256 by which the same documents give the same operation.
  private func digest(_ documents: [LoadedDocument]) -> [UInt8] {
    var hash = SHA256()
    for document in documents {
      hash.update(data: Array("\(document.document.sha256) \(document.source.reading)\n".utf8))
    }
    return Array(hash.finalize())
  }
}

/// A document whose rows were read.
struct LoadedDocument {
  let source: ImportSource
  let document: TableDocument
  /// Whether it is one of the description's documents, and not only the name of a table.
  let isDescribed: Bool
}

extension ImportSource {
  /// The words at the end of `reading` in the log if the last row of the document ended with a line end. A log of an earlier release
  /// has them nowhere.
  static let lineEndMark = ", with a line end"

  /// The word before the number of a database's changes in `reading`.
  private static let changeMark = " change "

  /// The number of a database's changes, by the words about how it was read; nil if the document is not a database.
  static func changes(of reading: String) -> UInt32? {
    reading.split(separator: " ").last.flatMap { number in
      reading.hasSuffix(changeMark + number) ? UInt32(number) : nil
    }
  }

  /// Makes sure that a database is not an older copy than the one that was imported last. Its header counts changes; a program
  /// that keeps a write-ahead log does not always count there, so that equal numbers say nothing.
  func requireNotOlder(_ rows: ProvedRows, _ program: KindProgram) throws {
    guard let changes = file.database?.changeCounter else { return }
    let own = program.description.tables(filledBy: name)
    let known = try rows.rows(of: program.sources).filter { own.contains($0.table) }
      .compactMap { Self.changes(of: $0.reading) }.max()
    guard let known, changes < known else { return }
    throw DocumentError(
      code: .conflict, file: file.name,
      message:
        "the database is older than the one that was imported last: its header counts \(changes) changes, and that one's \(known)",
      advice: request.words.older)
  }

  /// Describes how the document is read, so that the same bytes read otherwise are another document.
  var reading: String { reading(isComplete: request.isComplete) }

  /// As `reading`, of a document that is said to have all rows, or a part of them; nil if nothing is said.
  private func reading(isComplete: Bool?) -> String {
    var text = name
    if let isComplete { text += isComplete ? " complete" : " part" }
    for scope in request.scope { text += " \(scope.column)=\(scope.text.debugDescription)" }
    if let csv = request.csv { text += " \(csv)" }
    if let counter = file.database?.changeCounter {
      text += ImportSource.changeMark + String(counter)
    }
    return NormalForm.nfc(text)
  }

  /// Whether a document like this, with all rows or a part of them, was read so and ended with a line end.
  fileprivate func isTerminated(_ reading: String) -> Bool {
    [nil, true, false].contains { self.reading(isComplete: $0) + Self.lineEndMark == reading }
  }
}

extension TableImporter {
  /// Documents that the tables have already.
  final class Loading {
    var head: LogHead?
    private var known: [String] = []
    /// The places of the sources whose tables were filled last by a document that was read in the same way, with all rows or a part of
    /// them, and ended with a line end.
    private(set) var terminated: Set<Int> = []

    init() {}

    /// Finds the documents whose bytes were imported last into each of their tables, up to the first other one, and notes which of
    /// them should end with a line end.
    func findKnown(_ importer: TableImporter, _ rows: ProvedRows) throws {
      let program = importer.kind.program
      let last = try rows.rows(of: program.sources)
      for (place, source) in importer.sources.enumerated() {
        let wanted = program.description.tables(filledBy: source.name)
        if last.contains(where: { wanted.contains($0.table) && source.isTerminated($0.reading) }) {
          terminated.insert(place)
        }
      }
      for source in importer.sources {
        let sha256 = try source.file.sha256()
        let readings = [source.reading, source.reading + ImportSource.lineEndMark]
        let own = last.filter { $0.sha256 == sha256 && readings.contains($0.reading) }
        let wanted = program.description.tables(filledBy: source.name)
        guard !wanted.isEmpty,
          wanted.allSatisfy({ table in own.contains { $0.table == table } })
        else { return }
        known.append(sha256)
      }
    }

    func isAllKnown(_ sources: [ImportSource]) -> Bool { known.count == sources.count }

    func unchangedReport(_ sources: [ImportSource]) -> TableImportReport {
      TableImportReport(
        unchanged: zip(sources, known).map { source, sha256 in
          TableImportReport.Document(
            file: source.file.name, name: source.name, format: nil, bytes: source.file.size,
            sha256: sha256, tables: [], remarks: [], isKnown: true,
            staysReverted: false)
        }, at: head)
    }
  }
}

extension KindDescription {
  /// The tables that a document fills.
  package func tables(filledBy name: String) -> [String] {
    guard let document = document(name), !document.rows.isEmpty else {
      return table(name) == nil ? Array(tables.prefix(1).map(\.name)) : [name]
    }
    return document.rows.map(\.table)
  }
}
