import CatalogModel
import Downloads

/// Where the files of packs lie, below the catalog's folder:
///
///     AudioAssets/<packId>/<assetId>.<ext>        installed: what local_asset.local_path says
///     .staging/<packId>/<assetId>.<ext>           whole, with the right hash, not installed yet
///     .staging/<packId>/<assetId>.<ext>.part      not whole; .part.json notes how far it is durable
///     .staging/<packId>/.manifest                 SHA-256 of the manifest that all this is staged for
///     .staging/<packId>.lock                      held by whoever changes the files of that pack
///     .staging/<packId>.stop                      somebody waits for the lock, and asks to be let in
///
/// The two folders themselves are never removed: somebody may be about to make something in them.
/// Names come from parsed ids and the list of codecs, never from an address or a header.
struct PackFolders: Sendable {
  static let audioName = "AudioAssets"
  static let stagingName = ".staging"

  let root: FolderHandle

  init(_ library: SoundLibrary) throws(DownloadFailure) {
    try self.init(library.directory, library.options.folderCalls)
  }

  init(_ directory: CatalogDirectory, _ calls: any FolderCalls) throws(DownloadFailure) {
    root = try FolderHandle(directory.path, calls: calls)
  }

  static func fileName(_ asset: EntityID, _ codec: AudioCodec) -> String {
    "\(asset).\(codec.fileExtension)"
  }

  /// `local_path` of an installed file.
  static func path(_ name: String, of pack: EntityID) -> String { "\(audioName)/\(pack)/\(name)" }

  /// Whether a file in a pack's folder may be one of ours: `<uuid>.<ext>`, or a part of one.
  static func isOurs(_ name: String) -> Bool {
    if name == markerName || name == markerName + ".new" { return true }
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, EntityID(String(parts[0])) != nil else { return false }
    let ending = parts[1]
    return AudioCodec.fileExtensions.contains { known in
      ending == known || ending == known + ".part" || ending == known + ".part.json"
        || ending == known + ".part.json.new"
    }
  }

  func lock(_ pack: EntityID) throws -> FileLock? {
    try FileLock("\(pack).lock", in: root.makeFolder(Self.stagingName))
  }

  /// The same, waiting for whoever has it.
  ///
  /// - Parameter asksToStop: whether to ask a download that runs to end.
  func lock(_ pack: EntityID, wait: Duration, asksToStop: Bool) async throws -> FileLock? {
    let deadline = ContinuousClock.now + wait
    let staging = try root.makeFolder(Self.stagingName)
    let request = "\(pack).stop"
    while true {
      if let lock = try lock(pack) {
        try staging.removeFile(request)
        return lock
      }
      guard ContinuousClock.now < deadline else {
        if asksToStop { try staging.removeFile(request) }
        return nil
      }
      if asksToStop, try staging.entry(request) == nil {
        // After a loss of power nobody waits.
        try staging.write([], to: request, isSynced: false)
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Whether somebody works on the pack. Makes and removes nothing.
  func isLocked(_ pack: EntityID) throws(DownloadFailure) -> Bool {
    guard let staging = try root.existingFolder(Self.stagingName) else { return false }
    return try FileLock.isHeld("\(pack).lock", in: staging)
  }

  /// Whether somebody asks for the pack's lock.
  func isAskedToStop(_ pack: EntityID) throws(DownloadFailure) -> Bool {
    try root.existingFolder(Self.stagingName)?.entry("\(pack).stop") != nil
  }

  // MARK: What is staged

  private static let markerName = ".manifest"

  /// Whether all that is staged of a pack was staged for this manifest.
  func isStaged(_ hash: String, _ pack: EntityID) throws(DownloadFailure) -> Bool {
    try staging(pack, isMade: false)?.read(Self.markerName, limit: 64) == Array(hash.utf8)
  }

  /// Says what all that is staged was staged for.
  ///
  /// What was removed before is removed for good first: a loss of power must not bring back a file of an
  /// older manifest under the name of the newer one, for where that has no hash nothing else would tell.
  func markStaged(_ hash: String, in staging: FolderHandle) throws(DownloadFailure) {
    try staging.sync()
    try staging.write(Array(hash.utf8), to: Self.markerName, isSynced: true)
  }

  func staging(_ pack: EntityID, isMade: Bool) throws(DownloadFailure) -> FolderHandle? {
    try folder(pack, in: Self.stagingName, isMade: isMade)
  }

  func audio(_ pack: EntityID, isMade: Bool) throws(DownloadFailure) -> FolderHandle? {
    try folder(pack, in: Self.audioName, isMade: isMade)
  }

  private func folder(
    _ pack: EntityID, in name: String, isMade: Bool
  ) throws(DownloadFailure) -> FolderHandle? {
    if isMade { return try root.makeFolder(name).makeFolder(pack.description) }
    return try root.existingFolder(name)?.existingFolder(pack.description)
  }

  /// Packs that have a folder here, and other names that stand there.
  func packs(in name: String) throws(DownloadFailure) -> (packs: [EntityID], others: [String]) {
    guard let folder = try root.existingFolder(name) else { return ([], []) }
    var packs: [EntityID] = []
    var others: [String] = []
    for entry in try folder.names() {
      if let pack = EntityID(entry), pack.description == entry {
        packs.append(pack)
      } else if !Self.isLock(entry) {
        others.append(entry)
      }
    }
    return (packs, others)
  }

  private static func isLock(_ name: String) -> Bool {
    [".lock", ".stop", ".stop.new"].contains { ending in
      name.hasSuffix(ending) && EntityID(String(name.dropLast(ending.count))) != nil
    }
  }

  // MARK: Sweeping

  /// Removes our files of a pack from a folder, and the folder where nothing else is in it.
  func sweep(
    _ name: String, of pack: PackWithFiles, keeping kept: Set<String> = []
  ) throws(DownloadFailure) {
    guard let above = try root.existingFolder(name),
      let folder = try above.existingFolder(pack.id.description)
    else { return }
    for entry in try folder.names() where Self.isOurs(entry) && !kept.contains(entry) {
      try folder.removeFile(entry)
    }
    try folder.sync()
    try above.removeFolder(pack.id.description)
    try above.sync()
  }
}
