import Projections
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise("Each event of a sound library changes its rows as the page of the events says"))
struct ColumnPlacesTests {
  @Test func placesAreThoseOfTheTables() {
    func names(_ table: TableDescription, _ places: [Int]) -> [String] {
      places.map { table.columns[$0].name }
    }
    typealias Item = LibraryItemColumn
    #expect(
      names(LibraryItem.table.description, [Item.kind, Item.isVisible, Item.updatedAt])
        == ["kind", "is_visible", "updated_at"])
    #expect(
      names(LibraryItem.table.description, Array(Item.content))
        == ["title", "subtitle", "duration", "artwork_url"])
    #expect(
      names(
        NumberedItem.table.description,
        [ItemColumn.number, ItemColumn.sourceID])
        == ["number", "source_id"])
    #expect(
      names(
        Tagging.table.description,
        [TaggingColumn.itemNumber, TaggingColumn.sourceID, TaggingColumn.tags])
        == ["item_number", "source_id", "tags"])
    for dimension in TagDimension.all {
      #expect(
        names(
          DimensionValue.table(of: dimension).description, [ValueColumn.id, ValueColumn.isSystem])
          == ["id", "is_system"])
    }
  }
}
