import CatalogModel
import CatalogTestSupport
import Projections
package import SoundLibrary

/// Makes streams of events that decode and follow from nothing: any type, any order, of few items, packs, names
/// and ids, so that they contradict each other as often as not, and now and then beyond every bound.
///
/// The same seed makes the same stream.
package struct ContradictoryHistory {
  private var random: SplitMix
  private var sequence: UInt64 = 0
  private var time: Int64 = 1_767_225_600_000

  package init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  /// So many events; `catalog.created` is the first.
  package mutating func records(_ count: Int) -> [SoundEventRecord] {
    var records = [
      record(.catalogCreated(CatalogCreated(kind: "sound-library", layout: 1, logID: id(0))))
    ]
    while records.count < count { records.append(record(event())) }
    return records
  }

  private mutating func record(_ event: SoundEvent) -> SoundEventRecord {
    sequence += 1
    time += Int64(random.below(3)) - 1
    return SoundEventRecord(
      sequence: sequence, at: Timestamp(milliseconds: time), operation: id(0),
      by: random.pick(["seed:a", "seed:b", "person", random.below(20) == 0 ? long : "cli"]),
      event: event)
  }

  // MARK: Small worlds

  private func id(_ number: Int) -> EntityID {
    EntityID(high: 0x1122_3344_5566_7788, low: UInt64(number))
  }

  private mutating func item() -> EntityID { id(random.below(10)) }
  private mutating func pack() -> EntityID { id(100 + random.below(4)) }
  private mutating func asset() -> EntityID { id(200 + random.below(8)) }
  private mutating func dimension() -> TagDimension { random.pick(TagDimension.all) }
  private mutating func flag() -> Bool { random.below(2) == 0 }

  private mutating func name() -> String {
    random.below(60) == 0 ? long : random.pick(["Forest", "Cave", "Wood", "Åre", "forest", ""])
  }

  private let long = String(repeating: "x", count: TextRules.nameLimit + 1)

  /// Mostly one that may be there; now and then one beyond what counts.
  private mutating func number() -> Int64 {
    switch random.below(30) {
    case 0: .max
    case 1: .min
    case 2: NumberRules.greatest
    case 3: -1
    case 4: NumberRules.greatest + 1
    case 5: 0
    default: Int64(random.below(7))
    }
  }

  private mutating func title() -> String {
    random.below(80) == 0
      ? String(repeating: "t", count: TextRules.textLimit + 1)
      : random.pick(["One", "Two", "", "Ünø"])
  }

  private mutating func tags() -> TagSet {
    var tags = TagSet()
    for _ in 0..<random.below(3) { tags[dimension()] = (0..<random.below(3)).map { _ in name() } }
    return tags
  }

  private mutating func playlist() -> String { random.pick(["pl.1", "pl.2", "pl.3"]) }
  private mutating func track() -> String { random.pick(["t1", "t2", "t3", "t4"]) }

  // MARK: Events

  private mutating func event() -> SoundEvent {
    switch random.below(30) {
    case 0:
      .catalogCreated(
        CatalogCreated(
          kind: random.pick(["sound-library", "other"]), layout: Int64(random.below(3)),
          logID: id(0)))
    case 1:
      .seedImported(
        SeedImported(
          seed: random.pick(["a", "b"]), revision: number(), sha256: "00",
          counts: SeedImported.Counts(values: number(), music: 0, packs: 0, packItems: 0)))
    case 2...5:
      .dimensionValueAdded(
        DimensionValueAdded(
          dimension: dimension(), id: number(), name: name(), sortOrder: flag() ? nil : number(),
          isSystem: flag()))
    case 6:
      .dimensionValueOrdered(
        DimensionValueOrdered(
          dimension: dimension(), id: number(), name: name(), sortOrder: number()))
    case 7:
      .dimensionValueRenamed(
        DimensionValueRenamed(dimension: dimension(), id: number(), name: name(), newName: name()))
    case 8, 9:
      .dimensionValueMerged(
        DimensionValueMerged(
          dimension: dimension(), id: number(), name: name(), into: number(), intoName: name()))
    case 10:
      .dimensionValueAliased(
        DimensionValueAliased(dimension: dimension(), id: number(), name: name(), alias: name()))
    case 11...13:
      .itemUpserted(
        ItemUpserted(
          id: item(), kind: random.pick(Kind.allCases), title: title(),
          subtitle: flag() ? nil : title(),
          duration: random.pick([nil, 0, 1.5, -1, 1e300]), artworkURL: nil))
    case 14: .itemVisibilityChanged(ItemVisibilityChanged(id: item(), isVisible: flag()))
    case 15, 16:
      .itemTagsSet(
        ItemTagsSet(
          item: item(), source: random.pick(["seed:a", "person", long, "pack:\(pack())"]),
          tags: tags()))
    case 17: .itemTagSuppressed(suppression())
    case 18: .itemTagUnsuppressed(suppression())
    case 19:
      .playlistLinked(PlaylistLinked(item: item(), playlistID: playlist(), useSnapshot: flag()))
    case 20: refreshed()
    case 21: snapshotted()
    case 22:
      .packUpserted(
        PackUpserted(
          id: pack(), kind: random.pick(PackKind.allCases), title: title(), description: nil,
          artworkURL: nil, version: number(), manifestURL: "https://example.com/"))
    case 23:
      .packItemsSet(PackItemsSet(pack: pack(), items: (0..<random.below(4)).map { _ in item() }))
    case 24:
      .manifestApplied(
        ManifestApplied(
          pack: pack(), version: number(), sha256: "00", totalBytes: number(), assets: number(),
          tags: tags()))
    case 25: .reversal(reversal())
    default: download()
    }
  }

  private mutating func suppression() -> ItemTagSuppression {
    ItemTagSuppression(item: item(), dimension: dimension(), name: name())
  }

  // MARK: Reverts that a person wrote by hand

  /// Mostly one that no table can have; never rows that do not fit the others.
  private mutating func reversal() -> Reversal {
    func rows(
      _ table: String, _ columns: [String], _ rows: [[Value]], key: [String] = [],
      gone: [[Value]] = []
    ) -> Reversal {
      .rows(RestoredRows(table: table, columns: columns, rows: rows, key: key, gone: gone))
    }
    let seed = ["seed_id", "revision", "sha256", "imported_at"]
    let row: [Value] = [.text("a"), .integer(7), .text("00"), .time(Timestamp(milliseconds: time))]
    switch random.below(20) {
    case 0: return rows("nothing", ["id"], [[.integer(1)]])
    case 1: return rows("projection_seed", seed, [row, row])
    case 2: return rows("projection_seed", seed, [row], key: ["seed_id"], gone: [[row[0]]])
    case 3: return rows("projection_seed", seed, [Array(row.dropLast())])
    case 4: return rows("projection_seed", seed + ["seed_id"], [row + [row[0]]])
    case 5: return rows("projection_seed", seed, [[.null] + row.dropFirst()])
    case 6: return rows("projection_seed", seed, [[.text("b"), .text("7"), row[2], row[3]]])
    case 7: return rows("projection_seed", ["revision"], [[.integer(1)]])
    case 8: return rows("projection_seed", seed, [[row[0], .real(7.5), row[2], row[3]]])
    case 9:
      let columns = ["id", "name", "sort_order", "is_system", "created_at"]
      return rows(
        dimension().table, columns,
        [
          [.integer(90), .text("Same"), .null, .integer(1), row[3]],
          [.integer(91), .text("Same"), .null, .integer(1), row[3]],
        ])
    case 10: return rows("projection_kind", ["kind", "visible"], [[.text("sfx"), .integer(5)]])
    case 11: return rows("item_mood", ["item_id", "mood_id"], [[.id(item()), .integer(1)]])
    case 12:
      return rows(
        "projection_tagging", ["item_number", "source_id", "tags"],
        [[.integer(1), .integer(1), .text(random.pick(["", "mood=", "mood=x", "other=1"]))]])
    case 13:
      return rows(
        "projection_item", ["number", "item_id", "source_id", "kind", "is_visible"],
        [[.integer(.max), .id(item()), .integer(1), .text("sfx"), .integer(1)]])
    case 14:
      return rows(
        "library_item", ["id", "kind", "title", "is_visible", "created_at", "updated_at"],
        [[.id(item()), .text("speech"), .text("x"), .integer(1), row[3], row[3]]])
    case 15:
      return rows(
        "pack_state", ["pack_id", "state", "updated_at"], [[.id(pack()), .text("lost"), row[3]]])
    case 16:
      return rows("projection_seed", ["seed_id", "lost"], [], key: ["seed_id", "seed_id"])
    case 17: return rows("projection_seed", seed, [row])
    case 18: return rows("projection_seed", [], [], key: ["seed_id"], gone: [[row[0]]])
    default:
      return .operation(
        RevertedOperation(
          operation: item(), first: number(), last: number(), documents: [name()],
          reason: random.pick([nil, "no", String(repeating: "x", count: 5_000)])))
    }
  }

  private mutating func refreshed() -> SoundEvent {
    let state: PlaylistMetadataRefreshed.State =
      flag()
      ? .gone(reason: "404")
      : .available(
        PlaylistMetadata(
          title: title(), curator: nil, description: nil, artworkURL: nil, url: nil,
          modifiedAt: nil,
          isPlayable: flag()))
    return .playlistMetadataRefreshed(
      PlaylistMetadataRefreshed(
        item: item(), playlistID: playlist(), storefront: "us", state: state))
  }

  private mutating func snapshotted() -> SoundEvent {
    let ids = (0..<random.below(4)).map { _ in track() }
    var runs: [ListRun<String>] = ids.isEmpty ? [] : [.new(ids)]
    var count = Int64(ids.count)
    // Twice the same place of the list before, as often as it goes.
    if random.below(3) == 0 {
      runs.append(.kept(from: 0, count: 1))
      runs.append(.kept(from: 0, count: 1))
      count += 2
    }
    if random.below(10) == 0 { count = number() }
    return .playlistTracksSnapshotted(
      PlaylistTracksSnapshotted(
        item: item(), playlistID: playlist(), storefront: "us",
        base: flag() ? nil : UInt64(random.below(Int(sequence) + 2)), count: count, runs: runs,
        tracks: (0..<random.below(4)).map { _ in
          PlaylistTracksSnapshotted.Track(
            id: track(), type: "songs", title: title(), artist: "", album: nil, duration: nil,
            artworkURL: nil)
        }))
  }

  private mutating func download() -> SoundEvent {
    switch random.below(7) {
    case 0:
      .packDownloadStarted(
        PackDownloadStarted(
          pack: pack(), version: number(), bytesTotal: number(), bytesDownloaded: number()))
    case 1:
      .packDownloadProgressed(PackDownloadProgressed(pack: pack(), bytesDownloaded: number()))
    case 2, 3:
      .packDownloadCompleted(
        PackDownloadCompleted(
          pack: pack(), version: number(), bytesTotal: number(),
          assets: (0..<random.below(3)).map { _ in
            PackDownloadCompleted.Asset(
              asset: asset(), item: item(), url: "https://example.com/a",
              path: random.pick(["AudioAssets/a", "../a", "/etc/passwd", "a//b", "a/./b", "a"]),
              etag: nil, sha256: "00", bytes: number(), codec: "aac", sampleRate: nil, channels: 2,
              isLoopable: flag())
          }))
    case 4:
      .packDownloadFailed(PackDownloadFailed(pack: pack(), error: "no", isResumable: flag()))
    case 5: .packDownloadInterrupted(PackDownloadInterrupted(pack: pack(), error: "no"))
    default:
      flag()
        ? .packDownloadCancelled(PackReference(pack: pack()))
        : .packDeleted(PackReference(pack: pack()))
    }
  }
}
