package import CatalogModel
import CatalogTestSupport
package import SoundLibrary

/// What a history of events says, in plain dictionaries: knows `docs/EVENTS.md` and nothing of
/// projectors, tables or SQL.
package struct LibraryModel {
  package struct Tag: Hashable {
    package let dimension: TagDimension
    package let id: Int64

    package init(dimension: TagDimension, id: Int64) {
      self.dimension = dimension
      self.id = id
    }
  }

  package private(set) var items: [EntityID: ItemUpserted] = [:]
  package private(set) var born: [EntityID: Timestamp] = [:]
  package private(set) var updated: [EntityID: Timestamp] = [:]
  package private(set) var hidden: Set<EntityID> = []
  package private(set) var values: [TagDimension: [Int64: DimensionValueAdded]] = [:]
  package private(set) var aliases: [TagDimension: [String: Int64]] = [:]
  package private(set) var given: [EntityID: [String: Set<Tag>]] = [:]
  package private(set) var suppressed: [EntityID: Set<Tag>] = [:]
  /// Values that were merged, and what stands for them.
  package private(set) var merged: [Tag: Int64] = [:]
  package private(set) var playlists: [EntityID: PlaylistLinked] = [:]
  package private(set) var synced: [EntityID: Timestamp] = [:]
  /// What Apple Music said of an item's playlist last, and what of one that it still had.
  package private(set) var refreshed: [EntityID: PlaylistMetadataRefreshed] = [:]
  package private(set) var metadata: [EntityID: PlaylistMetadata] = [:]
  /// Kept snapshots by item, with the newest last.
  package private(set) var snapshots: [EntityID: [Snapshot]] = [:]
  package private(set) var tracks: [String: PlaylistTracksSnapshotted.Track] = [:]
  package private(set) var seen: [String: Timestamp] = [:]
  package private(set) var packs: [EntityID: PackUpserted] = [:]
  package private(set) var members: [EntityID: [EntityID]] = [:]
  package private(set) var packTags: [EntityID: Set<Tag>] = [:]
  package private(set) var states: [EntityID: PackState] = [:]
  /// By pack, then by id.
  package private(set) var assets: [EntityID: [EntityID: PackDownloadCompleted.Asset]] = [:]
  /// By item: the newest asset that it was given and that is still there.
  package private(set) var audio: [EntityID: PackDownloadCompleted.Asset] = [:]

  package struct Snapshot: Equatable {
    package let at: Timestamp
    package let ids: [String]
  }

  /// What has become of a pack.
  package struct PackState: Equatable {
    package var state = "not_downloaded"
    package var total: Int64?
    package var downloaded: Int64?
    package var installed: Int64?
    package var error: String?
    package var changed: Timestamp
  }

  package init() {}

  package mutating func apply(_ record: SoundEventRecord) {
    switch record.event {
    case .catalogCreated, .seedImported: break
    case .dimensionValueAdded(let event): values[event.dimension, default: [:]][event.id] = event
    case .dimensionValueOrdered(let event):
      values[event.dimension]?[event.id]?.sortOrder = event.sortOrder
      values[event.dimension]?[event.id]?.isSystem = true
    case .dimensionValueRenamed(let event):
      values[event.dimension]?[event.id]?.name = event.newName
      aliases[event.dimension]?[event.newName] = nil
      aliases[event.dimension, default: [:]][event.name] = event.id
    case .dimensionValueMerged(let event): merge(event)
    case .dimensionValueAliased(let event):
      aliases[event.dimension, default: [:]][event.alias] = event.id
    case .itemUpserted(let event):
      if items[event.id] != event { updated[event.id] = record.at }
      if items[event.id] == nil { born[event.id] = record.at }
      items[event.id] = event
    case .itemVisibilityChanged(let event):
      if hidden.contains(event.id) == event.isVisible { updated[event.id] = record.at }
      if event.isVisible { hidden.remove(event.id) } else { hidden.insert(event.id) }
    case .itemTagsSet(let event):
      var tags: Set<Tag> = []
      event.tags.forEachValue { tags.insert(tag($0, $1)) }
      given[event.item, default: [:]][event.source] = tags
      if event.source != "person" {
        for tag in tags { values[tag.dimension]?[tag.id]?.isSystem = true }
      }
    case .itemTagSuppressed(let event):
      suppressed[event.item, default: []].insert(tag(event.dimension, event.name))
    case .itemTagUnsuppressed(let event):
      suppressed[event.item, default: []].remove(tag(event.dimension, event.name))
    case .playlistLinked(let event): link(event)
    case .playlistMetadataRefreshed(let event):
      synced[event.item] = record.at
      refreshed[event.item] = event
      metadata[event.item] = event.state.metadata ?? metadata[event.item]
    case .playlistTracksSnapshotted(let event): snapshot(event, at: record.at)
    case .packUpserted(var event):
      event.version = max(event.version, packs[event.id]?.version ?? 0)
      if packs[event.id] == nil { states[event.id] = PackState(changed: record.at) }
      packs[event.id] = event
    case .packItemsSet(let event):
      let old = members.updateValue(event.items, forKey: event.pack) ?? []
      for item in Set(old).union(event.items) { giveTags(ofPack: event.pack, to: item) }
    case .manifestApplied(let event):
      let version = max(event.version, packs[event.pack]?.version ?? 0)
      packs[event.pack]?.version = version
      var tags: Set<Tag> = []
      event.tags.forEachValue { tags.insert(tag($0, $1)) }
      for tag in tags { values[tag.dimension]?[tag.id]?.isSystem = true }
      packTags[event.pack] = tags
      for item in members[event.pack] ?? [] { giveTags(ofPack: event.pack, to: item) }
    default: applyDownload(record)
    }
  }

  private mutating func link(_ event: PlaylistLinked) {
    if playlists[event.item]?.playlistID != event.playlistID {
      synced[event.item] = nil
      refreshed[event.item] = nil
      metadata[event.item] = nil
      snapshots[event.item] = nil
    } else if !event.useSnapshot {
      snapshots[event.item] = snapshots[event.item]?.suffix(1)
    }
    playlists[event.item] = event
  }

  private mutating func snapshot(_ event: PlaylistTracksSnapshotted, at time: Timestamp) {
    var kept = snapshots[event.item] ?? []
    // Written out by hand: the difference is what is to be tested.
    var ids: [String] = []
    for run in event.runs {
      switch run {
      case .kept(let from, let count):
        for place in from..<from + count { ids.append(kept.last?.ids[Int(place)] ?? "") }
      case .new(let others): ids.append(contentsOf: others)
      }
    }
    if playlists[event.item]?.useSnapshot == true {
      kept.removeAll { $0.at == time }
    } else {
      kept = []
    }
    snapshots[event.item] = kept + [Snapshot(at: time, ids: ids)]
    synced[event.item] = time
    for track in event.tracks { tracks[track.id] = track }
    for id in ids { seen[id] = time }
  }

  private mutating func giveTags(ofPack pack: EntityID, to item: EntityID) {
    let isMember = members[pack]?.contains(item) == true
    given[item, default: [:]]["pack:\(pack)"] = isMember ? packTags[pack] ?? [] : []
  }

  private mutating func applyDownload(_ record: SoundEventRecord) {
    func change(_ pack: EntityID, _ body: (inout PackState) -> Void) {
      guard let old = states[pack] else { return }
      var new = old
      body(&new)
      if new != old { new.changed = record.at }
      states[pack] = new
    }
    switch record.event {
    case .packDownloadStarted(let event):
      change(event.pack) {
        $0.state = "downloading"
        $0.total = event.bytesTotal
        $0.downloaded = event.bytesDownloaded
        $0.error = nil
      }
    case .packDownloadProgressed(let event):
      change(event.pack) { $0.downloaded = event.bytesDownloaded }
    case .packDownloadCompleted(let event):
      change(event.pack) {
        $0 = PackState(
          state: "downloaded", total: event.bytesTotal, downloaded: event.bytesTotal,
          installed: event.version, error: nil, changed: $0.changed)
      }
      removeAudio(of: event.pack)
      assets[event.pack] = Dictionary(
        event.assets.map { ($0.asset, $0) }, uniquingKeysWith: { $1 })
      for asset in event.assets { audio[asset.item] = asset }
    case .packDownloadFailed(let event):
      change(event.pack) {
        $0.state = "failed"
        $0.error = event.error + (event.isResumable ? "; it can be resumed" : "")
      }
    case .packDownloadInterrupted(let event):
      change(event.pack) {
        $0.state = "failed"
        $0.error = event.error + "; it can be resumed"
      }
    case .packDownloadCancelled(let event):
      change(event.pack) {
        $0.state = $0.installed == nil ? "not_downloaded" : "downloaded"
        $0.total = nil
        $0.downloaded = nil
        $0.error = nil
      }
    case .packDeleted(let event):
      change(event.pack) { $0 = PackState(changed: $0.changed) }
      removeAudio(of: event.pack)
      assets[event.pack] = nil
    default: break
    }
  }

  private mutating func removeAudio(of pack: EntityID) {
    let old = assets[pack] ?? [:]
    audio = audio.filter { old[$0.value.asset] == nil }
  }

  private func tag(_ dimension: TagDimension, _ name: String) -> Tag {
    let named = values[dimension]?.first { $0.value.name == name }?.key
    return Tag(dimension: dimension, id: named ?? aliases[dimension]?[name] ?? -1)
  }

  package func shown(_ item: EntityID) -> Set<Tag> {
    (given[item] ?? [:]).values.reduce(into: Set()) { $0.formUnion($1) }
      .subtracting(suppressed[item] ?? [])
  }

  private mutating func merge(_ event: DimensionValueMerged) {
    let lost = Tag(dimension: event.dimension, id: event.id)
    let into = Tag(dimension: event.dimension, id: event.into)
    for item in items.keys {
      let showed = !shown(item).isDisjoint(with: [lost, into])
      let wasSuppressed = !(suppressed[item] ?? []).isDisjoint(with: [lost, into])
      for (source, tags) in given[item] ?? [:] where tags.contains(lost) {
        given[item]?[source] = tags.subtracting([lost]).union([into])
      }
      suppressed[item]?.subtract([lost, into])
      if wasSuppressed, !showed { suppressed[item, default: []].insert(into) }
    }
    for (tag, winner) in merged where tag.dimension == event.dimension && winner == event.id {
      merged[tag] = event.into
    }
    merged[lost] = event.into
    for (pack, tags) in packTags where tags.contains(lost) {
      packTags[pack] = tags.subtracting([lost]).union([into])
    }
    let old = values[event.dimension]?.removeValue(forKey: event.id)
    if old?.isSystem == true { values[event.dimension]?[event.into]?.isSystem = true }
    if values[event.dimension]?[event.into]?.sortOrder == nil {
      values[event.dimension]?[event.into]?.sortOrder = old?.sortOrder
    }
    for (name, id) in aliases[event.dimension] ?? [:] where id == event.id {
      aliases[event.dimension]?[name] = event.into
    }
    aliases[event.dimension, default: [:]][event.name] = event.into
  }
}
