package import CatalogModel

/// A seed document of format 1, checked as far as it can be without a catalog.
///
/// Names of tag values are folded and NFC, titles NFC; every rule that needs no catalog holds (unique
/// ids, dimensions that the kind has, durations at or above zero …).
package struct SeedDocument: Sendable {
  package struct Item: Sendable {
    package var id: EntityID
    package var title: String
    package var subtitle: String?
    package var duration: Double?
    package var artworkURL: String?
    package var isVisible: Bool
    package var tags: TagSet
    /// JSON path of the item in the document, for errors that only a catalog can raise.
    package var place: DocumentPlace
  }

  package struct Music: Sendable {
    package var item: Item
    package var playlistID: String
    package var useSnapshot: Bool
  }

  package struct Pack: Sendable {
    package var id: EntityID
    package var kind: PackKind
    package var title: String
    package var description: String?
    package var artworkURL: String?
    package var version: Int64
    package var manifestURL: String
    package var items: [Item]
    package var place: DocumentPlace
  }

  package var seedID: String
  package var revision: Int64
  /// Where `revision` stands, for the error about a revision that is too low.
  package var revisionPlace: DocumentPlace
  /// The listed vocabulary of each dimension, in the document's order; indexed by ordinal.
  package var vocabularies: [[String]]
  package var music: [Music]
  package var packs: [Pack]
}

/// Where in a document something stands, kept small: an item keeps one for errors found later.
package enum DocumentPlace: Hashable, Sendable, CustomStringConvertible {
  case root(String)
  case music(Int)
  case pack(Int)
  case packItem(pack: Int, item: Int)

  package var description: String {
    switch self {
    case .root(let key): "$.\(key)"
    case .music(let index): "$.music[\(index)]"
    case .pack(let index): "$.packs[\(index)]"
    case .packItem(let pack, let item): "$.packs[\(pack)].items[\(item)]"
    }
  }
}
