import CatalogModel
import CatalogStore
package import Downloads
import EventLog
public import Foundation
public import Logging
import Projections
import Support

/// A tagged sound library in a folder: the front door for apps and for `catalogctl`.
///
/// Opening carries the projection forward to the log's head. Every change goes through the log: it is
/// appended, made durable, then applied. Safe to use from several tasks; several processes may have
/// the same catalog open.
public final class SoundCatalog: Sendable {
  let engine: EventCatalog<SoundLibraryKind>
  let options: Options
  private let indexes: IndexCache

  /// How to open a catalog.
  @dynamicMemberLookup
  public struct Options: Sendable {
    public typealias Stale = OpeningOptions.Stale
    public typealias Drift = OpeningOptions.Drift

    /// What holds for catalogs of all kinds: `options.wait` is `options.opening.wait`.
    public var opening: OpeningOptions
    /// From how many items on lists, counts and facets come from an index in memory, which the first of them
    /// makes: some 70 bytes an item and 8 a tag. `Int.max` where a process asks but once.
    public var indexThreshold = 32
    /// Whom to ask about playlists; nil if nobody is asked.
    public var music: MusicService?
    /// With which the files of packs are touched. Tests make them fail, and lose power.
    package var folderCalls: any FolderCalls = RealFolderCalls()

    public init(
      stale: Stale = .rebuild, wait: Duration? = nil, clock: CatalogClock = .system,
      logger: Logger = Logger(label: "catalog"), progress: @escaping ProgressObserver = { _ in }
    ) {
      opening = OpeningOptions(
        stale: stale, wait: wait, clock: clock, logger: logger, progress: progress)
    }

    package init(_ opening: OpeningOptions) {
      self.opening = opening
    }

    public subscript<Value>(dynamicMember option: WritableKeyPath<OpeningOptions, Value>) -> Value {
      get { opening[keyPath: option] }
      set { opening[keyPath: option] = newValue }
    }
  }

  private init(_ engine: EventCatalog<SoundLibraryKind>, _ options: Options) {
    self.engine = engine
    self.options = options
    indexes = IndexCache(threshold: options.indexThreshold)
  }

  /// Uses a catalog that the caller opened and closes.
  package convenience init(
    _ engine: EventCatalog<SoundLibraryKind>, music: MusicService? = nil, usesIndex: Bool = true
  ) {
    var options = Options(engine.opened.options)
    options.music = music
    if !usesIndex { options.indexThreshold = .max }
    self.init(engine, options)
  }

  /// - Parameter past: reads no table that an index in memory is made of.
  private convenience init(past: EventCatalog<SoundLibraryKind>, _ options: Options) {
    var options = options
    options.indexThreshold = .max
    self.init(past, options)
  }

  public var directory: CatalogDirectory { engine.directory }

