import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

/// The assets that the manifest which was applied last for a pack lists.
///
/// The rows have that manifest's hash alone. Its own event has the list, so the log is read for it, which only a manifest of a newer
/// version needs (decision 0062).
struct AssetsBefore: Sendable {
  /// The manifest that they are of; nil if none was applied.
  let hash: String?
  /// Keyed by the ids of the assets; nil if no event has them.
  let assets: [EntityID: ManifestApplied.Asset]?
  /// Why the log could not be read; nil if it could.
  let failure: EventLogError?

  /// Nothing was applied before.
  static let nothing = AssetsBefore(hash: nil, assets: [:], failure: nil)

  /// - Parameters:
  ///   - applied: the manifest that was applied last.
  ///   - log: has its event.
  /// - Returns: no assets if the log cannot be read: a manifest can be applied all the same.
  static func read(_ applied: AppliedManifest, in log: any LogStore) throws -> AssetsBefore {
    let found: [ManifestApplied.Asset]?
    do {
      found = try listed(by: applied, in: log)
    } catch let error as EventLogError {
      return AssetsBefore(hash: applied.sha256, assets: nil, failure: error)
    }
    let assets = found.map { Dictionary($0.map { ($0.asset, $0) }, uniquingKeysWith: { $1 }) }
    return AssetsBefore(hash: applied.sha256, assets: assets, failure: nil)
  }

  private static func listed(
    by applied: AppliedManifest, in log: any LogStore
  ) throws -> [ManifestApplied.Asset]? {
    var found: [ManifestApplied.Asset]?
    // No event about an item alone has to be decoded.
    let replay = try ReplayAhead(log) { SoundLibraryDecoder(about: applied.packID) }
    defer { replay.close() }
    while try replay.nextBatch({ block, range in
      for record in SoundLibraryBlock.of(block).records[range] {
        if case .manifestApplied(let event) = record.event, event.pack == applied.packID,
          event.sha256 == applied.sha256, let listed = event.listed
        {
          found = listed
        }
      }
    }) != nil {}
    return found
  }
}

extension ManifestDocument.Asset {
  var listed: ManifestApplied.Asset {
    var writer = CanonicalWriter(bytes: [])
    writer.id(itemID)
    writer.string(address.withoutQuery)
    writer.string(sha256)
    writer.integer(bytes)
    writer.string(codec.name)
    writer.integer(sampleRate)
    writer.raw(" ")
    writer.integer(channels)
    writer.bool(isLoopable)
    return ManifestApplied.Asset(
      asset: assetID, item: itemID, content: Hex.string(SHA256.hash(data: writer.bytes)))
  }

  /// Whether the file that was downloaded of this asset is the one that the manifest describes.
  func isSame(_ file: LocalAsset, _ audio: ItemAudio) -> Bool {
    audio.itemID == itemID && file.address == address.withoutQuery
      && (sha256 == nil || file.sha256 == sha256) && file.bytes == bytes
      && audio.codec == codec.name && audio.sampleRate == sampleRate
      && audio.channels == channels && audio.isLoopable == isLoopable
  }
}
