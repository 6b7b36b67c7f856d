import CatalogModel
import CatalogStore
import Downloads
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
public final class SoundLibrary: CatalogFrontDoor {
  public static let kind = SoundLibraryKind()
  public let catalog: EventCatalog<SoundLibraryKind>
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
    var folderCalls: any FolderCalls = RealFolderCalls()

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

  private init(_ catalog: EventCatalog<SoundLibraryKind>, _ options: Options) {
    self.catalog = catalog
    self.options = options
    indexes = IndexCache(threshold: options.indexThreshold)
  }

  /// Uses a catalog that the caller opened; `close()` closes it.
  public convenience init(_ catalog: EventCatalog<SoundLibraryKind>) {
    self.init(catalog, Options(catalog.opened.options))
  }

  /// - Parameters:
  ///   - music: whom to ask about playlists.
  ///   - usesIndex: whether lists and facets may come from an index in memory. It pays if more than one of them is asked for.
  package convenience init(
    _ catalog: EventCatalog<SoundLibraryKind>, music: MusicService? = nil, usesIndex: Bool = true
  ) {
    var options = Options(catalog.opened.options)
    options.music = music
    if !usesIndex { options.indexThreshold = .max }
    self.init(catalog, options)
  }

  /// - Parameter past: reads no table that an index in memory is made of.
  private convenience init(past: EventCatalog<SoundLibraryKind>, _ options: Options) {
    var options = options
    options.indexThreshold = .max
    self.init(past, options)
  }

  public var directory: CatalogDirectory { catalog.directory }

  /// Opens the catalog in a folder, which is made if there is none. A catalog begins with its first seed: until one is imported, whatever
  /// changes it throws `CatalogError` with `noCatalog`.
  ///
  /// - Throws: `EventLogError` if the log is damaged or lost events that the projection has seen;
  ///   `StoreError` where the database is none; `CatalogError`.
  public static func open(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundLibrary {
    try await Blocking.run { try openNow(directory, options: options) }
  }

  /// Opens the catalog in the folder that a file URL names, as `open(_:options:)` does.
  ///
  /// - Throws: `CatalogError` with `directory` if it is not a file URL; what `open(_:options:)` throws.
  public static func open(_ folder: URL, options: Options = Options()) async throws -> SoundLibrary
  {
    try await open(CatalogDirectory(folder), options: options)
  }

  /// Opens a catalog that must exist.
  public static func openExisting(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundLibrary {
    let catalog = try await EventCatalog.openExisting(
      directory, SoundLibraryKind(), options: options.opening)
    return SoundLibrary(catalog, options)
  }

  static func openNow(_ directory: CatalogDirectory, options: Options) throws -> SoundLibrary {
    SoundLibrary(
      try EventCatalog.openNow(directory, SoundLibraryKind(), options: options.opening), options)
  }

  /// Makes sure that all rows are what the projector wrote, where anybody else may have written to the database since
  /// that was last known (`EventCatalog.verifyIfTouched()`).
  ///
  /// - Throws: `StoreError` with `drifted` where something was changed by hand, `notADatabase` if the file is
  ///   damaged: `rebuild()` mends both.
  public func verifyIfTouched() async throws { try await catalog.verifyIfTouched() }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  public func close() {
    indexes.clear()
    catalog.close()
  }

  // MARK: Reading

  public var library: LibraryRepository { LibraryRepository(reader) }
  public var facets: FacetRepository { FacetRepository(reader) }
  public var packs: PackRepository { PackRepository(reader) }
  public var music: MusicRepository { MusicRepository(self, PlaylistQueries(reader)) }
  public var vocabulary: VocabularyRepository { VocabularyRepository(reader) }
  public var lint: TagLint { TagLint(reader) }

  private var reader: SoundReader { SoundReader(opened.reader, indexes) }

  // MARK: The past

  /// The library as it was after the batch that holds an event (`EventCatalog.past(after:)`): lists, facets and search are of
  /// that moment, and what changes the library throws `CatalogError` with `readOnly`.
  public func past(after sequence: UInt64) async throws -> SoundLibrary {
    SoundLibrary(past: try await catalog.past(after: sequence), options)
  }

  /// The library as it was at a time (`EventCatalog.past(at:)`).
  public func past(at time: Timestamp) async throws -> SoundLibrary {
    SoundLibrary(past: try await catalog.past(at: time), options)
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
  public func rebuild() async throws { try await catalog.rebuild() }

  // MARK: For what changes it

  var opened: OpenedCatalog { catalog.opened }

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
    try catalog.readAtHead(wait: wait, body)
  }

  /// Reads the log without any lock.
  var log: CatalogLog { opened.log }

  func receipt() async throws -> Receipt { try await opened.receipt() }

  /// Appends the events that `plan` finds against the rows at the log's head, as `EventCatalog.change` does.
  @discardableResult
  func change(
    by: String, wait: Duration? = nil, plan: (ProvedRows) throws -> [SoundEvent]
  ) throws -> ChangeReport {
    try opened.requireBegun("; import a seed first")
    return try catalog.changeNow(by: by, wait: wait, plan: plan)
  }

  /// Changes the catalog in this way, and returns a value that the plan finds beside the events.
  func changing<Value: Sendable>(
    by: String, wait: Duration? = nil,
    planning plan: (ProvedRows) throws -> PlannedChange<SoundEvent, Value>
  ) throws -> (report: ChangeReport, value: Value) {
    try opened.requireBegun("; import a seed first")
    let changed = try catalog.changeNow(by: by, wait: wait, loading: [], planning: plan)
    return (changed.report, changed.value)
  }
}
