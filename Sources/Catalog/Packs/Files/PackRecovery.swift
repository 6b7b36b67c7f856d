import CatalogModel
import CatalogStore
import Downloads
import EventLog
import Logging
import Projections

/// Makes true again what a process that died left: at every opening.
///
/// A download that nobody carries on becomes `failed`, and can be resumed; files of an installation that
/// was committed are moved into place; what belongs to nothing is removed. A pack whose lock somebody
/// holds is left to them.
struct PackRecovery {
  private let catalog: SoundCatalog

  init(_ catalog: SoundCatalog) {
    self.catalog = catalog
  }

  /// Does what can be done; files that cannot be touched are no reason not to open the catalog.
  func run() throws {
    do {
      try recoverAll()
    } catch let failure as DownloadFailure {
      catalog.options.logger.warning(
        "what an interrupted download left could not be cleared: \(failure)")
    }
  }

  private func recoverAll() throws {
    let downloading = try catalog.projection.read { rows in
      try rows.rows(by: SoundLibrarySchema.packStatesByState, equal: [.text("downloading")])
        .compactMap { row in if case .id(let pack) = row[0] { pack } else { nil } }
    }
    let folders = try PackFolders(catalog.directory)
    let staged = try folders.packs(in: PackFolders.stagingName).packs
    let installed = try folders.packs(in: PackFolders.audioName).packs
    var seen: Set<EntityID> = []
    for pack in downloading + staged + installed where seen.insert(pack).inserted {
      guard let rows = try catalog.projection.read({ try PackRows(pack, in: $0) }),
        rows.needsLook(hasStaging: staged.contains(pack), hasAudio: installed.contains(pack))
      else { continue }
      guard let lock = try folders.lock(pack) else { continue }
      do {
        try withExtendedLifetime(lock) { try recover(pack, folders) }
      } catch let error as EventLogError where error.code == .locked {
        // Somebody writes: whoever opens the catalog next does it.
      }
    }
  }

  private func recover(_ pack: EntityID, _ folders: PackFolders) throws {
    let states = PackStates(catalog, pack)
    let event = PackDownloadInterrupted(
      pack: pack, error: "the process that downloaded it ended before it was done")
    // The rows are read again under the log's lock: the download may have come to its end meanwhile.
    try states.append(.packDownloadInterrupted(event), wait: .zero) { $0.state == .downloading }
    let rows = try states.read()
    switch rows.state {
    case .downloading, .failed: break
    case .downloaded:
      try rollForward(rows, folders)
      try folders.sweep(PackFolders.stagingName, pack)
    case .notDownloaded:
      try folders.sweep(PackFolders.stagingName, pack)
    }
    if rows.assets.isEmpty { try folders.sweep(PackFolders.audioName, pack) }
  }

  /// Moves the files of an installation that was committed, where they still lie in the staging folder,
  /// and removes those of the version before.
  ///
  /// The caller has the pack's lock.
  func rollForward(_ rows: PackRows, _ folders: PackFolders) throws {
    guard rows.state == .downloaded,
      let staging = try folders.staging(rows.id, isMade: false)
    else { return }
    var names: Set<String> = []
    for asset in rows.assets {
      guard let name = asset.fileName(in: rows.id) else { continue }
      names.insert(name)
      guard case .file(let bytes)? = try staging.entry(name), bytes == asset.bytes,
        try FileDigest.digest(of: name, in: staging)?.sha256 == asset.sha256,
        let audio = try folders.audio(rows.id, isMade: true)
      else { continue }
      try staging.move(name, to: audio, as: name)
      try audio.sync()
    }
    try folders.root.sync()
    try folders.sweep(PackFolders.audioName, rows.id, keeping: names)
  }
}

extension PackRows {
  /// Whether rows and folders tell of something that was left.
  fileprivate func needsLook(hasStaging: Bool, hasAudio: Bool) -> Bool {
    switch state {
    case .downloading: true
    case .failed: hasAudio && assets.isEmpty
    case .downloaded, .notDownloaded: hasStaging || hasAudio && assets.isEmpty
    }
  }
}
