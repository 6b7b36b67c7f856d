import CatalogModel
import CatalogStore
import Downloads
import EventLog
import Logging
import Projections

/// Makes true again what a process that died left: before packs are worked on, never to read.
///
/// A download that nobody carries on becomes `failed`, and can be resumed; files of an installation that
/// was committed are moved into place; what belongs to nothing is removed. A pack whose lock somebody
/// holds is left to them.
struct PackRecovery {
  private let library: SoundLibrary

  init(_ library: SoundLibrary) {
    self.library = library
  }

  /// Does what can be done, pack by pack: a file that is in the way, or somebody who writes at this moment, is no
  /// reason not to work on other packs, and the former is told as a warning.
  ///
  /// - Throws: `StoreError` if the rows are not proved, and then no file was touched for them.
  func run() throws {
    let folders = try PackFolders(library)
    let staged = names(in: PackFolders.stagingName, folders)
    let installed = names(in: PackFolders.audioName, folders)
    let packs = try library.readProved(PackWithFiles.all).filter { rows in
      rows.needsLook(hasStaging: staged.contains(rows.id), hasAudio: installed.contains(rows.id))
    }
    for pack in packs {
      do {
        guard let lock = try folders.lock(pack.id) else { continue }
        try withExtendedLifetime(lock) { try recover(pack.id, folders) }
      } catch let error as StoreError {
        throw error
      } catch let error as EventLogError where error.code == .locked {
        // Somebody writes: whoever works on packs next does it.
      } catch {
        warn(error)
      }
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
    library.options.logger.warning(
      "the files of an interrupted download could not be removed: \(error)")
  }

  private func recover(_ pack: EntityID, _ folders: PackFolders) throws {
    let states = PackStates(library, pack)
    let event = PackDownloadInterrupted(
      pack: pack, error: "the process that downloaded it ended before it finished")
    // Appended where the log's head says so: the download may have come to its end meanwhile.
    try states.append(.packDownloadInterrupted(event), wait: .zero) { $0.state == .downloading }
    let rows = try states.readAtHead(wait: .zero)
    switch rows.state {
    case .downloading: return
    case .failed: try rollForward(rows, folders)
    case .downloaded:
      try rollForward(rows, folders)
      try folders.sweep(PackFolders.stagingName, of: rows)
    case .notDownloaded:
      try folders.sweep(PackFolders.stagingName, of: rows)
    }
    if rows.assets.isEmpty { try folders.sweep(PackFolders.audioName, of: rows) }
  }

  /// Moves the files of an installation that was committed, where they still lie in the staging folder,
  /// and removes those of the version before.
  ///
  /// The caller has the pack's lock.
  func rollForward(_ rows: PackWithFiles, _ folders: PackFolders) throws {
    guard !rows.assets.isEmpty, let staging = try folders.staging(rows.id, isMade: false)
    else { return }
    var names: Set<String> = []
    for asset in rows.assets {
      guard let name = asset.fileName else { continue }
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
    try folders.sweep(PackFolders.audioName, of: rows, keeping: names)
  }
}

extension PackWithFiles {
  /// Whether rows and folders tell of something that was left.
  fileprivate func needsLook(hasStaging: Bool, hasAudio: Bool) -> Bool {
    switch state {
    case .downloading: true
    case .failed: assets.isEmpty ? hasAudio : hasStaging
    case .downloaded, .notDownloaded: hasStaging || hasAudio && assets.isEmpty
    }
  }
}
