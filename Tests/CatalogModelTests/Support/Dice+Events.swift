import CatalogModel
import Projections

@testable import SoundLibraryKind

/// Events of every type from one seed, in the form in which checked commands make them.
extension Dice {
  mutating func id() -> EntityID {
    EntityID(high: next(), low: next())
  }

  mutating func title() -> String {
    let text = NormalForm.nfc(text())
    return TextRules.isBlank(text) ? "x" : text
  }

  mutating func tagName() -> String {
    (try? TextRules.tagName(text())) ?? "x"
  }

  mutating func integer() -> Int64 {
    Int64(truncatingIfNeeded: next() >> UInt64(1 + below(63)))
  }

  mutating func duration() -> Double? {
    switch below(5) {
    case 0: nil
    case 1: Double(below(10_000))
    case 2: Double(below(10_000)) / 1_000
    case 3: 0
    default: Double.random(in: 0...1e12, using: &self)
    }
  }

  mutating func record(_ sequence: UInt64) -> EventRecord {
    EventRecord(
      sequence: sequence, at: Timestamp(milliseconds: Int64(below(4_000_000_000_000))),
      operation: id(), by: pick(["seed:starter", "manifest:\(id())", "person", "cli"]),
      event: event(pick(EventType.allCases)))
  }

  mutating func event(_ type: EventType) -> CatalogEvent {
    switch type {
    case .catalogCreated:
      return .catalogCreated(CatalogCreated(kind: title(), layout: integer(), logID: id()))
    case .seedImported:
      let counts = SeedImported.Counts(
        values: integer(), music: integer(), packs: integer(), packItems: integer())
      let sha256 = String(repeating: pick(["0", "a", "f"]), count: 64)
      return .seedImported(
        SeedImported(seed: "starter", revision: integer(), sha256: sha256, counts: counts))
    case .dimensionValueAdded:
      return .dimensionValueAdded(
        DimensionValueAdded(
          dimension: pick(TagDimension.all), id: integer(), name: tagName(),
          sortOrder: chance(50) ? integer() : nil, isSystem: chance(50)))
    case .dimensionValueOrdered:
      return .dimensionValueOrdered(
        DimensionValueOrdered(
          dimension: pick(TagDimension.all), id: integer(), name: tagName(),
          sortOrder: chance(50) ? integer() : nil))
    case .dimensionValueRenamed:
      return .dimensionValueRenamed(
        DimensionValueRenamed(
          dimension: pick(TagDimension.all), id: integer(), name: tagName(), newName: tagName()))
    case .dimensionValueMerged:
      return .dimensionValueMerged(
        DimensionValueMerged(
          dimension: pick(TagDimension.all), id: integer(), name: tagName(), into: integer(),
          intoName: tagName()))
    case .dimensionValueAliased:
      return .dimensionValueAliased(
        DimensionValueAliased(
          dimension: pick(TagDimension.all), id: integer(), name: tagName(), alias: tagName()))
    case .itemTagSuppressed: return .itemTagSuppressed(suppression())
    case .itemTagUnsuppressed: return .itemTagUnsuppressed(suppression())
    case .itemUpserted:
      return .itemUpserted(
        ItemUpserted(
          id: id(), kind: pick(Kind.allCases), title: title(),
          subtitle: chance(50) ? title() : nil, duration: duration(),
          artworkURL: chance(50) ? title() : nil))
    case .itemVisibilityChanged:
      return .itemVisibilityChanged(ItemVisibilityChanged(id: id(), isVisible: chance(50)))
    case .itemTagsSet:
      return .itemTagsSet(
        ItemTagsSet(item: id(), source: pick(["seed:starter", "person"]), tags: tags()))
    case .playlistLinked:
      return .playlistLinked(
        PlaylistLinked(item: id(), playlistID: title(), useSnapshot: chance(50)))
    case .playlistMetadataRefreshed:
      return .playlistMetadataRefreshed(
        PlaylistMetadataRefreshed(
          item: id(), playlistID: title(), storefront: "us", state: playlistState()))
    case .playlistTracksSnapshotted:
      return .playlistTracksSnapshotted(
        PlaylistTracksSnapshotted(
          item: id(), playlistID: title(), storefront: "us",
          base: chance(50) ? UInt64(below(1_000)) : nil, count: integer(),
          runs: (0..<below(4)).map { _ in
            chance(50)
              ? .kept(from: integer(), count: integer()) : .new((0..<below(4)).map { _ in title() })
          },
          tracks: (0..<below(4)).map { _ in track() }))
    case .packUpserted:
      return .packUpserted(
        PackUpserted(
          id: id(), kind: pick(PackKind.allCases), title: title(),
          description: chance(50) ? title() : nil, artworkURL: chance(50) ? title() : nil,
          version: integer(), manifestURL: "https://example.com/\(integer())"))
    case .packItemsSet:
      return .packItemsSet(PackItemsSet(pack: id(), items: (0..<below(5)).map { _ in id() }))
    case .manifestApplied:
      return .manifestApplied(
        ManifestApplied(
          pack: id(), version: integer(), sha256: String(repeating: "a", count: 64),
          totalBytes: integer(), assets: integer(), tags: tags()))
    case .packDownloadStarted:
      return .packDownloadStarted(
        PackDownloadStarted(
          pack: id(), version: integer(), bytesTotal: integer(), bytesDownloaded: integer()))
    case .packDownloadProgressed:
      return .packDownloadProgressed(
        PackDownloadProgressed(pack: id(), bytesDownloaded: integer()))
    case .packDownloadCompleted:
      return .packDownloadCompleted(
        PackDownloadCompleted(
          pack: id(), version: integer(), bytesTotal: integer(),
          assets: (0..<below(3)).map { _ in asset() }))
    case .packDownloadFailed:
      return .packDownloadFailed(
        PackDownloadFailed(pack: id(), error: title(), isResumable: chance(50)))
    case .packDownloadInterrupted:
      return .packDownloadInterrupted(PackDownloadInterrupted(pack: id(), error: title()))
    case .packDownloadCancelled: return .packDownloadCancelled(PackReference(pack: id()))
    case .packDeleted: return .packDeleted(PackReference(pack: id()))
    case .operationReverted:
      return .reversal(
        .operation(
          RevertedOperation(
            operation: id(), first: integer(), last: integer(), documents: [title(), title()],
            reason: chance(50) ? title() : nil)))
    case .rowsRestored:
      return .reversal(
        .rows(
          RestoredRows(
            table: title(), columns: (0..<3).map { _ in title() },
            rows: (0..<below(4)).map { _ in (0..<3).map { _ in value() } }, key: [title()],
            gone: (0..<below(4)).map { _ in [value()] })))
    }
  }

