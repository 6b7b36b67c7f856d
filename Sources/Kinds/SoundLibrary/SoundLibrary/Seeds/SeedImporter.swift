import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Logging
import Projections

/// Brings seed documents into a catalog, as events.
public struct SeedImporter: Sendable {
  private let catalog: SoundCatalog

  init(_ catalog: SoundCatalog) {
    self.catalog = catalog
  }

  /// Imports a seed on first launch; does nothing where any revision of it was imported before.
  ///
  /// - Throws: `DocumentError` if the document is refused, and then nothing has changed;
  ///   `EventLogError` where the log cannot be written.
  @discardableResult
  public func importIfNeeded(_ source: SeedSource = .starter) async throws -> ImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      if let revision = try catalog.readProved({ try Self.importedRevision(of: seed, $0) }) {
        return Self.report(
          seed, Found(revision: revision), outcome: .unchanged, head: try catalog.log.head())
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
  ///   `ImportReport.differing` says how many of its values differ.
  /// - Throws: as `importIfNeeded`.
  @discardableResult
  public func applyUpdates(
    _ source: SeedSource = .starter, retiresMissing: Bool = false, takesReverted: Bool = false
  ) async throws -> ImportReport {
    try await Blocking.run {
      try append(
        LoadedSeed(source), retiresMissing: retiresMissing, takesReverted: takesReverted)
    }
  }

  /// Reads and checks the document before it opens the catalog, which is made where it is missing: a
  /// document that is refused leaves no trace.
  package static func apply(
    _ source: SeedSource, to directory: CatalogDirectory, options: SoundCatalog.Options,
    retiresMissing: Bool, takesReverted: Bool = false
  ) async throws -> ImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      let catalog = try SoundCatalog.openNow(directory, options: options)
      defer { catalog.close() }
      return try SeedImporter(catalog).append(
        seed, retiresMissing: retiresMissing, takesReverted: takesReverted)
    }
  }

  /// Tells what `apply` would append, and changes nothing.
  package static func plan(
    _ source: SeedSource, in directory: CatalogDirectory, options: SoundCatalog.Options,
    retiresMissing: Bool, takesReverted: Bool = false
  ) async throws -> ImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      let (found, head) = try OpenedCatalog.readProvedAtHead(
        of: directory, SoundLibraryKind(), options: options.opening, loading: tables(for: seed)
      ) {
        try plan(
          seed, $0, retiresMissing: retiresMissing, takesReverted: takesReverted, options.progress
        ).value
      }
      var report = Self.report(
        seed, found, outcome: found.events.isEmpty ? .unchanged : .planned, head: head)
      if found.reverted != nil {
        report.differing = try EventCatalog.differingValuesNow(
          in: directory, SoundLibraryKind(), options: options.opening
        ) {
          try plan(
            seed, $0, retiresMissing: retiresMissing, takesReverted: takesReverted,
            options.progress)
        }
      }
      return report
    }
  }

  /// The result of a plan besides its events.
  private struct Found: Sendable {
    /// That the catalog has afterwards.
    var revision: Int64
    /// How many events of each type, in order of first appearance.
    var events: [(type: String, count: Int)] = []
    /// The operation that was reverted, if the document stays so.
    var reverted: RevertedRow?
    /// The revision that the catalog has, if the document has an older one.
    var newerRevision: Int64?
  }

  /// The revision of the seed that the catalog has; nil if it has none.
  private static func importedRevision(of seed: LoadedSeed, _ rows: ProvedRows) throws -> Int64? {
    guard
      case .integer(let revision)? = try rows.row(
        in: SoundLibrarySchema.seed, key: [.text(seed.document.seedID)])?[1]
    else { return nil }
    return revision
  }

  /// - Parameter ifNeeded: does nothing if any revision of the seed is in the log.
  private func append(
    _ seed: LoadedSeed, retiresMissing: Bool, takesReverted: Bool = false, ifNeeded: Bool = false
  ) throws -> ImportReport {
    let (change, found, head) = try catalog.engine.changeNow(
      by: seed.source, document: seed.sha256, loading: Self.tables(for: seed), summarizes: true
    ) { rows in
      if ifNeeded, let revision = try Self.importedRevision(of: seed, rows) {
        return PlannedChange([], value: Found(revision: revision))
      }
      var planned = try Self.plan(
        seed, rows, retiresMissing: retiresMissing, takesReverted: takesReverted,
        catalog.options.progress)
      // An app that starts asks for no number.
      if ifNeeded { planned.alternative = nil }
      return planned
    }
    var report = Self.report(
      seed, found, outcome: ImportOutcome(change.outcome), failure: change.failure, head: head)
    report.summary = change.summary
    if found.reverted != nil { report.differing = change.differing }
    return report
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
  ) throws -> PlannedChange<CatalogEvent, Found> {
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
      var planned = PlannedChange<CatalogEvent, Found>(
        [],
        value: Found(
          revision: seed.document.revision, reverted: reverted, newerRevision: newerRevision))
      planned.alternative = PlannedEvents(changes)
      return planned
    }
    if newerRevision != nil {
      return PlannedChange([], value: Found(revision: seed.document.revision))
    }
    var events = plan.events
    if takesReverted, !events.isEmpty,
      let taken = try rows.taken(documents: [seed.hash], in: SoundLibrarySchema.reverted)
    {
      events.append(.reversal(taken))
    }
    var found = Found(revision: seed.document.revision)
    for event in events {
      if let place = found.events.firstIndex(where: { $0.type == event.type }) {
        found.events[place].count += 1
      } else {
        found.events.append((event.type, 1))
      }
    }
    if !events.isEmpty { try refuseOtherContent(seed, rows) }
    return PlannedChange(events, value: found)
  }

  /// A revision means one content: other content needs another revision.
  private static func refuseOtherContent(_ seed: LoadedSeed, _ rows: ProvedRows) throws {
    let known = try rows.row(in: SoundLibrarySchema.seed, key: [.text(seed.document.seedID)])
    guard let known, known[1] == .integer(seed.document.revision), known[2] != .text(seed.hash)
    else { return }
    throw DocumentError(
      code: .conflict, file: seed.name, path: "$.revision", value: String(seed.document.revision),
      message:
        "this revision of seed \"\(seed.document.seedID)\" was imported with different content",
      advice: NumberRules.adviceToGrow(beyond: seed.document.revision))
  }

  private static func report(
    _ seed: LoadedSeed, _ found: Found, outcome: ImportReport.Outcome, failure: String? = nil,
    head: LogHead?
  ) -> ImportReport {
    ImportReport(
      seedID: seed.document.seedID, revision: found.revision,
      outcome: found.reverted == nil ? outcome : .reverted, reverted: found.reverted,
      newerRevision: found.newerRevision, failure: failure, events: found.events,
      sequence: head?.sequence ?? 0, chain: head?.chain.hex)
  }
}
