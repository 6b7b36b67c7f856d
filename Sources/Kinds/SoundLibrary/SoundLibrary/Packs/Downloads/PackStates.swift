import CatalogModel
import EventLog
import Projections
import Support

/// Appends what becomes of one pack.
struct PackStates: Sendable {
  static let by = "download"
  /// How long the end of a download waits for another writer, an import perhaps: its work is done. All else does if the
  /// caller does not say.
  static let patience = Duration.seconds(60)

  private let library: SoundLibrary
  let pack: EntityID
  /// How long a change of state waits for another writer.
  private let wait: Duration

  init(_ library: SoundLibrary, _ pack: EntityID, wait: Duration = patience) {
    self.library = library
    self.pack = pack
    self.wait = wait
  }

  /// What the database says of the pack.
  ///
  /// - Throws: `CatalogError` with `notFound`; `StoreError` with `drifted`.
  func read() throws -> PackWithFiles { try library.readProved(rows) }

  /// What the log's head says of it: what is about to be moved or removed. The database may be behind the log, and
  /// then know nothing of an installation that was committed.
  ///
  /// - Throws: as `read`; `EventLogError` with `locked` where somebody writes for longer.
  func readAtHead(wait: Duration? = nil) throws -> PackWithFiles {
    try library.readAtHead(wait: wait ?? self.wait, rows)
  }

  private func rows(in store: ProvedRows) throws -> PackWithFiles {
    guard let rows = try PackWithFiles(pack, in: store) else {
      throw CatalogError(.notFound, "there is no pack \(pack); \(do: .listPacks) lists them")
    }
    return rows
  }

  /// Appends an event where `isWanted` says so of the rows at the log's head, in the same step.
  ///
  /// - Returns: whether it was.
  @discardableResult
  func append(
    _ event: SoundEvent, wait: Duration? = nil,
    where isWanted: (PackWithFiles) throws -> Bool
  ) throws -> Bool {
    let report = try library.change(by: Self.by, wait: wait ?? self.wait) { store in
      guard let rows = try PackWithFiles(pack, in: store), try isWanted(rows) else { return [] }
      return [event]
    }
    return report.events > 0
  }

  /// Appends the commit of an installation, where the pack is still being downloaded and the catalog
  /// still says what the manifest was checked against.
  ///
  /// - Returns: false where somebody cancelled the download or deleted the pack.
  func complete(_ event: PackDownloadCompleted) throws -> Bool {
    let report = try library.change(by: Self.by, wait: Self.patience) { store in
      guard try PackWithFiles(pack, in: store)?.state == .downloading else { return [] }
      for asset in event.assets {
        guard try store.row(of: PackMember.table, key: event.pack, asset.item) != nil else {
          throw CatalogError(
            .changeRefused, "item \(asset.item) is no longer an item of pack \(event.pack)")
        }
        if let known = try store.row(of: LocalAsset.table, key: asset.asset),
          known.packID != event.pack
        {
          throw CatalogError(.changeRefused, "asset \(asset.asset) belongs to another pack now")
        }
      }
      return [.packDownloadCompleted(event)]
    }
    return report.events > 0
  }
}
