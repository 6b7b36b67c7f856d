import CatalogModel
import Projections
import Support

/// Makes the rows of a sound library from its events.
///
/// A pure function of the event and the rows: no clock, no randomness, no I/O. It is written once
/// and runs over every row store. It is total: an event that contradicts the rows, or holds what no
/// document may hold, changes nothing and is reported as a `ProjectionConflict`, so that no content of
/// a log stops a replay. Applying an event again right after itself changes nothing.
struct SoundLibraryProjector {
  /// What `catalog.created` says of this kind of catalog.
  static let kind = "sound-library"
  static let layout: Int64 = 1

  /// Grows whenever the same events make other rows; part of the fingerprint.
  static let version = 7

  typealias Tables = SoundLibrarySchema

  /// Changes the rows as an event says, or not at all.
  ///
  /// - Parameter texts: those of an `item.upserted`, where they were made before; nil to make them here.
  /// - Returns: why the event changed nothing, where it contradicts the rows; nil if it was carried out.
  /// - Throws: `ProjectionError` with `foreign` for the first event of another kind of catalog, `drifted`
  ///   where the rows are not what events made, `limit`; what the row store throws.
  func apply(
    _ record: SoundEventRecord, texts: ItemTexts? = nil, to store: some RowStore
  ) throws -> ProjectionConflict? {
    if let excess = record.excess { return ProjectionConflict(record, excess) }
    do {
      try carryOut(record, texts, store)
      return nil
    } catch var error as ProjectionError {
      // Every handler looks before it changes anything: what is thrown as a contradiction left no trace.
      if error.code == .contradiction { return ProjectionConflict(record, error.message) }
      error.sequence = record.sequence
      error.type = record.event.type
      throw error
    }
  }

  /// The same for who wants no event that contradicts the rows: a change that is rehearsed, events that are
  /// salvaged.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if one does; the rows are as before then.
  func applyWithoutConflict(_ record: SoundEventRecord, to store: some RowStore) throws {
    if let conflict = try apply(record, to: store) { throw ProjectionError(conflict) }
  }

  private func carryOut(
    _ record: SoundEventRecord, _ texts: ItemTexts?, _ store: some RowStore
  ) throws {
    switch record.event {
    case .catalogCreated(let event): try created(event, record)
    case .seedImported(let event): try imported(event, record, store)
    case .dimensionValueAdded(let event): try added(event, record, store)
    case .dimensionValueOrdered(let event): try ordered(event, store)
    case .dimensionValueRenamed(let event): try renamed(event, store)
    case .dimensionValueMerged(let event): try merged(event, store)
    case .dimensionValueAliased(let event): try aliased(event, store)
    case .itemUpserted(let event): try upserted(event, texts, record, store)
    case .itemVisibilityChanged(let event): try visibilityChanged(event, record, store)
    case .itemTagsSet(let event): try tagsSet(event, store)
    case .itemTagSuppressed(let event): try suppressed(event, store)
    case .itemTagUnsuppressed(let event): try unsuppressed(event, store)
    case .playlistLinked(let event): try linked(event, store)
    case .playlistMetadataRefreshed(let event): try refreshed(event, record, store)
    case .playlistTracksSnapshotted(let event): try snapshotted(event, record, store)
    case .packUpserted(let event): try packUpserted(event, record, store)
    case .packItemsSet(let event): try packItemsSet(event, store)
    case .manifestApplied(let event): try manifestApplied(event, store)
    case .packDownloadStarted(let event): try started(event, record, store)
    case .packDownloadProgressed(let event): try progressed(event, record, store)
    case .packDownloadCompleted(let event): try completed(event, record, store)
    case .packDownloadFailed(let event): try failed(event, record, store)
    case .packDownloadInterrupted(let event): try interrupted(event, record, store)
    case .packDownloadCancelled(let event): try cancelled(event, record, store)
    case .packDeleted(let event): try deleted(event, record, store)
    case .reversal(let reversal): try restored(reversal, record, store)
    }
  }

  // MARK: The catalog and its seeds

  private func created(_ event: CatalogCreated, _ record: SoundEventRecord) throws {
    guard record.sequence == 1 else {
      throw ProjectionError(.contradiction, "a catalog is created once, by event 1")
    }
    guard event.kind == Self.kind else {
      throw ProjectionError(
        .foreign,
        "this is a catalog of kind \"\(event.kind)\"; this program knows \"\(Self.kind)\"")
    }
    guard event.layout == Self.layout else {
      throw ProjectionError(
        .foreign,
        "this catalog has layout \(event.layout); this program knows layout \(Self.layout)")
    }
  }

  private func imported(
    _ event: SeedImported, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try store.put(
      AppliedSeed(
        seedID: event.seed, revision: event.revision, sha256: event.sha256, importedAt: record.at),
      in: AppliedSeed.table)
  }

  /// The id of a source, which is made where it is new.
  func sourceID(_ name: String, _ store: some RowStore) throws -> Int64 {
    if case .integer(let id)? = try store.value(0, by: NamedSource.byName, equal: [.text(name)]) {
      return id
    }
    let id = try nextKey(in: Tables.source, store)
    try store.put(NamedSource(id: id, name: name), in: NamedSource.table)
    return id
  }

  /// The key of the next row of a table that numbers its rows.
  func nextKey(in table: TableDescription, _ store: some RowStore) throws -> Int64 {
    try Self.sum(try store.greatestKey(in: table) ?? 0, 1, table)
  }

  /// - Throws: `ProjectionError` with `drifted` for numbers that no log counts to.
  static func sum(_ left: Int64, _ right: Int64, _ table: TableDescription) throws -> Int64 {
    let (sum, isTooLarge) = left.addingReportingOverflow(right)
    guard !isTooLarge else {
      throw ProjectionError(
        .drifted,
        "\(table.name) holds \(left), which no log counts to: " + .changedByHand)
    }
    return sum
  }
}
