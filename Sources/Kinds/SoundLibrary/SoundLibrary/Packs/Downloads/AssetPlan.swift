import CatalogModel
import Downloads

/// What a manifest asks for, and what of it is there already.
struct AssetPlan: Sendable {
  /// One asset of the manifest.
  struct Entry: Sendable {
    let asset: ManifestDocument.Asset
    let fileName: String
    var place: Place
  }

  enum Place: Sendable {
    /// Installed, by an older version or before a repair; its hash was looked at.
    case installed(StagedAsset)
    /// Whole in the staging folder; its hash was looked at.
    case staged(StagedAsset)
    /// To be fetched; this much of it is there.
    case missing(part: Int64)
  }

  var entries: [Entry]

  /// Looks at every file that may be used, and reads it whole.
  ///
  /// - Parameters:
  ///   - isStaged: whether what is staged was staged for this very manifest. It decides where the manifest
  ///     has no hash.
  ///   - isStopped: asked now and then; where it says so, `CancellationError` is thrown.
  init(
    _ manifest: ManifestDocument, rows: PackWithFiles, folders: PackFolders, isStaged: Bool,
    isStopped: () -> Bool
  ) throws {
    let staging = try folders.staging(manifest.packID, isMade: false)
    let audio = try folders.audio(manifest.packID, isMade: false)
    let known = Dictionary(rows.assets.map { ($0.id, $0) }) { first, _ in first }
    entries = try manifest.assets.map { asset in
      let name = PackFolders.fileName(asset.assetID, asset.codec)
      var place = Place.missing(part: 0)
      if let row = known[asset.assetID], let audio, row.fileName == name,
        row.bytes == asset.bytes,
        // A version has one content: its manifest was accepted.
        let hash = asset.sha256
          ?? (rows.installedVersion == manifest.version ? row.sha256 : nil),
        let found = try Self.hashed(name, in: audio, bytes: asset.bytes, isStopped),
        found == hash
      {
        place = .installed(StagedAsset(sha256: found, tag: row.etag))
      } else if let staging {
        if asset.sha256 != nil || isStaged,
          let found = try Self.hashed(name, in: staging, bytes: asset.bytes, isStopped),
          found == asset.sha256 ?? found
        {
          place = .staged(StagedAsset(sha256: found))
        } else if asset.sha256 != nil || isStaged {
          place = .missing(
            part: AssetDownload.bytesThere(of: name, in: staging, limit: asset.bytes))
        }
      }
      return Entry(asset: asset, fileName: name, place: place)
    }
  }

  /// SHA-256 of a regular file of this length; nil if there is none.
  private static func hashed(
    _ name: String, in folder: FolderHandle, bytes: Int64, _ isStopped: () -> Bool
  ) throws -> String? {
    guard try folder.entry(name) == .file(bytes: bytes) else { return nil }
    return try FileDigest.digest(of: name, in: folder, isStopped: isStopped)?.sha256
  }

  /// Bytes of the manifest that are there.
  var bytesThere: Int64 {
    entries.reduce(0) { $0 + $1.bytesThere }
  }

  var bytesMissing: Int64 {
    entries.reduce(0) { $0 + $1.asset.bytes - $1.bytesThere }
  }

  /// Whether every asset lies where it belongs.
  var isInstalled: Bool {
    entries.allSatisfy { if case .installed = $0.place { true } else { false } }
  }
}

extension AssetPlan.Entry {
  var bytesThere: Int64 {
    if case .missing(let part) = place { part } else { asset.bytes }
  }
}
