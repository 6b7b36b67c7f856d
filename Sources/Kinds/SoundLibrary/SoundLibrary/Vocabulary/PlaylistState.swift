public import CatalogModel

/// The state of a playlist as a storefront told it last, in the words of events and rows.
public enum PlaylistState: String, CaseIterable, Hashable, PayloadValue {
  case available
  /// The storefront had it and has it no more. What was known of it last stays known.
  case gone
  /// The storefront does not have it, and did not when the playlist was looked at last, if ever.
  case missingInStorefront
}