  /// Opens the catalog in a folder, which is made if there is none.
  ///
  /// - Throws: `EventLogError` if the log is damaged or lost events that the projection has seen;
  ///   `StoreError` where the database is none; `CatalogError`.
  public static func open(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundCatalog {
    try await Blocking.run { try openNow(directory, options: options) }
  }

  /// Opens the catalog in the folder that a file URL names, and creates it if it does not exist.
  ///
  /// - Throws: `CatalogError` with `directory` if it is not a file URL; what `open(_:options:)` throws.
  public static func open(_ folder: URL, options: Options = Options()) async throws -> SoundCatalog
  {
    try await open(CatalogDirectory(folder), options: options)
  }

  /// Opens a catalog that must exist.
  public static func openExisting(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundCatalog {
    let engine = try await EventCatalog.openExisting(
      directory, SoundLibraryKind(), options: options.opening)
    return SoundCatalog(engine, options)
  }

  static func openNow(_ directory: CatalogDirectory, options: Options) throws -> SoundCatalog {
    SoundCatalog(
      try EventCatalog.openNow(directory, SoundLibraryKind(), options: options.opening), options)
  }

  /// Makes sure that all rows are what the projector wrote, where anybody else may have written to the database since
  /// that was last known (`EventCatalog.verifyIfTouched()`).
  ///
  /// - Throws: `StoreError` with `drifted` where something was changed by hand, `notADatabase` if the file is
  ///   damaged: `rebuild()` mends both.
  public func verifyIfTouched() async throws { try await engine.verifyIfTouched() }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  public func close() {
    indexes.clear()
    engine.close()
  }

  // MARK: Reading

  public var library: LibraryRepository { LibraryRepository(reader) }
  public var facets: FacetRepository { FacetRepository(reader) }
  public var packs: PackRepository { PackRepository(reader) }
  public var music: MusicRepository { MusicRepository(self, PlaylistQueries(reader)) }
  public var vocabulary: VocabularyRepository { VocabularyRepository(reader) }
  public var lint: CatalogLint { CatalogLint(reader) }

  private var reader: CatalogReader { CatalogReader(opened.reader, indexes) }

  // MARK: The past

  /// The library as it was after the batch that holds an event (`EventCatalog.past(after:)`): lists, facets and search are of
  /// that moment, and what changes the library throws `CatalogError` with `readOnly`.
  public func past(after sequence: UInt64) async throws -> SoundCatalog {
    SoundCatalog(past: try await engine.past(after: sequence), options)
  }

  /// The library as it was at a time (`EventCatalog.past(at:)`).
  public func past(at time: Timestamp) async throws -> SoundCatalog {
    SoundCatalog(past: try await engine.past(at: time), options)
  }

  /// The difference between the library and the same library without an operation (`EventCatalog.whatIf(without:)`).
  public func whatIf(without operation: OperationName) async throws -> WhatIf {
    try await engine.whatIf(without: operation)
  }

  /// Takes back what operations changed (`EventCatalog.revert`).
  public func revert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, reason: String? = nil, force: Bool = false,
    wait: Duration? = nil
  ) async throws -> RevertReport {
    try await engine.revert(
      operation, tables: tables, columns: columns, where: condition, reason: reason, force: force,
      wait: wait)
  }

  /// Plans what `revert` would do now (`EventCatalog.plannedRevert`).
  public func plannedRevert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, force: Bool = false
  ) async throws -> RevertReport {
    try await engine.plannedRevert(
      operation, tables: tables, columns: columns, where: condition, force: force)
  }

  /// The operations that are reverted now, by their first events.
  public func revertedOperations() async throws -> [RevertedRow] {
    try await engine.revertedOperations()
  }

  // MARK: Changing

  public var importer: SeedImporter { SeedImporter(self) }
  public var tags: TagEditor { TagEditor(self) }
  public var manifests: ManifestImporter { ManifestImporter(self) }
  /// Which packs to download or to repair.
  public var packSelection: PackSelection { PackSelection(self) }
  /// Compares the files of packs with what the catalog says of them.
  public var doctor: PackDoctor { PackDoctor(self) }

  /// Rebuilds the projection from event 1 and brings it into the live database.
  ///
  /// Other processes that read it see the old rows, then the new ones.
  public func rebuild() async throws { try await engine.rebuild() }

  // MARK: For what changes it

  var opened: OpenedCatalog { engine.opened }

  /// Reads rows that are proved, as they are in the database.
  ///
  /// - Parameter isLocked: whether the caller holds the log's lock.
  /// - Throws: `StoreError` with `drifted` if they are not what the log says; what `body` throws.
  func readProved<Result>(
    isLocked: Bool = false, _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    try opened.planning(isLocked: isLocked) { try opened.projection.readProved(body) }
  }

  /// The same at the log's head, while nobody writes to the log.
  func readAtHead<Result>(
    wait: Duration? = nil, _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    try engine.readAtHead(wait: wait, body)
  }

  /// Reads the log without any lock.
  package var log: CatalogLog { opened.log }

  package func receipt() async throws -> Receipt { try await opened.receipt() }

  /// Appends the events that `plan` finds against the rows at the log's head, as `EventCatalog.change` does.
  @discardableResult
  func change(
    by: String, wait: Duration? = nil, plan: (ProvedRows) throws -> [CatalogEvent]
  ) throws -> ChangeReport {
    try opened.requireBegun("; import a seed first")
    return try engine.changeNow(by: by, wait: wait, plan: plan)
  }
}
