import CatalogModel
package import Support

/// What somebody can do about errors that only a sound library knows. The actions are named as its commands are.
extension Recovery {
  /// Find the item by its words.
  static let searchItems = Recovery.ofKind(KindRecovery("search WORDS"))

  /// Look at the item and its tags.
  static func showItem(_ item: EntityID) -> Recovery {
    .ofKind(KindRecovery("item", [item.description]))
  }

  /// List the names that a dimension has.
  static func listNames(of dimension: TagDimension) -> Recovery {
    .ofKind(KindRecovery("tag list", [dimension.key]))
  }

  /// Take a tag away from an item that a source gives it.
  static let suppressTag = Recovery.ofKind(KindRecovery("tag suppress"))

  /// Make one of two names: items that have the one have the other from then on.
  package static func merge(
    _ name: String, into kept: String, in dimension: TagDimension
  ) -> Recovery {
    .ofKind(KindRecovery("tag merge \(dimension.key)", [name, kept]))
  }

  static let listPacks = Recovery.ofKind(KindRecovery("packs"))

  /// Look at the files of packs, and download what is missing.
  static func repair(pack: EntityID) -> Recovery {
    .ofKind(KindRecovery("repair", [pack.description]))
  }
}
