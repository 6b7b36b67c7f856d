import CatalogModel

/// The texts of an item as the full-text index holds them.
///
/// They follow from the event alone. So a replay may make them on another thread, ahead of the projector.
struct ItemTexts: Hashable, Sendable {
  let title: SearchText
  let subtitle: String

  init(_ event: ItemUpserted) {
    self.init(title: event.title, subtitle: event.subtitle)
  }

  init(title: String, subtitle: String?) {
    self.title = SearchText(title)
    self.subtitle = subtitle.map { SearchText($0).all } ?? ""
  }
}
