import CatalogModel
public import CatalogStore
package import Downloads
package import EventLog
import Foundation
public import Logging
import Projections

/// A tagged sound library in a folder: the front door for apps and for `catalogctl`.
///
/// Opening carries the projection forward to the log's head. Every change goes through the log: it is
/// appended, made durable, then applied. Safe to use from several tasks; several processes may have
/// the same catalog open.
public final class SoundCatalog: Sendable {
  public let directory: CatalogDirectory
  let projection: ProjectionDatabase
  let options: Options

  /// How to open a catalog.
  public struct Options: Sendable {
    public enum Stale: Sendable {
      /// Rebuild it from the log, which may take seconds: for apps.
      case rebuild
      /// Refuse with `CatalogError.Code.stale`: for the command line, which says so.
      case refuse
    }

    public enum Drift: Sendable {
      /// Rebuild it from the log and continue: for apps that have nobody to ask.
      case rebuild
      /// Refuse with `StoreError.Code.drifted` and append nothing: what was changed by hand is kept for somebody
      /// to look at.
      case refuse
    }

    /// What to do about a projection that another version of the projector made.
    public var stale: Stale
    /// What to do where the checkpoint, or rows that a change would be planned on, are not what the projector wrote.
    public var drift = Drift.refuse
    /// What to wait for another writer; nil fails at once.
    public var wait: Duration?
    /// Tells the time of events.
    public var clock: CatalogClock
    public var logger: Logger
    public var progress: ProgressObserver
    /// From how many items on lists, counts and facets come from an index in memory, which the first of them
    /// makes: some 70 bytes an item and 8 a tag. `Int.max` where a process asks but once.
    public var indexThreshold = 32
    /// Whom to ask about playlists; nil where nobody is asked.
    public var music: MusicService?
    /// Makes the id of a new log. Tests and recorded logs fix it.
    package var newLogID: @Sendable () -> LogID
    /// With which the files of packs are touched. Tests make them fail, and lose power.
    package var folderCalls: any FolderCalls = RealFolderCalls()

    public init(
      stale: Stale = .rebuild, wait: Duration? = nil, clock: CatalogClock = .system,
      logger: Logger = Logger(label: "catalog"), progress: @escaping ProgressObserver = { _ in }
    ) {
      self.stale = stale
      self.wait = wait
      self.clock = clock
      self.logger = logger
      self.progress = progress
      newLogID = {
        LogID(bytes: withUnsafeBytes(of: UUID().uuid) { Array($0) })
      }
    }
  }

  private init(directory: CatalogDirectory, projection: ProjectionDatabase, options: Options) {
    self.directory = directory
    self.projection = projection
    self.options = options
  }

