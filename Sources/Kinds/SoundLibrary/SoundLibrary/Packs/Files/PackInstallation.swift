import CatalogModel
import Downloads

/// The last step of a download: what the log is told, and the moves behind it.
struct PackInstallation: Sendable {
  let pack: PackWithFiles
  let document: ManifestDocument
  let entries: [AssetPlan.Entry]
  /// One for each entry.
  let assets: [StagedAsset]
  let folders: PackFolders

  var event: PackDownloadCompleted {
    PackDownloadCompleted(
      pack: pack.id, version: document.version, bytesTotal: document.totalBytes,
      assets: zip(entries, assets).map { entry, staged in
        let asset = entry.asset
        return PackDownloadCompleted.Asset(
          asset: asset.assetID, item: asset.itemID, url: asset.address.withoutQuery,
          path: PackFolders.path(entry.fileName, of: pack.id), etag: staged.tag.map(NormalForm.nfc),
          sha256: staged.sha256, bytes: asset.bytes, codec: asset.codec.name,
          sampleRate: asset.sampleRate, channels: asset.channels, isLoopable: asset.isLoopable)
      })
  }

  /// Makes staged files durable with the way to them, makes the pack's folder, and looks whether files can
  /// be moved there: after the commit it is too late to refuse.
  func prepare(_ staging: FolderHandle) throws {
    try staging.sync()
    try folders.root.makeFolder(PackFolders.stagingName).sync()
    guard let audio = try folders.audio(pack.id, isMade: true) else { return }
    try folders.root.makeFolder(PackFolders.audioName).sync()
    try folders.root.sync()
    guard try audio.isOnVolume(of: staging) else {
      throw DownloadFailure(
        .file,
        "\(audio.path) is on a different volume than \(staging.path), so files cannot be moved there; "
          + "put both on the volume of the catalog", isResumable: true)
    }
    guard audio.isWritable else {
      throw DownloadFailure(
        .file, "\(audio.path) cannot be written to; change its permissions", isResumable: true)
    }
    for entry in entries {
      switch try audio.entry(entry.fileName) {
      case nil, .file: continue
      case .link, .folder, .other:
        throw DownloadFailure(
          .file,
          "\(audio.path)/\(entry.fileName) is a link or a folder, not a file; remove it",
          isResumable: true)
      }
    }
  }

  /// Moves staged files into place, and removes those that the version does not have.
  func install(from staging: FolderHandle) throws {
    guard let audio = try folders.audio(pack.id, isMade: true) else { return }
    for entry in entries {
      if case .installed = entry.place { continue }
      try staging.move(entry.fileName, to: audio, as: entry.fileName)
    }
    try audio.sync()
    try folders.sweep(PackFolders.audioName, of: pack, keeping: Set(entries.map(\.fileName)))
    try folders.sweep(PackFolders.stagingName, of: pack)
  }
}
