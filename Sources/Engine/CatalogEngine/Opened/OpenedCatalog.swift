import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import Logging
package import Projections
import Support
import Synchronization

/// A catalog that is open, of whatever kind: its log, its database, and what keeps the second at the head of the
/// first.
package final class OpenedCatalog: Sendable {
  package let directory: CatalogDirectory
  package let kind: any CatalogKind
  package let projection: ProjectionDatabase
  package let options: OpeningOptions
  /// Where a walk to the log's end may begin.
  let places: VerifiedOffsets
  private let store: any LogStore
  /// The log as it was asked last, to be compared with what the database has applied.
  let asked: any LogStore
  /// Whether the log was on a server that could not be reached when this was opened.
  let isWithoutServer = Atomic(false)
  /// The folder of the database if the catalog's own cannot be brought to the log's head: the catalog cannot be written.
  private let replica: TemporaryFolder?
  /// Why the catalog's own database could not be opened, if a temporary one is read because the disk is full.
  let noRoom: StoreError?
  /// The state that is read in the place of the database; nil if the catalog is read as it is.
  package let past: PastDatabase?

  private init(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ projection: ProjectionDatabase,
    _ options: OpeningOptions,
    log: (places: VerifiedOffsets, store: any LogStore, asked: any LogStore)? = nil,
    replica: TemporaryFolder? = nil, noRoom: StoreError? = nil, past: PastDatabase? = nil
  ) throws {
    places = log?.places ?? VerifiedOffsets()
    store = try log?.store ?? directory.store(places: places)
    asked = log?.asked ?? store.atEnd()
    self.replica = replica
    self.noRoom = noRoom
    self.past = past
    self.directory = directory
    self.kind = kind
    self.projection = projection
    self.options = options
  }

  /// Opens the catalog in a folder, which is made if there is none, and carries its database to the log's head.
  ///
  /// If the log is on a server that cannot be reached, the database is read as it is, and a warning says up to which event.
  ///
  /// If the catalog cannot be written, a database that would have to be changed stays as it is, and the log is replayed
  /// into a temporary one. So it is if the disk is full, for a command that changes nothing.
  ///
  /// - Throws: `EventLogError` if the log is damaged or lost events that the database has seen;
  ///   `StoreError` where the database is none; `CatalogError`.
  package static func open(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, options: OpeningOptions
  ) throws -> OpenedCatalog {
    try directory.make()
    if !DatabaseFile.isTaken(directory.database) {
      // Before a file of this kind's is made beside a log of another.
      try CatalogBeginning.require(kind, directory.store())
      if let lost = try LostEvents.find(in: directory) { throw lost }
    }
    guard DatabaseFile.isWritable(directory.database) else {
      return try openReadOnly(directory, kind, options)
    }
    do {
      return try openInPlace(directory, kind, options)
    } catch let error as StoreError
      where error.code == .volume && !options.isForChange
      && DatabaseFile.isOnFullVolume(directory.database)
    {
      do {
        return try openReplica(directory, kind, options, since: error)
      } catch is StoreError {
        // The temporary files may be on the same disk.
        throw error
      }
    }
  }

  private static func openInPlace(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ options: OpeningOptions
  ) throws -> OpenedCatalog {
    let places = VerifiedOffsets()
    let store = try directory.store(places: places)
    if let wait = options.wait { store.allowSilence(of: wait) }
    let asked = store.atEnd()
    let known: Result<PeekedStanding?, any Error>
    do {
      known = .success(try peekedStanding(directory, kind, asked))
    } catch let error as EventLogError where error.isSilence {
      known = .failure(error)
    }
    let projection = try ProjectionDatabase(
      path: directory.database, migrations: kind.migrations, readers: options.readers,
      wait: options.wait)
    let catalog = try OpenedCatalog(
      directory, kind, projection, options, log: (places, store, asked))
    do {
      do {
        try catalog.prepareProjection(known.get())
      } catch let error as EventLogError where error.isSilence {
        if options.isForChange { throw LostEvents.unwritten(error) }
        if options.needsServer { throw error }
        try catalog.readWithoutServer(error)
      }
    } catch {
      catalog.close()
      throw error
    }
    return catalog
  }

  /// Lets the rows be read that the database has, since nothing says whether the log has more.
  ///
  /// - Throws: `silence` if they are not those of this program, or none.
  private func readWithoutServer(_ silence: EventLogError) throws {
    let witnesses = try projection.witnesses()
    guard case .checkpoint(let checkpoint) = witnesses.claim, !witnesses.lacksDigests,
      checkpoint.fingerprint == kind.fingerprint
    else { throw silence }
    isWithoutServer.store(true, ordering: .relaxed)
    if options.tellsSilence {
      options.logger.warning("\(LostEvents.silence(silence, after: checkpoint.sequence))")
    }
  }

  /// Compares the database with the log, as it is before it is opened: the opening alone writes to its header, and a folder whose
  /// log lost events is left as it is.
  ///
  /// - Returns: nil if the database cannot tell.
  /// - Throws: `EventLogError` with `lostEvents`.
  private static func peekedStanding(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ store: any LogStore
  ) throws -> PeekedStanding? {
    guard let witnesses = HeadEvidence.peek(directory.database) else { return nil }
    let standing = try ProjectionStanding(witnesses, in: store, for: kind.fingerprint)
    // A file that is read without locks may be an older one than its write-ahead log says.
    if case .ahead = standing,
      case .ahead(_, let lost) = try ProjectionStanding(directory, in: store)
    {
      throw lost
    }
    return PeekedStanding(witnesses: witnesses, standing: standing)
  }

  /// Opens a catalog on read-only media, or in the folder of another user.
  private static func openReadOnly(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ options: OpeningOptions
  ) throws -> OpenedCatalog {
    if DatabaseFile.isTaken(directory.database) {
      do {
        return try openInPlace(directory, kind, options)
      } catch let error as StoreError where error.code == .readOnly {
        // It lacks events of the log, or was not closed.
      } catch let error as CatalogError where error.code == .readOnly {
        // It would have to be rebuilt.
      }
    }
    return try openReplica(directory, kind, options)
  }

  /// Replays the log into a temporary database.
  ///
  /// - Parameter noRoom: the error of a full disk; nil if the folder cannot be written.
  private static func openReplica(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ options: OpeningOptions,
    since noRoom: StoreError? = nil
  ) throws -> OpenedCatalog {
    guard options.replaysIntoTemporary else { throw cannotBeCurrent(directory, noRoom) }
    let replica = try TemporaryFolder()
    let path = replica.file("catalog.sqlite")
    let log = CatalogLog(try directory.store(), kind)
    guard try log.head() != nil else { throw CatalogError(.noCatalog, "this catalog is empty") }
    options.logger.notice(
      """
      the database cannot be brought up to date in \(directory.path), \
      \(noRoom == nil ? "which cannot be written" : "since the disk is full"): the log is replayed into a temporary one
      """)
    try ProjectionRebuild(log, progress: options.progress).write(to: path)
    let projection = try ProjectionDatabase(
      path: path, migrations: kind.migrations, readers: options.readers)
    return try OpenedCatalog(
      directory, kind, projection, options, replica: replica, noRoom: noRoom)
  }

  /// Makes sure that the database is the catalog's own.
  ///
  /// - Throws: `CatalogError` with `readOnly` if a temporary one is read in its place, or `StoreError` with `volume` if that is so because
  ///   the disk is full.
  package func requireOwnDatabase() throws {
    guard replica != nil else { return }
    throw Self.cannotBeCurrent(directory, noRoom)
  }

  private static func cannotBeCurrent(
    _ directory: CatalogDirectory, _ noRoom: StoreError?
  ) -> any Error {
    noRoom
      ?? CatalogError(
        .readOnly,
        "\(directory.database) does not have all events of the log, and cannot be changed in a folder that cannot be "
          + "written; copy the catalog to one that can")
  }

  /// Opens a catalog that must be there already.
  package static func openExisting(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, options: OpeningOptions
  ) throws -> OpenedCatalog {
    // A database that has applied events, without a log, is a lost log and not a missing catalog:
    // opening says so.
    if !FileManager.default.fileExists(atPath: directory.database) {
      _ = try directory.existingLog()
    }
    let catalog = try open(directory, kind, options: options)
    if catalog.isWithoutServer.load(ordering: .relaxed) { return catalog }
    if try catalog.log.reader.keepsOthersOut || !catalog.asked.exists() {
      _ = try directory.existingLog()
    }
    return catalog
  }

  // MARK: The past

  /// The catalog as it was: what is read of it is of that moment, and nothing of it can be changed.
  ///
  /// - Throws: `CatalogError` with `noMoment`.
  package func past(_ moment: Moment) throws -> OpenedCatalog {
    try OpenedCatalog(
      directory, kind, projection, options,
      past: try PastDatabase(moment, of: states, live: directory.database))
  }

  /// The states that the catalog had.
  var states: PastStates {
    let log = log
    let logger = options.logger
    return PastStates(
      log,
      history: options.keepsHistory
        ? CatalogHistory(directory, log, progress: options.progress) : nil,
      progress: options.progress, note: { logger.info("\($0)") })
  }

  /// Reads the catalog: as it is, or as it was.
  package var reader: ProjectionReader {
    past.map { ProjectionReader($0) } ?? ProjectionReader(projection)
  }

  /// - Throws: `CatalogError` with `readOnly` if this is the catalog as it was.
  func requirePresent() throws {
    guard let past else { return }
    throw CatalogError(
      .readOnly,
      "this is the catalog as it was after event \(past.sequence ?? 0), which cannot be changed; change the catalog itself"
    )
  }

  /// Reads the log without any lock.
  package var log: CatalogLog {
    CatalogLog(store, kind)
  }

  package func receipt() async throws -> Receipt {
    try requirePresent()
    return try await Blocking.run { try self.projection.receipt() }
  }

  /// Makes sure that all rows are what the projector wrote, where anybody else may have written to the database since
  /// that was last known.
  ///
  /// - Throws: `StoreError` with `drifted` or `notADatabase`.
  package func verifyIfTouched() async throws {
    try requirePresent()
    try await Blocking.run { try self.projection.verifyIfTouched() }
  }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  package func close() {
    guard past == nil else { return }
    do {
      try projection.close()
    } catch {
      // Readers that still run keep their connections; SQLite closes them with the last.
      options.logger.debug("closing the database: \(error)")
    }
    replica?.remove()
  }

  // MARK: The projection

  /// Brings the projection to the log's head, or finds out why it cannot be.
  ///
  /// - Parameter known: the result before it was opened; the log is not asked again if the database has not moved since.
  private func prepareProjection(_ known: PeekedStanding?) throws {
    let log = CatalogLog(asked, kind)
    do {
      let witnesses = try projection.witnesses()
      let standing =
        try known?.standing(of: witnesses)
        ?? ProjectionStanding(witnesses, in: log.reader, for: kind.fingerprint)
      if let refusal = standing.refusal(of: directory) { throw refusal }
      switch standing {
      case .unmarked, .withoutLog, .edited, .ahead: break
      case .untouched:
        try projection.createTables()
        try fill(log)
      case .stale(let checkpoint): try rebuildStale(checkpoint)
      case .within(let checkpoint):
        // Events are applied over rows that are right.
        if let head = try log.head(), checkpoint.sequence < head.sequence {
          try projection.verifyIfTouched()
        }
      }
      try ProjectionUpdate(log, projection, progress: options.progress).catchUp()
    } catch let error as StoreError where error.code == .drifted && options.drift == .rebuild {
      options.logger.warning("the database is rebuilt: \(error)")
      try rebuild()
    }
  }

  /// Fills an empty database as a rebuild does, if the log is long and no other process works on the catalog: event by event
  /// takes several times as long.
  private func fill(_ log: CatalogLog) throws {
    guard let end = try log.head(), end.sequence > Self.fewEvents,
      let lock = try? lock(beside: log)
    else { return }
    try withExtendedLifetime(lock) {
      // Another process may have filled it meanwhile.
      if try projection.checkpoint() == nil { try rebuildLocked() }
    }
  }

  private func lock(beside log: CatalogLog) throws -> WriterLock {
    let holder = ProcessInfo.processInfo.processName
    return log.reader.keepsOthersOut
      ? try WriterLock(log: directory.events, holder: holder)
      : try WriterLock(directory: directory.path, holder: holder)
  }

  /// Rebuilds a database that is of no use to this program, if the catalog was opened to do so.
  private func rebuildStale(_ checkpoint: Checkpoint) throws {
    // It may be a database of another kind.
    try CatalogBeginning.require(kind, log.reader)
    let own = projection.migrations.fingerprint
    let isOfEarlierDescription = kind.isEarlier(checkpoint.fingerprint)
    let reason: ErrorMessage =
      checkpoint.fingerprint == own
      ? "it has no digests of this version of the program, which prove its rows"
      : isOfEarlierDescription
        ? "it was made for an earlier description of the tables"
        : "it was made by projector \(checkpoint.fingerprint.short), this program has \(own.short)"
    guard options.stale == .rebuild else {
      throw CatalogError(
        .stale, "the database in \(directory.database) is stale: \(reason); run \(do: .rebuild)")
    }
    // Another description is always followed by a rebuild: nothing is wrong then.
    options.logger.log(
      level: isOfEarlierDescription ? .info : .notice, "the database is rebuilt: \(reason)")
    try rebuild()
  }

  /// Rebuilds the projection from event 1 and brings it into the live database.
  ///
  /// Other processes that read it see the old rows, then the new ones.
  ///
  /// - Parameter discards: whether the log may lack events that the database has applied.
  package func rebuild(discarding discards: Bool = false) throws {
    // The lock keeps an import from moving the head between the replay and the replacement.
    let writer = try openLog(knownHeads: discards ? [] : headsToKeep())
    defer { writer.close() }
    try rebuildLocked()
  }

  /// As `knownHeads`. If what proves the rows was changed by hand so that SQLite cannot ask for it, the checkpoint alone says how far they
  /// go: a rebuild replaces them.
  private func headsToKeep() throws -> [LogHead] {
    do {
      return try knownHeads()
    } catch let error as StoreError where error.code == .drifted {
      return try ProjectionStanding(directory, in: asked).required.map { [$0] } ?? []
    }
  }

  /// Rebuilds while the caller holds the log's lock.
  package func rebuildLocked() throws {
    let scratch = directory.scratch
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    try ProjectionRebuild(log, progress: options.progress).write(to: scratch)
    options.progress(CatalogProgress(phase: .replacing, done: 0, total: nil))
    if let appends = options.appends {
      try appends.replace { try projection.replace(withContentsOf: scratch) }
    } else {
      try projection.replace(withContentsOf: scratch)
    }
  }

  /// Rebuilds the database of a catalog where it may be missing, stale, or anything else: nothing of it is needed.
  ///
  /// What cannot be replaced in place (a folder, another program's database, a damaged or unreadable file) is set
  /// aside with what SQLite keeps beside it. So is a link: what it leads to may be the database of another catalog.
  ///
  /// - Parameters:
  ///   - copy: the path of a copy that is made of the database first, as it is; nil if none is made.
  ///   - discards: whether the log may lack events that the database has applied: it was replaced by an older or another one.
  package static func rebuild(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, options: OpeningOptions,
    keepingOld copy: String? = nil, discarding discards: Bool = false
  ) throws {
    let copy = try copy.map { try fileToKeep(directory, at: $0) }
    do {
      try rebuildInPlace(directory, kind, options, keepingOld: copy, discarding: discards)
    } catch let error as StoreError where error.isAboutFile {
      // It is of no use, and nothing of it is needed.
      let kept = try directory.setAside(directory.database)
      options.logger.warning("\(error.message); it is kept as \(kept)")
      if let copy, !FileManager.default.fileExists(atPath: copy.path) {
        try copy.make { try FileManager.default.copyItem(atPath: kept, toPath: $0) }
      }
      try rebuildInPlace(directory, kind, options, keepingOld: nil, discarding: discards)
    }
  }

  /// Rebuilds a database that SQLite can open: programs that have it open see the old rows, then the new.
  private static func rebuildInPlace(
    _ directory: CatalogDirectory, _ kind: any CatalogKind, _ options: OpeningOptions,
    keepingOld copy: NewFile?, discarding discards: Bool
  ) throws {
    try directory.requireWritable(isRebuilding: true)
    if let problem = DatabaseFile.writingProblem(directory.database) {
      throw StoreError(.notPermitted, problem)
    }
    let projection = try ProjectionDatabase(
      path: directory.database, migrations: kind.migrations, wait: options.wait)
    let catalog = try OpenedCatalog(directory, kind, projection, options)
    defer { catalog.close() }
    do {
      // Says whose database it is.
      _ = try projection.witnesses()
    } catch let error as StoreError where error.code == .drifted {
      // Rows that are replaced may be anything.
    }
    if let copy { try copy.make { try projection.copy(to: $0) } }
    if DatabaseFile.isLink(directory.database) {
      throw StoreError(
        .notAFile,
        "\(directory.database) is a link: a rebuild would replace what it leads to, be it another catalog's"
      )
    }
    try catalog.rebuild(discarding: discards)
  }

  private static func fileToKeep(
    _ directory: CatalogDirectory, at copy: String
  ) throws -> NewFile {
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
    return try NewFile(copy, apartFrom: CatalogPlaces(of: directory))
  }
}

/// The words of a database before it was opened, and the result of comparing them with its log.
private struct PeekedStanding {
  let witnesses: HeadEvidence
  let standing: ProjectionStanding

  /// - Returns: nil if the database has moved since.
  func standing(of now: HeadEvidence) -> ProjectionStanding? {
    guard case .checkpoint(let before) = witnesses.claim, case .checkpoint(let after) = now.claim,
      before == after, witnesses.digests == now.digests, witnesses.lacksDigests == now.lacksDigests
    else { return nil }
    return standing
  }
}
