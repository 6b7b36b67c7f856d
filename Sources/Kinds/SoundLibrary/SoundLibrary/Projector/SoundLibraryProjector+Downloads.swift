import CatalogModel
import Projections
import Support

/// What has become of packs here.
extension SoundLibraryProjector {
  func started(
    _ event: PackDownloadStarted, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row.state = .downloading
      row.bytesTotal = event.bytesTotal
      row.bytesDownloaded = event.bytesDownloaded
      row.lastError = nil
    }
  }

  func progressed(
    _ event: PackDownloadProgressed, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try requireDownloading(event.pack, store)
    try changeState(of: event.pack, at: record.at, store) { row in
      row.bytesDownloaded = event.bytesDownloaded
    }
  }

  func completed(
    _ event: PackDownloadCompleted, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    if try hasInstalled(event, store) { return }
    try requireDownloading(event.pack, store)
    try checkAssets(of: event, store)
    try changeState(of: event.pack, at: record.at, store) { row in
      row.state = .downloaded
      row.bytesTotal = event.bytesTotal
      row.bytesDownloaded = event.bytesTotal
      row.installedVersion = event.version
      row.lastError = nil
    }
    try removeAudio(of: event.pack, store)
    var gone: [EntityID: LocalAsset] = [:]
    for asset in try assets(of: event.pack, store) { gone[asset.id] = asset }
    for asset in event.assets {
      let old = gone.removeValue(forKey: asset.asset)
      try store.put(
        LocalAsset(
          id: asset.asset, packID: event.pack, address: asset.url, path: asset.path,
          etag: asset.etag, sha256: asset.sha256, bytes: asset.bytes,
          createdAt: old?.createdAt ?? record.at),
        in: LocalAsset.table)
      try store.put(
        ItemAudio(
          itemID: asset.item, assetID: asset.asset, codec: asset.codec,
          sampleRate: asset.sampleRate, channels: asset.channels, isLoopable: asset.isLoopable),
        in: ItemAudio.table)
    }
    for id in gone.keys { try store.remove(of: LocalAsset.table, key: id) }
  }

  /// - Throws: `ProjectionError` with `contradiction` if an asset cannot be this pack's.
  private func checkAssets(of event: PackDownloadCompleted, _ store: some RowStore) throws {
    var named: Set<EntityID> = []
    var items: Set<EntityID> = []
    for asset in event.assets {
      guard try store.row(of: PackMember.table, key: event.pack, asset.item) != nil else {
        throw ProjectionError(
          .contradiction, "item \(asset.item) is not in pack \(event.pack)")
      }
      guard named.insert(asset.asset).inserted else {
        throw ProjectionError(.contradiction, "asset \(asset.asset) is named twice")
      }
      guard items.insert(asset.item).inserted else {
        throw ProjectionError(.contradiction, "two assets are of item \(asset.item)")
      }
      let owner = try store.row(of: LocalAsset.table, key: asset.asset)?.packID
      guard owner == nil || owner == event.pack else {
        throw ProjectionError(.contradiction, "asset \(asset.asset) belongs to another pack")
      }
    }
  }

  func failed(
    _ event: PackDownloadFailed, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try fail(event.pack, event.error, isResumable: event.isResumable, record, store)
  }

  func interrupted(
    _ event: PackDownloadInterrupted, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    if try store.row(of: PackStateRow.table, key: event.pack)?.lastError
      != Self.message(event.error, isResumable: true)
    {
      try requireDownloading(event.pack, store)
    }
    try fail(event.pack, event.error, isResumable: true, record, store)
  }

  func cancelled(
    _ event: PackReference, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row.state = row.installedVersion == nil ? .notDownloaded : .downloaded
      row.bytesTotal = nil
      row.bytesDownloaded = nil
      row.lastError = nil
    }
  }

  func deleted(
    _ event: PackReference, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row = PackStateRow(packID: row.packID, updatedAt: row.updatedAt)
    }
    try removeAudio(of: event.pack, store)
    for asset in try assets(of: event.pack, store) {
      try store.remove(of: LocalAsset.table, key: asset.id)
    }
  }

  // MARK: Rows

  private func fail(
    _ pack: EntityID, _ error: String, isResumable: Bool, _ record: SoundEventRecord,
    _ store: some RowStore
  ) throws {
    try changeState(of: pack, at: record.at, store) { row in
      row.state = .failed
      row.lastError = Self.message(error, isResumable: isResumable)
    }
  }

  private static func message(_ error: String, isResumable: Bool) -> String {
    isResumable ? error + "; it can be resumed" : error
  }

  /// Changes the row of a pack's state, and its time where anything else changed.
  private func changeState(
    of pack: EntityID, at time: Timestamp, _ store: some RowStore,
    _ change: (inout PackStateRow) -> Void
  ) throws {
    guard let old = try store.row(of: PackStateRow.table, key: pack) else {
      throw ProjectionError(.contradiction, "there is no pack \(pack)")
    }
    var row = old
    change(&row)
    guard row != old else { return }
    row.updatedAt = time
    try store.put(row, in: PackStateRow.table)
  }

  private func requireDownloading(_ pack: EntityID, _ store: some RowStore) throws {
    guard try store.row(of: PackStateRow.table, key: pack)?.state == .downloading else {
      throw ProjectionError(.contradiction, "pack \(pack) is not being downloaded")
    }
  }

  /// Whether the event was applied just before.
  private func hasInstalled(
    _ event: PackDownloadCompleted, _ store: some RowStore
  ) throws -> Bool {
    guard let state = try store.row(of: PackStateRow.table, key: event.pack),
      state.state == .downloaded, state.installedVersion == event.version
    else { return false }
    return try Set(assets(of: event.pack, store).map(\.id)) == Set(event.assets.map(\.asset))
  }

  private func assets(of pack: EntityID, _ store: some RowStore) throws -> [LocalAsset] {
    try store.rows(of: LocalAsset.table, where: \.packID, is: pack)
  }

  private func removeAudio(of pack: EntityID, _ store: some RowStore) throws {
    for asset in try assets(of: pack, store) {
      for audio in try store.rows(of: ItemAudio.table, where: \.assetID, is: asset.id) {
        try store.remove(of: ItemAudio.table, key: audio.itemID)
      }
    }
  }
}
