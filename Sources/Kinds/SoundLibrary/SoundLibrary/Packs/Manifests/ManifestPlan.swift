import CatalogModel
import CatalogStore
import Projections

import struct Foundation.UUID

/// Finds the events that turn what the catalog says of a pack into what a manifest says.
struct ManifestPlan {
  private typealias Tables = SoundLibrarySchema

  private let manifest: LoadedManifest
  private let rows: ProvedRows
  private let before: AssetsBefore
  private var vocabulary: VocabularyPlan
  private(set) var events: [SoundEvent] = []
  /// How the assets differ from those of the manifest that was applied before; nil if those are not known.
  private(set) var changes: ManifestApplied.Changes? = ManifestApplied.Changes()
  /// The version of the manifest that was applied before; nil if none was.
  private(set) var versionBefore: Int64?

  /// - Parameters:
  ///   - rows: the projection at the log's head.
  ///   - before: the assets of the manifest that was applied before.
  init(_ manifest: LoadedManifest, rows: ProvedRows, before: AssetsBefore = .nothing) {
    self.manifest = manifest
    self.rows = rows
    self.before = before
    vocabulary = VocabularyPlan(rows)
  }

  /// The source of the tags of single assets, and what the events are by.
  static func source(of pack: EntityID) -> String { "manifest:\(pack)" }

  /// - Throws: `DocumentError` if the manifest contradicts the catalog.
  mutating func run() throws {
    let document = manifest.document
    let known = try rows.row(of: AppliedManifest.table, key: document.packID)
    versionBefore = known?.version
    // Earlier releases took versions that no later one can follow: any version follows such a one.
    if let known, known.version <= NumberRules.greatest {
      guard document.version >= known.version else {
        throw refusal(
          "$.version", String(document.version),
          "is older than version \(known.version) of this pack's manifest, which was applied",
          "versions must increase")
      }
      if document.version == known.version {
        guard known.sha256 == manifest.hash else {
          throw refusal(
            "$.version", String(document.version),
            "is a version that was applied with different content",
            NumberRules.adviceToGrow(beyond: known.version))
        }
        return
      }
    }
    if let reverted = try rows.reverted(document: manifest.hash, in: Tables.reverted) {
      throw refusal(
        "$.version", String(document.version), "\(reverted)",
        "a newer version can be applied; `revert \(reverted.revertedBy)` brings this one back")
    }
    let members = try check()
    changes = try changes(since: known)

    let tags = try named(document.tags)
    var wanted: [EntityID: TagSet] = [:]
    for asset in document.assets where !asset.tags.isEmpty {
      wanted[asset.itemID] = try named(asset.tags)
    }
    events.append(
      .manifestApplied(
        ManifestApplied(
          pack: document.packID, version: document.version, sha256: manifest.hash,
          totalBytes: document.totalBytes, assets: Int64(document.assets.count), tags: tags,
          listed: document.assets.map(\.listed), changes: changes)))
    for item in members { try planTags(of: item, wanted[item] ?? TagSet()) }
  }

  /// Assets that came, went and changed, with the titles of the items.
  func titled(_ changes: ManifestApplied.Changes) throws -> ManifestReport.Changes {
    let items = Dictionary(
      manifest.document.assets.map { ($0.assetID, $0.itemID) }, uniquingKeysWith: { $1 })
    func titled(_ asset: EntityID, _ item: EntityID?) throws -> ManifestReport.Asset? {
      guard let item else { return nil }
      let title = try rows.row(of: LibraryItem.table, key: item)?.title
      return ManifestReport.Asset(id: UUID(asset), itemID: UUID(item), title: title ?? "")
    }
    return ManifestReport.Changes(
      came: try changes.came.compactMap { try titled($0, items[$0]) },
      went: try changes.went.compactMap { try titled($0.asset, $0.item) },
      changed: try changes.changed.compactMap { try titled($0, items[$0]) })
  }

