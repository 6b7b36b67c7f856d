import CatalogModel
import Projections
import Support

/// What has become of packs here.
extension SoundLibraryProjector {
  func started(
    _ event: PackDownloadStarted, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row[1] = PackState.downloading.value
      row[2] = .integer(event.bytesTotal)
      row[3] = .integer(event.bytesDownloaded)
      row[5] = .null
    }
  }

  func progressed(
    _ event: PackDownloadProgressed, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try requireDownloading(event.pack, store)
    try changeState(of: event.pack, at: record.at, store) { row in
      row[3] = .integer(event.bytesDownloaded)
    }
  }

  func completed(
    _ event: PackDownloadCompleted, _ record: EventRecord, _ store: some RowStore
  ) throws {
    let state = try store.row(in: Tables.packState, key: [.id(event.pack)])?[1]
    if state == PackState.downloaded.value, try hasInstalled(event, store) {
      return
    }
    try requireDownloading(event.pack, store)
    try checkAssets(of: event, store)
    try changeState(of: event.pack, at: record.at, store) { row in
      row[1] = PackState.downloaded.value
      row[2] = .integer(event.bytesTotal)
      row[3] = .integer(event.bytesTotal)
      row[4] = .integer(event.version)
      row[5] = .null
    }
    try removeAudio(of: event.pack, store)
    var gone: [EntityID: [Value]] = [:]
    for row in try store.rows(by: Tables.localAssetsByPack, equal: [.id(event.pack)]) {
      if case .id(let id) = row[0] { gone[id] = row }
    }
    for asset in event.assets {
      let old = gone.removeValue(forKey: asset.asset)
      try store.put(
        [
          .id(asset.asset), .id(event.pack), .text(asset.url), .text(asset.path),
          .text(asset.etag), .text(asset.sha256), .integer(asset.bytes),
          old?[7] ?? .time(record.at),
        ], in: Tables.localAsset)
      try store.put(
        [
          .id(asset.item), .id(asset.asset), .text(asset.codec), .integer(asset.sampleRate),
          .integer(asset.channels), .flag(asset.isLoopable),
        ], in: Tables.itemLocalAudio)
    }
    for id in gone.keys { try store.remove(key: [.id(id)], from: Tables.localAsset) }
  }

  /// - Throws: `ProjectionError` with `contradiction` if an asset cannot be this pack's.
  private func checkAssets(of event: PackDownloadCompleted, _ store: some RowStore) throws {
    var named: Set<EntityID> = []
    var items: Set<EntityID> = []
    for asset in event.assets {
      guard try store.row(in: Tables.packItem, key: [.id(event.pack), .id(asset.item)]) != nil
      else {
        throw ProjectionError(
          .contradiction, "item \(asset.item) is not in pack \(event.pack)")
      }
      guard named.insert(asset.asset).inserted else {
        throw ProjectionError(.contradiction, "asset \(asset.asset) is named twice")
      }
      guard items.insert(asset.item).inserted else {
        throw ProjectionError(.contradiction, "two assets are of item \(asset.item)")
      }
      let owner = try store.value(1, in: Tables.localAsset, key: [.id(asset.asset)])
      guard owner == nil || owner == .id(event.pack) else {
        throw ProjectionError(.contradiction, "asset \(asset.asset) belongs to another pack")
      }
    }
  }

  func failed(
    _ event: PackDownloadFailed, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try fail(event.pack, event.error, isResumable: event.isResumable, record, store)
  }

  func interrupted(
    _ event: PackDownloadInterrupted, _ record: EventRecord, _ store: some RowStore
  ) throws {
    if try store.row(in: Tables.packState, key: [.id(event.pack)])?[5]
      != .text(Self.message(event.error, isResumable: true))
    {
      try requireDownloading(event.pack, store)
    }
    try fail(event.pack, event.error, isResumable: true, record, store)
  }

  func cancelled(
    _ event: PackReference, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row[1] = (row[4] == .null ? PackState.notDownloaded : .downloaded).value
      row[2] = .null
      row[3] = .null
      row[5] = .null
    }
  }

  func deleted(
    _ event: PackReference, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try changeState(of: event.pack, at: record.at, store) { row in
      row[1] = PackState.notDownloaded.value
      for column in 2...5 { row[column] = .null }
    }
    try removeAudio(of: event.pack, store)
    for row in try store.rows(by: Tables.localAssetsByPack, equal: [.id(event.pack)]) {
      try store.remove(key: [row[0]], from: Tables.localAsset)
    }
  }

  // MARK: Rows

  private func fail(
    _ pack: EntityID, _ error: String, isResumable: Bool, _ record: EventRecord,
    _ store: some RowStore
  ) throws {
    try changeState(of: pack, at: record.at, store) { row in
      row[1] = PackState.failed.value
      row[5] = .text(Self.message(error, isResumable: isResumable))
    }
  }

  private static func message(_ error: String, isResumable: Bool) -> String {
    isResumable ? error + "; it can be resumed" : error
  }

  /// Changes the row of a pack's state, and its time where anything else changed.
  private func changeState(
    of pack: EntityID, at time: Timestamp, _ store: some RowStore,
    _ change: (inout [Value]) -> Void
  ) throws {
    guard let old = try store.row(in: Tables.packState, key: [.id(pack)]) else {
      throw ProjectionError(.contradiction, "there is no pack \(pack)")
    }
    var row = old
    change(&row)
    guard row != old else { return }
    row[6] = .time(time)
    try store.put(row, in: Tables.packState)
  }

  private func requireDownloading(_ pack: EntityID, _ store: some RowStore) throws {
    let state = try store.row(in: Tables.packState, key: [.id(pack)])?[1]
    guard state == PackState.downloading.value else {
      throw ProjectionError(.contradiction, "pack \(pack) is not being downloaded")
    }
  }

  /// Whether the event was applied just before.
  private func hasInstalled(
    _ event: PackDownloadCompleted, _ store: some RowStore
  ) throws -> Bool {
    let state = try store.row(in: Tables.packState, key: [.id(event.pack)])
    guard state?[4] == .integer(event.version) else { return false }
    let assets = try store.rows(by: Tables.localAssetsByPack, equal: [.id(event.pack)])
    return Set(assets.map { $0[0] }) == Set(event.assets.map { .id($0.asset) })
  }

  private func removeAudio(of pack: EntityID, _ store: some RowStore) throws {
    for asset in try store.rows(by: Tables.localAssetsByPack, equal: [.id(pack)]) {
      for audio in try store.rows(by: Tables.audioByAsset, equal: [asset[0]]) {
        try store.remove(key: [audio[0]], from: Tables.itemLocalAudio)
      }
    }
  }
}

extension PackState {
  /// The text that rows of `pack_state` have for it.
  var value: Value { .text(rawValue) }
}
