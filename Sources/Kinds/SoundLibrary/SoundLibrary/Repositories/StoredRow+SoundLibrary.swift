import CatalogStore

extension StoredRow {
  /// The dimension whose table a text names.
  func dimension(_ place: Int) throws -> TagDimension {
    let table = try text(place)
    guard let dimension = TagDimension.all.first(where: { $0.table == table }) else {
      throw drift(place, "one of " + TagDimension.all.map(\.table).joined(separator: ", "))
    }
    return dimension
  }

  /// The values that one source gives.
  func tags(_ place: Int) throws -> [ItemTag] {
    guard let tags = TagList.tags(in: try text(place)) else {
      throw drift(place, "a list of tags, as location=3,7 mood=2")
    }
    return tags
  }

  /// Where an installed file stands. An app opens it: one that leads out of the catalog's folder is refused.
  func optionalInstalledPath(_ place: Int) throws -> String? {
    guard let path = try optionalText(place) else { return nil }
    guard InstalledPath.isWithinCatalog(path) else {
      throw drift(place, "a path within the catalog's folder")
    }
    return path
  }
}