  private func changes(since known: AppliedManifest?) throws -> ManifestApplied.Changes? {
    let assets = manifest.document.assets
    if before.hash == known?.sha256, let old = before.assets {
      return ManifestApplied.Changes(assets, since: old.mapValues(\.item)) { asset in
        old[asset.assetID]?.content == asset.listed.content
      }
    }
    // An event of an earlier release has no list. The files of a version that was downloaded are those of its manifest.
    guard let known, let pack = try PackWithFiles(known.packID, in: rows),
      pack.installedVersion == known.version, Int64(pack.assets.count) == known.assets,
      pack.assets.reduce(0, { $0 + ($1.bytes ?? 0) }) == known.totalBytes
    else { return nil }
    var files: [EntityID: (file: LocalAsset, audio: ItemAudio)] = [:]
    for file in pack.assets {
      // Another pack that has the item may have been downloaded later.
      guard let audio = try rows.rows(of: ItemAudio.table, where: \.assetID, is: file.id).first
      else { return nil }
      files[file.id] = (file, audio)
    }
    return ManifestApplied.Changes(assets, since: files.mapValues(\.audio.itemID)) { asset in
      files[asset.assetID].map { asset.isSame($0.file, $0.audio) } ?? false
    }
  }

  /// - Returns: the pack's items, in their order.
  /// - Throws: `DocumentError` with all faults if the manifest names others, or assets of another pack.
  func check() throws -> [EntityID] {
    let ordered = try rows.members(ofPack: manifest.document.packID)
    let members = Set(ordered)
    var conflicts = DocumentConflicts()
    for (index, asset) in manifest.document.assets.enumerated() {
      if !members.contains(asset.itemID) {
        conflicts.note(
          refusal(
            "$.assets[\(index)].itemId", asset.itemID.description, "is not an item of this pack",
            "import a seed that lists it in the pack first"))
      }
      if let known = try rows.row(of: LocalAsset.table, key: asset.assetID),
        known.packID != manifest.document.packID
      {
        conflicts.note(
          refusal(
            "$.assets[\(index)].assetId", asset.assetID.description,
            "is an asset of another pack", "give the new asset an id of its own"))
      }
    }
    try conflicts.check()
    return ordered
  }

  /// A tag set with values called by their names; those that are new are added.
  private mutating func named(_ set: TagSet) throws -> TagSet {
    var tags = TagSet()
    for dimension in TagDimension.all {
      tags[dimension] = try set[dimension].map { name in
        if let value = try vocabulary.value(meaning: name, in: dimension) { return value.name }
        events.append(
          .dimensionValueAdded(try vocabulary.add(name, to: dimension, sortOrder: nil)))
        return name
      }
    }
    return tags
  }

  private mutating func planTags(of item: EntityID, _ wanted: TagSet) throws {
    let source = Self.source(of: manifest.document.packID)
    let known = try rows.tags(of: item, from: rows.sourceID(named: source))
    var values: Set<ItemTag> = []
    try wanted.forEachValue { dimension, name in
      if let value = try vocabulary.value(meaning: name, in: dimension) {
        values.insert(ItemTag(dimension: dimension, value: value.id))
      }
    }
    if values != known {
      events.append(.itemTagsSet(ItemTagsSet(item: item, source: source, tags: wanted)))
    }
  }

  private func refusal(
    _ path: String, _ value: String, _ message: String, _ advice: String
  ) -> DocumentError {
    DocumentError(
      code: .conflict, file: manifest.name, path: path, value: value, message: message,
      advice: advice)
  }
}

extension ManifestApplied.Changes {
  fileprivate init() {
    self.init(came: [], went: [], changed: [])
  }

  /// - Parameters:
  ///   - old: the items of the assets before.
  ///   - isSame: whether an asset is what it was before.
  fileprivate init(
    _ assets: [ManifestDocument.Asset], since old: [EntityID: EntityID],
    isSame: (ManifestDocument.Asset) -> Bool
  ) {
    self.init()
    var gone = old
    for asset in assets {
      if gone.removeValue(forKey: asset.assetID) == nil {
        came.append(asset.assetID)
      } else if !isSame(asset) {
        changed.append(asset.assetID)
      }
    }
    went = gone.sorted { $0.key < $1.key }.map { Gone(asset: $0.key, item: $0.value) }
  }
}
