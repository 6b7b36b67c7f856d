import CatalogModel
import Downloads
import EventLog
import Logging
import Support
import Synchronization

public import struct Foundation.UUID

/// What a download came to.
public struct PackDownloadResult: Hashable, Sendable {
  public let packID: UUID
  public let version: Int
  public let assets: Int
  /// Of the whole pack.
  public let bytes: Int64
  /// What came over the network.
  public let bytesReceived: Int64
  /// Whether the pack had been installed like this already, so that nothing was done.
  public let wasInstalled: Bool
}

/// Downloads one pack: manifest, assets, verification, installation. Every step of it is an event.
///
/// Files are staged and verified, then `pack.download.completed` is appended: that is the commit. Then
/// they are moved into place; what a crash leaves to be moved, whoever works on packs next moves (`PackRecovery`).
struct PackDownloadJob: Sendable {
  let library: SoundLibrary
  let pack: EntityID
  /// Where the manifest comes from; nil for the pack's own address.
  let manifest: ManifestSource?
  let transport: any DownloadTransport
  let policy: DownloadPolicy
  /// For the requests of all packs together.
  let limiter: AsyncLimiter
  let board: ProgressBoard
  let control: PackDownloadControl
  /// How long the beginning waits for another writer of the log.
  let wait: Duration

  private var states: PackStates { PackStates(library, pack, wait: wait) }

