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

  /// Does what can be done, pack by pack: what cannot be is no reason not to open the catalog, and is told
  /// as a warning.
  func run() {
    let folders: PackFolders
    let staged: Set<EntityID>
    let installed: Set<EntityID>
    var packs: Set<EntityID>
    do {
      folders = try PackFolders(catalog)
      packs = try Set(downloading())
    } catch {
      return warn(error)
    }
    staged = names(in: PackFolders.stagingName, folders)
    installed = names(in: PackFolders.audioName, folders)
    packs.formUnion(staged)
    packs.formUnion(installed)
    for pack in packs.sorted() {
      do {
        guard let rows = try catalog.projection.read({ try PackRows(pack, in: $0) }),
          rows.needsLook(hasStaging: staged.contains(pack), hasAudio: installed.contains(pack)),
          let lock = try folders.lock(pack)
        else { continue }
        try withExtendedLifetime(lock) { try recover(pack, folders) }
      } catch let error as EventLogError where error.code == .locked {
        // Somebody writes: whoever opens the catalog next does it.
      } catch {
        warn(error)
      }
    }
  }

  private func downloading() throws -> [EntityID] {
    try catalog.projection.read { rows in
      try rows.rows(by: SoundLibrarySchema.packStatesByState, equal: [.text("downloading")])
        .compactMap { row in if case .id(let pack) = row[0] { pack } else { nil } }
    }
  }

  private func names(in folder: String, _ folders: PackFolders) -> Set<EntityID> {
    do {
      return Set(try folders.packs(in: folder).packs)
    } catch {
      warn(error)
      return []
    }
  }

  private func warn(_ error: any Error) {
    catalog.options.logger.warning(
      "the files of an interrupted download could not be removed: \(error)")
  }

  private func recover(_ pack: EntityID, _ folders: PackFolders) throws {
    let states = PackStates(catalog, pack)
    if try states.read().state == .downloading {
      let event = PackDownloadInterrupted(
        pack: pack, error: "the process that downloaded it ended before it finished")
      // The rows are read again under the log's lock: the download may have come to its end meanwhile.
      try states.append(.packDownloadInterrupted(event), wait: .zero) { $0.state == .downloading }
    }
    let rows = try states.read()
    switch rows.state {
    case .downloading: return
    case .failed: try rollForward(rows, folders)
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
    guard !rows.assets.isEmpty, let staging = try folders.staging(rows.id, isMade: false)
    else { return }
    var names: Set<String> = []
    for asset in rows.assets {
      guard let name = asset.fileName(in: rows.id) else { continue }
      names.insert(name)
      guard case .file(let bytes)? = try staging.entry(name), bytes == asset.bytes,
        // Of an update that failed: what it staged is of a version that is not installed.
        try rows.state == .downloaded
          || folders.audio(rows.id, isMade: false)?.entry(name) != .file(bytes: bytes),
        try FileDigest.digest(of: name, in: staging)?.sha256 == asset.sha256,
        let audio = try folders.audio(rows.id, isMade: true)
      else { continue }
      // Where somebody removed the folder it is a new one: durable before the only copy moves into it.
      try folders.root.existingFolder(PackFolders.audioName)?.sync()
      try folders.root.sync()
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
    case .failed: assets.isEmpty ? hasAudio : hasStaging
    case .downloaded, .notDownloaded: hasStaging || hasAudio && assets.isEmpty
    }
  }
}
