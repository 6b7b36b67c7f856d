import CatalogModel

/// What an index knows of one item.
struct ItemFacts: Equatable, Sendable {
  let kind: Kind
  let isVisible: Bool
  /// Whether rows say that its audio is installed.
  let isDownloaded: Bool
  /// Ordinals of its values.
  let values: [UInt32]
}
