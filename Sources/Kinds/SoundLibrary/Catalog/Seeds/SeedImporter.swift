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
      return try unchangedIfImported(seed) ?? append(seed, retiresMissing: false, ifNeeded: true)
    }
  }

  private func unchangedIfImported(
    _ seed: LoadedSeed, isLocked: Bool = false
  ) throws -> ImportReport? {
    guard let known = try importedRevision(of: seed.document.seedID, isLocked) else { return nil }
    let head = try catalog.log.head()
    return ImportReport(
      seedID: seed.document.seedID, revision: known, outcome: .unchanged, events: [],
      sequence: head?.sequence ?? 0, chain: head?.chain.hex)
  }

  /// Brings the catalog to what the document says: appends the difference, and nothing where there
  /// is none. What packs have installed is kept.
  ///
  /// - Parameter retiresMissing: hides pack items of this seed that the document no longer lists. They
  ///   return when a later revision lists them again. Music is always shown.
  /// - Throws: as `importIfNeeded`.
  @discardableResult
  public func applyUpdates(
    _ source: SeedSource = .starter, retiresMissing: Bool = false
  ) async throws -> ImportReport {
    try await Blocking.run { try append(LoadedSeed(source), retiresMissing: retiresMissing) }
  }

  /// Reads and checks the document before it opens the catalog, which is made where it is missing: a
  /// document that is refused leaves no trace.
  package static func apply(
    _ source: SeedSource, to directory: CatalogDirectory, options: SoundCatalog.Options,
    retiresMissing: Bool
  ) async throws -> ImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      let catalog = try SoundCatalog.openNow(directory, options: options)
      defer { catalog.close() }
      return try SeedImporter(catalog).append(seed, retiresMissing: retiresMissing)
    }
  }

  /// Tells what `apply` would append, and changes nothing.
  package static func plan(
    _ source: SeedSource, in directory: CatalogDirectory, options: SoundCatalog.Options,
    retiresMissing: Bool
  ) async throws -> ImportReport {
    try await Blocking.run {
      let seed = try LoadedSeed(source)
      let read = try OpenedCatalog.readProvedAtHead(
        of: directory, SoundLibrary(), options: options.opening,
        loading: seed.itemCount >= itemsToLoadFor ? SeedPlan.tables : []
      ) { rows in
        let tally = try plan(
          seed, rows: rows, retiresMissing: retiresMissing, options.progress
        ) { _ in }
        if !tally.isEmpty { try refuseOtherContent(seed, rows) }
        return tally
      }
      let (tally, head) = (read.result, read.head)
      return report(seed, tally, outcome: tally.isEmpty ? .unchanged : .planned, head: head)
    }
  }

  /// How many events of each type, in order of first appearance.
  private typealias Tally = [(type: String, count: Int)]

  private func importedRevision(of seedID: String, _ isLocked: Bool) throws -> Int64? {
    try catalog.readProved(isLocked: isLocked) { rows in
      guard
        case .integer(let revision)? = try rows.row(
          in: SoundLibrarySchema.seed, key: [.text(seedID)])?[1]
      else { return nil }
      return revision
    }
  }

  /// - Parameter ifNeeded: does nothing where any revision of the seed is in the log.
  private func append(
    _ seed: LoadedSeed, retiresMissing: Bool, ifNeeded: Bool = false
  ) throws -> ImportReport {
    let writer = try catalog.opened.openLog(
      knownHeads: try catalog.opened.knownHeads(), newLogID: catalog.options.newLogID(),
      checksEarlier: true)
    defer { writer.close() }
    try catalog.opened.catchUpLocked()
    if ifNeeded, let report = try unchangedIfImported(seed, isLocked: true) { return report }

    let at = catalog.options.clock.now()
    let by = "seed:\(seed.document.seedID)"
    if writer.head.sequence == 0 {
      // Refuse before the log comes into being, not after.
      _ = try catalog.opened.planning { try plan(seed, retiresMissing: retiresMissing) { _ in } }
      try catalog.opened.begin(writer, at: at, by: by)
    }
    let before = writer.head
    var tally: Tally = []
    let batch = try catalog.opened.planning {
      var batch = try EventBatch(writer, after: before, at: at, by: by, input: seed.sha256)
      tally = try plan(seed, retiresMissing: retiresMissing) {
        try batch.add($0, catalog.engine.kind)
      }
      return batch
    }
    guard !tally.isEmpty else {
      return Self.report(seed, tally, outcome: .unchanged, head: before)
    }
    try refuseOtherContent(seed)
    let commit = try catalog.opened.commit(batch, to: writer)
    return Self.report(
      seed, tally, outcome: commit.failure == nil ? .imported : .appended,
      failure: commit.failure, head: commit.head)
  }

  private func plan(
    _ seed: LoadedSeed, retiresMissing: Bool, emit: (CatalogEvent) throws -> Void
  ) throws -> Tally {
    func plan(_ rows: ProvedRows) throws -> Tally {
      try Self.plan(
        seed, rows: rows, retiresMissing: retiresMissing, catalog.options.progress, emit: emit)
    }
    return seed.itemCount >= Self.itemsToLoadFor
      ? try catalog.opened.projection.readInMemory(SeedPlan.tables, plan)
      : try catalog.opened.projection.readProved(plan)
  }

  /// From how many items on the catalog's rows are loaded before they are compared. With 300,000 items
  /// a query for each took 17 s, loading all of them 3 s.
  private static let itemsToLoadFor = 2_000

  private static func plan(
    _ seed: LoadedSeed, rows: ProvedRows, retiresMissing: Bool,
    _ progress: ProgressObserver, emit: (CatalogEvent) throws -> Void
  ) throws -> Tally {
    var tally: Tally = []
    let total = seed.itemCount
    try withoutActuallyEscaping(emit) { emit in
      var plan = SeedPlan(seed, rows: rows, retiresMissing: retiresMissing) { event in
        if let index = tally.firstIndex(where: { $0.type == event.type }) {
          tally[index].count += 1
        } else {
          tally.append((event.type, 1))
        }
        try emit(event)
      }
      try plan.run { done in
        progress(CatalogProgress(phase: .planning, done: done, total: total))
      }
    }
    return tally
  }

  /// A revision means one content: other content needs another revision.
  private func refuseOtherContent(_ seed: LoadedSeed) throws {
    try catalog.opened.projection.readProved { try Self.refuseOtherContent(seed, $0) }
  }

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
    _ seed: LoadedSeed, _ tally: Tally, outcome: ImportReport.Outcome, failure: String? = nil,
    head: LogHead?
  ) -> ImportReport {
    ImportReport(
      seedID: seed.document.seedID, revision: seed.document.revision, outcome: outcome,
      failure: failure, events: tally, sequence: head?.sequence ?? 0, chain: head?.chain.hex)
  }
}