  /// Opens the catalog in a folder, which is made where there is none.
  ///
  /// - Throws: `EventLogError` where the log is damaged or lost events that the projection has seen;
  ///   `StoreError` where the database is none; `CatalogError`.
  public static func open(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundCatalog {
    try await Blocking.run { try openNow(directory, options: options) }
  }

  /// Opens a catalog that must be there already.
  public static func openExisting(
    _ directory: CatalogDirectory, options: Options = Options()
  ) async throws -> SoundCatalog {
    try await Blocking.run {
      // A database that has applied events, without a log, is no missing catalog but a lost log:
      // opening says so.
      if !FileManager.default.fileExists(atPath: directory.database) {
        _ = try directory.existingLog()
      }
      let catalog = try openNow(directory, options: options)
      _ = try directory.existingLog()
      return catalog
    }
  }

  static func openNow(
    _ directory: CatalogDirectory, options: Options
  ) throws -> SoundCatalog {
    try directory.make()
    let projection = try ProjectionDatabase(
      path: directory.database, indexes: IndexCache(threshold: options.indexThreshold))
    let catalog = SoundCatalog(directory: directory, projection: projection, options: options)
    try catalog.prepareProjection()
    PackRecovery(catalog).run()
    return catalog
  }

  // MARK: Reading

  public var library: LibraryRepository { LibraryRepository(CatalogReader(projection)) }
  public var facets: FacetRepository { FacetRepository(CatalogReader(projection)) }
  public var packs: PackRepository { PackRepository(CatalogReader(projection)) }
  public var music: MusicRepository {
    MusicRepository(self, PlaylistQueries(CatalogReader(projection)))
  }
  public var vocabulary: VocabularyRepository { VocabularyRepository(CatalogReader(projection)) }
  public var lint: CatalogLint { CatalogLint(CatalogReader(projection)) }

  // MARK: Changing

  public var importer: SeedImporter { SeedImporter(self) }
  public var tags: TagEditor { TagEditor(self) }
  public var manifests: ManifestImporter { ManifestImporter(self) }
  /// Compares the files of packs with what the catalog says of them.
  public var doctor: PackDoctor { PackDoctor(self) }

  /// Reads the log without any lock.
  package var log: EventLogReader { EventLogReader(directory: directory.events) }

  package func receipt() async throws -> Receipt {
    try await Blocking.run { try self.projection.receipt() }
  }

  // MARK: The projection

  /// Brings the projection to the log's head, or finds out why it cannot be.
  private func prepareProjection() throws {
    let state: ProjectionDatabase.State
    do {
      state = try projection.state()
    } catch let error as StoreError where error.code == .drifted && options.drift == .rebuild {
      options.logger.warning("the database is rebuilt: \(error)")
      try rebuildNow()
      return
    }
    switch state {
    case .empty:
      try projection.createTables()
    case .unmarked:
      // Rows and checkpoint are committed together. What the rows are, nobody can say any more.
      guard options.stale == .rebuild else {
        throw CatalogError(
          .stale,
          "the database in \(directory.database) has rows and no checkpoint: it was changed by hand; "
            + "`catalogctl rebuild --keep-old FILE` rebuilds it and keeps it for study")
      }
      options.logger.warning(
        "the database had rows and no checkpoint: it was changed by hand, and is rebuilt")
      try rebuildNow()
    case .stale(let checkpoint):
      guard options.stale == .rebuild else {
        throw CatalogError(
          .stale,
          "the projection in \(directory.database) was made by projector "
            + "\(checkpoint.fingerprint.prefix(12))…, this program has "
            + "\(projection.migrations.fingerprint.description.prefix(12))…; "
            + "run `catalogctl rebuild`")
      }
      // Its rows are of no use, but what it has seen the log must still hold.
      try check(checkpoint)
      options.logger.notice(
        "rebuilding a projection made by another projector",
        metadata: ["fingerprint": "\(checkpoint.fingerprint)"])
      try rebuildNow()
    case .current(let checkpoint):
      try check(checkpoint)
    }
    do {
      try ProjectionUpdate(log, projection, progress: options.progress).catchUp()
    } catch let error as EventLogError where error.code == .lostEvents {
      guard case .edited = try KnownHead(projection, in: log) else { throw error }
      try mendCheckpoint()
    } catch let error as StoreError where error.code == .drifted {
      guard case .edited = try KnownHead(projection, in: log) else { throw error }
      try mendCheckpoint()
    }
  }

  private func mendCheckpoint() throws {
    guard options.drift == .rebuild else { throw Self.editedCheckpoint(directory) }
    options.logger.warning("the database is rebuilt: its checkpoint was changed by hand")
    try rebuildNow()
  }

  private static func editedCheckpoint(_ directory: CatalogDirectory) -> StoreError {
    StoreError(
      .drifted,
      "the checkpoint in \(directory.database) names an event that the log does not have there, and the log is "
        + "sound: the database was changed by hand; `catalogctl rebuild` rebuilds it")
  }

  /// - Throws: where the projection has seen events that the log does not hold.
  private func check(_ checkpoint: Checkpoint) throws {
    guard let logID = try log.logID() else {
      throw LostEvents.withoutLog(checkpoint.sequence, directory)
    }
    let id = EntityID(bytes: logID.bytes).description
    guard id == checkpoint.logID else {
      throw CatalogError(
        .wrongLog,
        "the projection belongs to log \(checkpoint.logID), the events are of log \(id); "
          + "`catalogctl rebuild` makes the projection of this log")
    }
  }

  /// Rebuilds the projection from event 1 and brings it into the live database.
  ///
  /// Other processes that read it see the old rows, then the new ones.
  public func rebuild() async throws {
    try await Blocking.run { try self.rebuildNow() }
  }

  /// The same for a catalog whose database may be missing, stale, or anything else: nothing of it is needed.
  /// What cannot be replaced in place (a folder, a link that leads nowhere, another program's database, a
  /// damaged or unreadable file) is set aside with what SQLite keeps beside it.
  ///
  /// - Parameter copy: where to copy the database to first, as it is; nil for nowhere.
  package static func rebuild(
    _ directory: CatalogDirectory, options: Options, keepingOld copy: String? = nil
  ) async throws {
    try await Blocking.run {
      if let copy { try requireToKeep(directory, at: copy) }
      do {
        try rebuildInPlace(directory, options, keepingOld: copy)
      } catch let error as StoreError where error.isAboutFile {
        // It is of no use, and nothing of it is needed.
        let kept = try directory.setAside(directory.database)
        options.logger.warning("\(error.message); it is kept as \(kept)")
        if let copy, !FileManager.default.fileExists(atPath: copy) {
          try FileManager.default.copyItem(atPath: kept, toPath: copy)
        }
        try rebuildInPlace(directory, options, keepingOld: nil)
      }
    }
  }

  /// Rebuilds a database that SQLite can open: programs that have it open see the old rows, then the new.
  private static func rebuildInPlace(
    _ directory: CatalogDirectory, _ options: Options, keepingOld copy: String?
  ) throws {
    let projection = try ProjectionDatabase(path: directory.database)
    let catalog = SoundCatalog(directory: directory, projection: projection, options: options)
    defer { catalog.close() }
    do {
      // Says whose database it is.
      _ = try projection.state()
    } catch let error as StoreError where error.code == .drifted {
      // Rows that are replaced may be anything.
    }
    if let copy { try projection.copy(to: copy) }
    try catalog.rebuildNow()
  }

  private static func requireToKeep(_ directory: CatalogDirectory, at copy: String) throws {
    guard FileManager.default.fileExists(atPath: directory.database) else {
      throw CatalogError(
        .notFound, "there is no \(directory.database) to keep; rebuild without keeping it")
    }
    guard DatabaseFile.isUsable(directory.database) else {
      throw CatalogError(
        .directory,
        "\(directory.database) is not a file that can be copied; rebuild without keeping it: it is set "
          + "aside")
    }
    // Of a link itself: one that leads nowhere would have the copy made where it points.
    guard (try? FileManager.default.attributesOfItem(atPath: copy)) == nil else {
      throw CatalogError(.directory, "\(copy) is there already; name a new file")
    }
  }

  func rebuildNow() throws {
    // The lock keeps an import from moving the head between the replay and the replacement.
    let writer = try openLog(knownHeads: knownHeads())
    defer { writer.close() }
    try rebuildLocked()
  }

  /// Rebuilds while the caller holds the log's lock.
  ///
  /// - Parameter start: rows to begin with; nil for event 1.
  func rebuildLocked(from start: ProjectionDatabase.LoadedRows? = nil) throws {
    directory.sweepScratch()
    let scratch = directory.scratch
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    try ProjectionRebuild(log, from: start, progress: options.progress).write(to: scratch)
    options.progress(CatalogProgress(phase: .replacing, done: 0, total: nil))
    try projection.replace(withContentsOf: scratch)
  }

  // MARK: The log

  /// The heads that this directory knows of: a log that lacks one of them lost events, and nothing may
  /// be repaired or replaced before somebody has looked.
  func knownHeads() throws -> [LogHead] {
    try KnownHead(projection, in: log).required.map { [$0] } ?? []
  }

  /// Takes the log's lock and repairs a torn tail.
  ///
  /// - Parameters:
  ///   - newLogID: the id to give to a log that does not exist yet.
  ///   - checksEarlier: whether to read all stored bytes, and not only those of the last segment
  ///     (decision 0016).
  func openLog(
    knownHeads: [LogHead], newLogID: LogID? = nil, checksEarlier: Bool = false,
    wait: Duration? = nil
  ) throws -> EventLogWriter {
    let writer = try EventLogWriter(
      directory: directory.events, logID: newLogID, knownHeads: knownHeads,
      checksEarlier: checksEarlier, holder: ProcessInfo.processInfo.processName,
      wait: wait ?? options.wait)
    if let torn = writer.recovery {
      options.logger.warning("a write that a crash interrupted was cut off: \(torn)")
    }
    return writer
  }

  /// Recompresses every segment of the log into large frames.
  package static func seal(
    _ directory: CatalogDirectory, options: Options
  ) async throws -> [SealedSegment] {
    try await Blocking.run {
      let projection = try ProjectionDatabase(path: directory.database)
      let catalog = SoundCatalog(directory: directory, projection: projection, options: options)
      defer { catalog.close() }
      let writer = try catalog.openLog(knownHeads: catalog.knownHeads())
      defer { writer.close() }
      return try writer.seal()
    }
  }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  public func close() {
    do {
      try projection.close()
    } catch {
      // Readers that still run keep their connections; SQLite closes them with the last.
      options.logger.debug("closing the database: \(error)")
    }
  }

  /// Applies what was appended, in the way that is least work (`ReplayCosts`).
  func applyLocked(from old: LogHead, to new: LogHead) throws {
    let costs = ReplayCosts(
      before: old.sequence, appended: new.sequence - old.sequence,
      rows: UInt64(clamping: try projection.countedRows() ?? 0))
    switch costs.least {
    case .carrying: break
    case .rebuilding: return try rebuildLocked()
    case .loading:
      do {
        if let start = try projection.loadAll() { return try rebuildLocked(from: start) }
      } catch let error as StoreError where error.code == .drifted || error.code == .unproved {
        // What was changed by hand is evidence: nothing may replace it but a rebuild that somebody asked for.
        options.logger.warning("\(error)")
      }
    }
    try ProjectionUpdate(log, projection, progress: options.progress).catchUp()
  }
}
