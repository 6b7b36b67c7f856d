import CatalogModel
import CatalogStore
import Projections

/// Finds the events that turn what the catalog says of a pack into what a manifest says.
struct ManifestPlan {
  private typealias Tables = SoundLibrarySchema

  private let manifest: LoadedManifest
  private let rows: ProvedRows
  private var vocabulary: VocabularyPlan
  private(set) var events: [SoundEvent] = []

  /// - Parameter rows: the projection at the log's head.
  init(_ manifest: LoadedManifest, rows: ProvedRows) {
    self.manifest = manifest
    self.rows = rows
    vocabulary = VocabularyPlan(rows)
  }

  /// The source of the tags of single assets, and what the events are by.
  static func source(of pack: EntityID) -> String { "manifest:\(pack)" }

  /// - Throws: `DocumentError` if the manifest contradicts the catalog.
  mutating func run() throws {
    let document = manifest.document
    // Earlier releases took versions that no later one can follow: any version follows such a one.
    if let known = try rows.row(of: AppliedManifest.table, key: document.packID),
      known.version <= NumberRules.greatest
    {
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

    let tags = try named(document.tags)
    var wanted: [EntityID: TagSet] = [:]
    for asset in document.assets where !asset.tags.isEmpty {
      wanted[asset.itemID] = try named(asset.tags)
    }
    events.append(
      .manifestApplied(
        ManifestApplied(
          pack: document.packID, version: document.version, sha256: manifest.hash,
          totalBytes: document.totalBytes, assets: Int64(document.assets.count), tags: tags)))
    for item in members { try planTags(of: item, wanted[item] ?? TagSet()) }
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
