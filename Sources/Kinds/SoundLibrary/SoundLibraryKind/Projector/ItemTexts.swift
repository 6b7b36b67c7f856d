import CatalogModel

/// The texts of an item as the full-text index holds them.
///
/// They follow from the event alone. So a replay may make them on another thread, ahead of the projector.
package struct ItemTexts: Hashable, Sendable {
  let title: SearchText
  let subtitle: String

  package init(_ event: ItemUpserted) {
    title = SearchText(event.title)
    subtitle = event.subtitle.map { SearchText($0).all } ?? ""
  }
}