  /// - Throws: `DownloadFailure`, `DocumentError` for a manifest that is refused, `CatalogError`;
  ///   `CancellationError` where it was told to stop.
  func run() async throws -> PackDownloadResult {
    let folders = try PackFolders(library)
    // Another process that looks for what an interrupted download left may have it for a moment.
    guard let lock = try await folders.lock(pack, wait: .seconds(2), asksToStop: false) else {
      throw CatalogError(
        .busy, "pack \(pack) is being downloaded or deleted by another process")
    }
    defer { withExtendedLifetime(lock) {} }
    do {
      return try await withThrowingTaskGroup(of: PackDownloadResult?.self) { group in
        group.addTask { try await download(folders) }
        group.addTask {
          while try !folders.isAskedToStop(pack) {
            // Where it is cancelled, the download says what has become of it.
            guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return nil }
          }
          control.stop(.superseded)
          return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
          if let result { return result }
        }
        throw CancellationError()
      }
    } catch {
      do {
        try await end(with: error, folders)
      } catch let second {
        // Whoever works on packs next finds that no process runs the download.
        library.options.logger.warning(
          "the end of the download of pack \(pack) could not be written to the log: \(second)")
      }
      throw control.stop == nil || control.isCommitted ? error : CancellationError()
    }
  }

  /// Says in the log why the download ended.
  private func end(with error: any Error, _ folders: PackFolders) async throws {
    // What is committed is installed: `PackRecovery` moves what is not in its place.
    guard !control.isCommitted else { return }
    let stop = control.stop
    try await Blocking.run {
      switch stop {
      case .interrupted:
        let event = PackDownloadInterrupted(pack: pack, error: "stopped by the user")
        try states.append(.packDownloadInterrupted(event), wait: PackStates.patience) {
          $0.state == .downloading
        }
      case .superseded: break
      case nil:
        guard let event = PackDownloadFailed(pack, error) else { break }
        // An installed version that is whole stays what it is where an update did not even begin.
        try states.append(.packDownloadFailed(event), wait: PackStates.patience) {
          $0.state != .downloaded
        }
      }
      // What is empty goes; parts stay.
      if let staging = try folders.root.existingFolder(PackFolders.stagingName) {
        try staging.removeFolder(pack.description)
      }
    }
  }

  // MARK: Steps

  private func download(_ folders: PackFolders) async throws -> PackDownloadResult {
    board.update { $0.phase = .preparing }
    // A commit of before, whose files a crash left to be moved, comes first.
    try await Blocking.run { try PackRecovery(library).rollForward(states.readAtHead(), folders) }
    let loaded = try await loadManifest()
    let document = loaded.document
    for remark in document.remarks {
      library.options.logger.warning("\(loaded.name): \(remark)")
    }
    let (plan, rows) = try await Blocking.run {
      _ = try library.manifests.apply(loaded, wait: wait)
      try library.manifests.check(loaded)
      let rows = try states.read()
      let plan = try AssetPlan(
        document, rows: rows, folders: folders,
        isStaged: try folders.isStaged(loaded.hash, pack), isStopped: { control.stop != nil })
      return (plan, rows)
    }
    try Task.checkCancellation()
    board.update { progress in
      progress.bytesTotal = document.totalBytes
      progress.bytesDownloaded = plan.bytesThere
      progress.assetsTotal = plan.entries.count
    }
    if rows.state == .downloaded, rows.installedVersion == document.version, plan.isInstalled,
      rows.assets.count == plan.entries.count
    {
      // Of an installation that came to its end only now.
      try await Blocking.run { try folders.sweep(PackFolders.stagingName, of: rows) }
      return result(document, received: 0, wasInstalled: true)
    }
    let staging = try await Blocking.run { try prepare(loaded, plan, folders) }
    let meter = ByteMeter()
    board.update { $0.phase = .downloading }
    let staged = try await fetch(plan, into: staging, meter)
    board.update { progress in
      progress.phase = .installing
      progress.bytesDownloaded = document.totalBytes
      progress.assetsDone = plan.entries.count
    }
    // From here on nothing stops it: what was committed is installed.
    try Task.checkCancellation()
    try await Blocking.run {
      let installation = PackInstallation(
        pack: rows, document: document, entries: plan.entries, assets: staged, folders: folders)
      try installation.prepare(staging)
      guard try states.complete(installation.event) else {
        control.stop(.superseded)
        throw CancellationError()
      }
      control.commit()
      do {
        try installation.install(from: staging)
      } catch {
        throw DownloadFailure(
          .file,
          "version \(document.version) of pack \(pack) is installed, but its files are not all in "
            + "place; the next download or repair moves them: \(error)", isResumable: true)
      }
    }
    return result(document, received: meter.received, wasInstalled: false)
  }

  private func loadManifest() async throws -> LoadedManifest {
    let source: ManifestSource
    if let manifest {
      source = manifest
    } else {
      let text = try await Blocking.run { try states.read().manifestAddress }
      guard let address = try? DownloadAddress(text) else {
        throw DownloadFailure(
          .unsafeAddress,
          "the manifest of pack \(pack) has an unsafe address; only https without a user, or http "
            + "on this machine, is allowed", isResumable: false)
      }
      do {
        let download = DocumentDownload(
          address, limit: ManifestDocumentReader.sizeLimit, transport: transport, policy: policy)
        // Counted with the assets: a server gets no more connections than that.
        let bytes = try await limiter.run { try await download.run() }
        source = .bytes(bytes, name: address.withoutQuery)
      } catch let failure as DownloadFailure {
        throw failure.of("manifest of pack \(pack)")
      }
    }
    return try await Blocking.run {
      let loaded = try library.manifests.load(source)
      guard loaded.document.packID == pack else {
        throw DocumentError(
          code: .conflict, file: loaded.name, path: "$.packId",
          value: loaded.document.packID.description, message: "is a different pack than \(pack)",
          advice: "use the manifest of this pack")
      }
      return loaded
    }
  }

  /// Makes room, clears what is of no use, and says in the log that the download runs.
  private func prepare(
    _ manifest: LoadedManifest, _ plan: AssetPlan, _ folders: PackFolders
  ) throws -> FolderHandle {
    let document = manifest.document
    let free = try folders.root.freeBytes()
    guard plan.bytesMissing == 0 || plan.bytesMissing <= free - policy.reservedBytes else {
      throw DownloadFailure(
        .noSpace,
        "pack \(pack) needs \(plan.bytesMissing) more bytes, and \(policy.reservedBytes) must stay "
          + "free; \(folders.root.path) has \(free) free", isResumable: true)
    }
    let event = PackDownloadStarted(
      pack: pack, version: document.version, bytesTotal: document.totalBytes,
      bytesDownloaded: plan.bytesThere)
    guard let staging = try folders.staging(pack, isMade: true) else {
      throw DownloadFailure(
        .file, "the staging folder of pack \(pack) is missing", isResumable: false)
    }
    _ = try folders.audio(pack, isMade: false)
    // If there is no hash, nothing but the manifest that it was staged for tells what a file is.
    let isStaged = try folders.isStaged(manifest.hash, pack)
    let kept = Set(
      plan.entries.filter { isStaged || $0.asset.sha256 != nil }.map(\.fileName))
    for name in try staging.names() where PackFolders.isOurs(name) {
      let base = name.replacing(".part.json.new", with: "").replacing(".part.json", with: "")
        .replacing(".part", with: "")
      if !kept.contains(base) { try staging.removeFile(name) }
    }
    try folders.markStaged(manifest.hash, in: staging)
    try states.append(.packDownloadStarted(event)) { _ in true }
    return staging
  }

  private func fetch(
    _ plan: AssetPlan, into staging: FolderHandle, _ meter: ByteMeter
  ) async throws -> [StagedAsset] {
    for (index, entry) in plan.entries.enumerated() { meter.set(entry.bytesThere, of: index) }
    let known = plan.entries.map(\.there)
    let missing = plan.entries.indices.filter { known[$0] == nil }
    board.update { $0.assetsDone = plan.entries.count - missing.count }
    return try await withThrowingTaskGroup(of: (Int, StagedAsset)?.self) { group in
      let reporter = PackProgressReporter(
        states: states, board: board, control: control, meter: meter,
        total: plan.entries.reduce(0) { $0 + $1.asset.bytes })
      group.addTask {
        try await reporter.run()
        return nil
      }
      var rest = missing[...]
      func addNext() {
        guard let index = rest.popFirst() else { return }
        let request = AssetRequest(plan.entries[index])
        group.addTask {
          try await limiter.run {
            let download = AssetDownload(
              request, index: index, into: staging, transport: transport, policy: policy,
              meter: meter)
            return (index, try await download.run())
          }
        }
      }
      defer { group.cancelAll() }
      for _ in 0..<policy.parallelAssets { addNext() }
      var staged = known
      var left = missing.count
      while left > 0, let finished = try await group.next() {
        guard let (index, asset) = finished else { continue }
        staged[index] = asset
        left -= 1
        board.update { $0.assetsDone += 1 }
        addNext()
      }
      return staged.compactMap { $0 }
    }
  }

  private func result(
    _ document: ManifestDocument, received: Int64, wasInstalled: Bool
  ) -> PackDownloadResult {
    PackDownloadResult(
      packID: UUID(pack), version: Int(document.version), assets: document.assets.count,
      bytes: document.totalBytes, bytesReceived: received, wasInstalled: wasInstalled)
  }
}

extension AssetPlan.Entry {
  /// What is there whole.
  fileprivate var there: StagedAsset? {
    switch place {
    case .installed(let asset), .staged(let asset): asset
    case .missing: nil
    }
  }
}

extension AssetRequest {
  fileprivate init(_ entry: AssetPlan.Entry) {
    self.init(
      id: entry.asset.assetID, address: entry.asset.address, bytes: entry.asset.bytes,
      sha256: entry.asset.sha256, fileName: entry.fileName)
  }
}

extension PackDownloadFailed {
  /// Nil for what says nothing of the pack: a database that was changed by hand, a log that is locked, a full disk.
  /// The log is for ever and for all machines; that is about this one, and the next attempt finds it mended or not.
  fileprivate init?(_ pack: EntityID, _ error: any Error) {
    switch error {
    case let failure as DownloadFailure:
      self.init(pack: pack, error: NormalForm.nfc("\(failure)"), isResumable: failure.isResumable)
    case let refusal as DocumentError:
      self.init(pack: pack, error: NormalForm.nfc(refusal.oneLine), isResumable: false)
    case let change as CatalogError where change.code == .changeRefused:
      self.init(pack: pack, error: NormalForm.nfc("\(change)"), isResumable: true)
    default: return nil
    }
  }
}
