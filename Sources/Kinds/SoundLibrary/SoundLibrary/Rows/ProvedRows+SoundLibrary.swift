import CatalogModel
import CatalogStore
import Projections

/// Questions that more than one plan of a change asks.
extension ProvedRows {
  /// The number that rows have for an item; nil if the item does not exist.
  func number(of item: EntityID) throws -> Int64? {
    try value(ItemColumn.number, by: NumberedItem.byItem, equal: [.id(item)])
      .flatMap { Int64(columnValue: $0) }
  }

  /// The id of a source; nil if nothing has come from it.
  func sourceID(named name: String) throws -> Int64? {
    try rows(of: NamedSource.table, where: \.name, is: name).first?.id
  }

  /// The values that a source gives an item.
  func tags(of item: EntityID, from source: Int64?) throws -> Set<ItemTag> {
    guard let source, let number = try number(of: item),
      let row = try row(in: SoundLibrarySchema.tagging, key: [.integer(number), .integer(source)])
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
