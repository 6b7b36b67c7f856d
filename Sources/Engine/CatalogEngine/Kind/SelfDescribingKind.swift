/// A kind whose log describes it.
package protocol SelfDescribingKind: CatalogKind {
  /// The event that first described it: no row is in the catalog before.
  var firstDescription: UInt64 { get }

  /// The changes that later descriptions among some events made, a line each for people.
  func descriptionChanges(in events: ClosedRange<UInt64>) -> [String]

  /// Whether a kind that the log described earlier fulfils a condition.
  func wasOnce(_ condition: (any CatalogKind) -> Bool) -> Bool
}
