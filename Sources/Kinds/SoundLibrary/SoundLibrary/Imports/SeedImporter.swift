import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Logging
import Projections

/// Brings seed documents into a catalog, as events.
public struct SeedImporter: Sendable {
  private let library: SoundLibrary

  init(_ library: SoundLibrary) {
    self.library = library
  }

  /// Imports a seed on first launch; does nothing where any revision of it was imported before.
  ///
  /// - Throws: `DocumentError` if the document is refused, and then nothing has changed;
  ///   `EventLogError` where the log cannot be written.
  @discardableResult
  public func importIfNeeded(_ source: SeedSource = .starter) async throws -> SeedImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      if let revision = try library.readProved({ try Self.importedRevision(of: seed, $0) }) {
        var report = Self.report(seed, revision: revision)
        let head = try library.log.head()
        report.sequence = head?.sequence
        report.chain = head?.chain.hex
        return report
      }
      return try append(seed, retiresMissing: false, ifNeeded: true)
    }
  }

  /// Brings the catalog to what the document says: appends the difference, and nothing where there
  /// is none. What packs have installed is kept.
  ///
  /// - Parameter retiresMissing: hides pack items of this seed that the document no longer lists. They
  ///   return when a later revision lists them again. Music is always shown.
  /// - Parameter takesReverted: brings back what a revert took of this document. Otherwise it stays reverted, and
  ///   `SeedImportReport.differing` says how many of its values differ.
  /// - Throws: as `importIfNeeded`.
  @discardableResult
  public func applyUpdates(
    _ source: SeedSource = .starter, retiresMissing: Bool = false, takesReverted: Bool = false
  ) async throws -> SeedImportReport {
    try await Blocking.run {
      try append(
        LoadedSeed(source), retiresMissing: retiresMissing, takesReverted: takesReverted)
    }
  }

  /// Imports documents one after the other, each as an operation of its own, into a catalog that is made where it is missing.
  ///
  /// All are read, and planned over what those before them would leave, before the first event is appended: a document that is
  /// refused leaves no trace, and neither do the others.
  ///
  /// - Parameter report: called with what the import of each did.
  package static func apply(
    _ sources: [SeedSource], to directory: CatalogDirectory, options: SoundLibrary.Options,
    retiresMissing: Bool, takesReverted: Bool = false,
    report: @escaping @Sendable (SeedImportReport) -> Void
  ) async throws {
    try await Blocking.run {
      let seeds = try loaded(sources)
      if seeds.count > 1 {
        try plan(seeds, in: directory, options, retiresMissing, takesReverted) { _ in }
      }
      let library = try SoundLibrary.openNow(directory, options: options)
      defer { library.close() }
      for seed in seeds {
        options.opening.appends?.begin()
        report(
          try SeedImporter(library).append(
            seed, retiresMissing: retiresMissing, takesReverted: takesReverted))
      }
    }
  }

  /// Tells what `apply` would append, and changes nothing.
  ///
  /// - Parameter report: called with what the import of each would do.
  package static func plan(
    _ sources: [SeedSource], in directory: CatalogDirectory, options: SoundLibrary.Options,
    retiresMissing: Bool, takesReverted: Bool = false,
    report: @escaping @Sendable (SeedImportReport) -> Void
  ) async throws {
    try await Blocking.run {
      try plan(loaded(sources), in: directory, options, retiresMissing, takesReverted, report)
    }
  }

  /// - Throws: `DocumentError` with the faults of all documents.
  private static func loaded(_ sources: [SeedSource]) throws -> [LoadedSeed] {
    var seeds: [LoadedSeed] = []
    var errors: [DocumentError] = []
    for source in sources {
      do {
        seeds.append(try LoadedSeed(source))
      } catch let error as DocumentError {
        errors.append(error)
      }
    }
    if let error = DocumentError(joining: errors) { throw error }
    return seeds
  }

  private static func plan(
    _ seeds: [LoadedSeed], in directory: CatalogDirectory, _ options: SoundLibrary.Options,
    _ retiresMissing: Bool, _ takesReverted: Bool, _ report: (SeedImportReport) -> Void
  ) throws {
    // One is compared with the database; a copy of all rows is needed for those after it.
    let trial =
      seeds.count > 1
      ? try ImportTrial(in: directory, SoundLibraryKind(), options: options.opening) : nil
    for seed in seeds {
      func planned(
        _ rows: ProvedRows
      ) throws -> PlannedChange<SoundEvent, SeedImportReport> {
        try plan(
          seed, rows, retiresMissing: retiresMissing, takesReverted: takesReverted,
          options.progress)
      }
      report(
        try trial?.planned(by: seed.source, planned)
          ?? EventCatalog.plannedImportNow(
            in: directory, SoundLibraryKind(), options: options.opening,
            loading: tables(for: seed), planning: planned))
    }
  }

  /// The revision of the seed that the catalog has; nil if it has none.
  private static func importedRevision(of seed: LoadedSeed, _ rows: ProvedRows) throws -> Int64? {
    try rows.row(of: AppliedSeed.table, key: seed.document.seedID)?.revision
  }

  /// - Parameter ifNeeded: does nothing if any revision of the seed is in the log.
  private func append(
    _ seed: LoadedSeed, retiresMissing: Bool, takesReverted: Bool = false, ifNeeded: Bool = false
  ) throws -> SeedImportReport {
    try library.catalog.importNow(
      by: seed.source, document: seed.sha256, loading: Self.tables(for: seed)
    ) { rows in
      if ifNeeded, let revision = try Self.importedRevision(of: seed, rows) {
        return PlannedChange([], value: Self.report(seed, revision: revision))
      }
      var planned = try Self.plan(
        seed, rows, retiresMissing: retiresMissing, takesReverted: takesReverted,
        library.options.progress)
      // An app that starts asks for no number.
      if ifNeeded { planned.alternative = nil }
      return planned
    }
  }

  /// From how many items on the catalog's rows are loaded before they are compared. With 300,000 items
  /// a query for each took 17 s, loading all of them 3 s.
  private static let itemsToLoadFor = 2_000

  private static func tables(for seed: LoadedSeed) -> [TableDescription] {
    seed.itemCount >= itemsToLoadFor ? SeedPlan.tables : []
  }

  private static func plan(
    _ seed: LoadedSeed, _ rows: ProvedRows, retiresMissing: Bool, takesReverted: Bool,
    _ progress: ProgressObserver
  ) throws -> PlannedChange<SoundEvent, SeedImportReport> {
    let reverted = try rows.reverted(document: seed.hash, in: SoundLibrarySchema.reverted)
    let newerRevision =
      try reverted == nil
      ? nil
      : importedRevision(of: seed, rows)
        .flatMap { $0 > seed.document.revision ? $0 : nil }
    let last = try rows.rows(of: SoundLibrarySchema.reverted).max { $0.revertedAt < $1.revertedAt }
    var plan = SeedPlan(
      seed, rows: rows, retiresMissing: retiresMissing, comparesKnown: last != nil,
      comparesOlder: newerRevision != nil)
    let total = seed.itemCount
    try plan.run { progress(CatalogProgress(phase: .planning, done: $0, total: total)) }
    let changes = plan.events.filter { if case .seedImported = $0 { false } else { true } }
    // If nothing differs, nothing stays reverted.
    let stays = newerRevision != nil ? !changes.isEmpty : !takesReverted && !plan.events.isEmpty
    if stays, let reverted = reverted ?? (plan.isKnown ? last : nil) {
      var planned = PlannedChange<SoundEvent, SeedImportReport>(
        [],
        value: report(seed, reverted: reverted, newerRevision: newerRevision))
      planned.alternative = PlannedEvents(changes)
      return planned
    }
    if newerRevision != nil {
      return PlannedChange([], value: report(seed))
    }
    var events = plan.events
    if takesReverted, !events.isEmpty,
      let taken = try rows.taken(documents: [seed.hash], in: SoundLibrarySchema.reverted)
    {
      events.append(.reversal(taken))
    }
    if !events.isEmpty { try refuseOtherContent(seed, rows) }
    let counts = EventCounts(of: events.lazy.map(\.type))
    return PlannedChange(events, value: report(seed, events: counts))
  }

  /// A revision means one content: other content needs another revision.
  private static func refuseOtherContent(_ seed: LoadedSeed, _ rows: ProvedRows) throws {
    guard let known = try rows.row(of: AppliedSeed.table, key: seed.document.seedID),
      known.revision == seed.document.revision, known.sha256 != seed.hash
    else { return }
    throw DocumentError(
      code: .conflict, file: seed.name, path: "$.revision", value: String(seed.document.revision),
      message:
        "this revision of seed \"\(seed.document.seedID)\" was imported with different content",
      advice: NumberRules.adviceToGrow(beyond: seed.document.revision))
  }

  /// - Parameters:
  ///   - revision: that the catalog has afterwards; nil if it is the document's.
  ///   - reverted: the operation that was reverted, if the document stays so.
  ///   - newerRevision: the revision that the catalog has, if the document has an older one.
  private static func report(
    _ seed: LoadedSeed, revision: Int64? = nil, events: EventCounts = [:],
    reverted: RevertedRow? = nil, newerRevision: Int64? = nil
  ) -> SeedImportReport {
    let document = ImportedSeed(
      path: seed.name, seedID: seed.document.seedID, revision: revision ?? seed.document.revision,
      newerRevision: newerRevision)
    return SeedImportReport(of: [document], events: events, reverted: reverted)
  }
}
