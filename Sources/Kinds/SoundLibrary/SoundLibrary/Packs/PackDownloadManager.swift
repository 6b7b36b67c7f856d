import CatalogModel
public import Downloads
import EventLog
import Support

public import struct Foundation.UUID

/// A download that was started.
public struct PackDownload: Sendable {
  public let packID: UUID
  private let board: ProgressBoard
  private let task: Task<PackDownloadResult, any Error>

  init(_ packID: UUID, _ board: ProgressBoard, _ task: Task<PackDownloadResult, any Error>) {
    self.packID = packID
    self.board = board
    self.task = task
  }

  /// How far it has come, now and as it goes on; ends with the download. May be asked for many times.
  public var progress: AsyncStream<PackProgress> { board.listen() }

  /// Waits for its end.
  ///
  /// - Throws: `DownloadFailure`; `DocumentError` for a manifest that is refused; `CatalogError`;
  ///   `CancellationError` where it was cancelled, interrupted, or its pack deleted.
  public func result() async throws -> PackDownloadResult { try await task.value }
}

/// Downloads, repairs and deletes packs.
///
/// Whatever becomes of a pack is an event in the log, so that every process sees it. Several processes
/// may have a manager for one catalog: a pack is worked on by one of them at a time.
///
/// All of it goes by rows that are proved. Where they are not what the log says, each call throws `StoreError` with
/// `drifted`, and no event, file or address was touched.
public actor PackDownloadManager {
  /// How long a pack is waited for that another process has in hand and was told to let go of.
  private static let patience = Duration.seconds(15)

  private struct Run {
    let download: PackDownload
    let control: PackDownloadControl
    let task: Task<PackDownloadResult, any Error>
  }

  private let library: SoundLibrary
  private let transport: any DownloadTransport
  private let policy: DownloadPolicy
  private let wait: Duration?
  private let packs: AsyncLimiter
  private let assets: AsyncLimiter
  private var runs: [EntityID: Run] = [:]
  private var recovery: Task<Void, any Error>?

  /// - Parameter wait: how long to wait for another writer of the log before a change, and for another process that has
  ///   a pack. By default these are a minute and 15 seconds. The end of a download always waits a minute.
  public init(
    _ library: SoundLibrary, transport: any DownloadTransport,
    policy: DownloadPolicy = DownloadPolicy(), wait: Duration? = nil
  ) {
    self.library = library
    self.transport = transport
    self.policy = policy
    self.wait = wait
    packs = AsyncLimiter(policy.parallelPacks)
    assets = AsyncLimiter(policy.parallelAssets)
  }

  /// Makes true again what a process that died left. A download that nobody carries on becomes `failed`, and can be
  /// resumed; files of an installation that was committed are moved into place; what belongs to nothing is removed.
  ///
  /// Opening a catalog does none of this, since whoever reads changes nothing. Everything else here does it first,
  /// once; an app calls it at launch, so that its lists are right before anybody downloads.
  ///
  /// - Throws: `StoreError` with `drifted` if the rows are not what the log says, and then no file was touched.
  public func recover() async throws {
    if let recovery { return try await recovery.value }
    try library.opened.requireOwnLog("the files of packs are on one machine's disk")
    let library = library
    let task = Task { try await Blocking.run { try PackRecovery(library).run() } }
    recovery = task
    do {
      try await task.value
    } catch {
      // The next call tries again.
      recovery = nil
      throw error
    }
  }

  /// Downloads the newest version of a pack, going on from what is there. Returns when it has begun; a
  /// pack that is being downloaded already is not started a second time.
  ///
  /// - Parameter manifest: nil for what lies at the pack's own address.
  /// - Throws: `CatalogError` with `notFound`; `DownloadPolicyError` if the policy has a number that is
  ///   not allowed, and then nothing has changed.
  @discardableResult
  public func startDownload(
    packId: UUID, manifest: ManifestSource? = nil
  ) async throws -> PackDownload {
    try policy.check()
    let pack = EntityID(packId)
    if let run = runs[pack] { return run.download }
    try await recover()
    let states = PackStates(library, pack)
    _ = try await Blocking.run { try states.read() }
    // Somebody may have started it while the rows were read.
    if let run = runs[pack] { return run.download }
    let board = ProgressBoard(packId)
    let control = PackDownloadControl()
    let job = PackDownloadJob(
      library: library, pack: pack, manifest: manifest, transport: transport, policy: policy,
      limiter: assets, board: board, control: control, wait: wait ?? PackStates.patience)
    let task = Task { [packs] in
      defer { board.finish() }
      do {
        let result = try await packs.run { try await job.run() }
        ended(pack)
        return result
      } catch {
        ended(pack)
        throw error
      }
    }
    control.onStop { task.cancel() }
    let download = PackDownload(packId, board, task)
    runs[pack] = Run(download: download, control: control, task: task)
    return download
  }

  /// Ends the download of a pack, by whatever process, and removes what it left. A version that is
  /// installed stays. Does nothing where the pack is not being downloaded.
  public func cancelDownload(packId: UUID) async throws {
    try await change(EntityID(packId)) { states, rows, folders in
      try folders.sweep(PackFolders.stagingName, of: rows)
      try states.append(.packDownloadCancelled(PackReference(pack: states.pack))) {
        $0.state == .downloading || $0.state == .failed
      }
    }
  }

  /// Removes the files of a pack, and what a running download of it has brought. Its entries and tags
  /// stay in the catalog. Does nothing where nothing of the pack is there.
  public func deletePack(packId: UUID) async throws {
    try await change(EntityID(packId)) { states, rows, folders in
      // What was not installed makes room for the event where the volume is full.
      try folders.sweep(PackFolders.stagingName, of: rows)
      try states.append(.packDeleted(PackReference(pack: states.pack))) {
        !$0.isPristine || !$0.assets.isEmpty
      }
      // A crash here leaves files that `recover` removes.
      try folders.sweep(PackFolders.audioName, of: rows)
    }
  }

  /// Goes on with a download that failed or was interrupted, or brings back installed files that are
  /// missing or have other bytes than the catalog says.
  ///
  /// - Returns: nil if there is nothing to do: the pack is whole, or was never downloaded.
  @discardableResult
  public func repairOrResume(
    packId: UUID, manifest: ManifestSource? = nil
  ) async throws -> PackDownload? {
    let pack = EntityID(packId)
    if let run = runs[pack] { return run.download }
    try await recover()
    let library = library
    let isNeeded = try await Blocking.run {
      let rows = try PackStates(library, pack).read()
      switch rows.state {
      case .notDownloaded: return false
      case .downloading, .failed: return true
      case .downloaded:
        return try !PackDoctor.damage(of: rows, PackFolders(library), hashing: true)
          .isEmpty
      }
    }
    return isNeeded ? try await startDownload(packId: packId, manifest: manifest) : nil
  }

  /// The download of a pack that runs in this process.
  public func download(packId: UUID) -> PackDownload? { runs[EntityID(packId)]?.download }

  /// Stops all downloads of this process and keeps what is there: `repairOrResume` goes on. Returns when
  /// they have ended.
  public func interruptAll() async {
    for pack in runs.keys.sorted() { runs[pack]?.control.stop(.interrupted) }
    for pack in runs.keys.sorted() { await stop(pack, .interrupted) }
  }

  // MARK: Parts

  private func ended(_ pack: EntityID) {
    runs[pack] = nil
  }

  private func stop(_ pack: EntityID, _ reason: DownloadStop) async {
    guard let run = runs[pack] else { return }
    run.control.stop(reason)
    _ = await run.task.result
  }

  /// Changes a pack that nobody works on: a download of it, by whatever process, is asked to end first.
  ///
  /// - Throws: `CatalogError` with `busy` if it does not, and then nothing has changed.
  private func change(
    _ pack: EntityID,
    _ work: @escaping @Sendable (PackStates, PackWithFiles, PackFolders) throws -> Void
  ) async throws {
    try await recover()
    let states = PackStates(library, pack, wait: wait ?? PackStates.patience)
    _ = try await Blocking.run { try states.read() }
    await stop(pack, .superseded)
    let folders = try PackFolders(library)
    let patience = wait ?? Self.patience
    guard let lock = try await folders.lock(pack, wait: patience, asksToStop: true) else {
      throw CatalogError(
        .busy,
        "pack \(pack) is locked by another process; nothing was changed; try again later")
    }
    let library = library
    try await Blocking.run {
      try withExtendedLifetime(lock) {
        // What is staged of a committed installation is all there is of its files: it is in place before
        // anything staged is removed.
        let rows = try states.readAtHead()
        try PackRecovery(library).rollForward(rows, folders)
        try work(states, rows, folders)
      }
    }
  }
}
