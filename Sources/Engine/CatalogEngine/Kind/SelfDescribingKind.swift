package import Projections

/// A kind whose log describes it.
package protocol SelfDescribingKind: CatalogKind {
  /// The event that first described it: no row is in the catalog before.
  var firstDescription: UInt64 { get }
}
