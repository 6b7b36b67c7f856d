import CatalogModel

/// A seed document of format 1, checked as far as it can be without a catalog.
///
/// Names of tag values are folded and NFC, titles NFC; every rule that needs no catalog holds (unique
/// ids, dimensions that the kind has, durations at or above zero …).
struct SeedDocument: Sendable {
  struct Item: Sendable {
    var id: EntityID
    var title: String
    var subtitle: String?
    var duration: Double?
    var artworkURL: String?
    var isVisible: Bool
    var tags: TagSet
    /// JSON path of the item in the document, for errors that only a catalog can raise.
    var place: DocumentPlace
  }

  struct Music: Sendable {
    var item: Item
    var playlistID: String
    var useSnapshot: Bool
  }

  struct Pack: Sendable {
    var id: EntityID
    var kind: PackKind
    var title: String
    var description: String?
    var artworkURL: String?
    var version: Int64
    var manifestURL: String
    var items: [Item]
    var place: DocumentPlace
  }

  var seedID: String
  var revision: Int64
  /// Where `revision` stands, for the error about a revision that is too low.
  var revisionPlace: DocumentPlace
  /// The listed vocabulary of each dimension, in the document's order; indexed by ordinal.
  var vocabularies: [[String]]
  var music: [Music]
  var packs: [Pack]
}

/// Where in a document something stands, kept small: an item keeps one for errors found later.
enum DocumentPlace: Hashable, Sendable, CustomStringConvertible {
  case root(String)
  case music(Int)
  case pack(Int)
  case packItem(pack: Int, item: Int)

  var description: String {
    switch self {
    case .root(let key): "$.\(key)"
    case .music(let index): "$.music[\(index)]"
    case .pack(let index): "$.packs[\(index)]"
    case .packItem(let pack, let item): "$.packs[\(pack)].items[\(item)]"
    }
  }
}