  /// A value as a line has it: ids and times are texts.
  mutating func value() -> Value {
    switch below(5) {
    case 0: .null
    case 1: .integer(integer())
    case 2: .real(duration() ?? 1.5)
    case 3: .blob((0..<below(20)).map { UInt8($0) })
    default: .text(title())
    }
  }

  mutating func asset() -> PackDownloadCompleted.Asset {
    PackDownloadCompleted.Asset(
      asset: id(), item: id(), url: title(), path: title(), etag: chance(50) ? title() : nil,
      sha256: title(), bytes: integer(), codec: title(), sampleRate: chance(50) ? integer() : nil,
      channels: chance(50) ? integer() : nil, isLoopable: chance(50))
  }

  private mutating func playlistState() -> PlaylistMetadataRefreshed.State {
    switch below(3) {
    case 0: return .gone(reason: title())
    case 1: return .missingInStorefront(reason: title())
    default:
      return .available(
        PlaylistMetadata(
          title: title(), curator: chance(50) ? title() : nil,
          description: chance(50) ? title() : nil, artworkURL: chance(50) ? title() : nil,
          url: chance(50) ? title() : nil, modifiedAt: chance(50) ? title() : nil,
          isPlayable: chance(50)))
    }
  }

  private mutating func track() -> PlaylistTracksSnapshotted.Track {
    PlaylistTracksSnapshotted.Track(
      id: title(), type: pick(["songs", "music-videos"]), title: title(), artist: title(),
      album: chance(50) ? title() : nil, duration: duration(),
      artworkURL: chance(50) ? title() : nil)
  }

  mutating func suppression() -> ItemTagSuppression {
    ItemTagSuppression(item: id(), dimension: pick(TagDimension.all), name: tagName())
  }

  mutating func tags() -> TagSet {
    var tags = TagSet()
    for dimension in TagDimension.all where chance(50) {
      tags[dimension] = (0..<below(5)).map { _ in tagName() }
    }
    return tags
  }

  /// The same JSON content in another form: members shuffled, white space, other escapes, integers
  /// spelt otherwise.
  mutating func disguised(_ value: JSONValue) -> String {
    let space = chance(20) ? pick([" ", "\t", "\n", "\r\n  "]) : ""
    switch value {
    case .null, .bool: return space + value.description + space
    case .number(let text):
      if chance(20), !text.contains("."), !text.contains("e") { return space + text + ".0" }
      return space + text + space
    case .string(let text):
      return space + JSONReaderTests.string(text, &self) + space
    case .array(let elements):
      let parts = elements.map { disguised($0) }
      return "[" + space + parts.joined(separator: ",") + "]"
    case .object(let members):
      let parts = members.shuffled(using: &self).map { member in
        JSONReaderTests.string(member.key, &self) + space + ":" + disguised(member.value)
      }
      return space + "{" + parts.joined(separator: ",") + "}" + space
    }
  }
}
