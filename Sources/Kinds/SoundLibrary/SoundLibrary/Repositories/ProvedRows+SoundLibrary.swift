import CatalogModel
import CatalogStore
import Projections

/// Questions that more than one plan of a change asks.
extension ProvedRows {
  private typealias Tables = SoundLibrarySchema

  /// The number by which rows speak of an item; nil if there is no such item.
  func number(of item: EntityID) throws -> Value? {
    try rows(by: Tables.itemByID, equal: [.id(item)]).first?[0]
  }

  /// The id of a source; nil if nothing has come from it.
  func sourceID(named name: String) throws -> Value? {
    try rows(by: Tables.sourceByName, equal: [.text(name)]).first?[0]
  }

  /// The values that a source gives an item.
  func tags(of item: EntityID, from source: Value?) throws -> Set<ItemTag> {
    guard let source, let number = try number(of: item),
      let row = try row(in: Tables.tagging, key: [number, source])
    else { return [] }
    return Set(try TagList.tags(of: row))
  }

  /// The items of a pack, in their order.
  func members(ofPack pack: EntityID) throws -> [EntityID] {
    try rows(of: PackMember.table, where: \.packID, is: pack)
      .sorted { $0.sortOrder < $1.sortOrder }
      .map(\.itemID)
  }
}
