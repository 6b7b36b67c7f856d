package import Projections

/// A kind whose log describes it.
package protocol SelfDescribingKind: CatalogKind {
  /// The event that first described it: no row is in the catalog before.
  var firstDescription: UInt64 { get }

  /// The changes that later descriptions among some events made, a line each for people.
  func descriptionChanges(in events: ClosedRange<UInt64>) -> [String]

  /// Sentences about the tables and columns that events dropped, or gave other names. Moments before them show rows as the newest
  /// description has them.
  func movedNames(in events: ClosedRange<UInt64>) -> [String]

  /// Whether a database with a fingerprint was made for an earlier description of the log.
  func describedEarlier(_ fingerprint: ProjectorFingerprint) -> Bool
}

extension CatalogKind {
  /// Whether a database with a fingerprint was made for an earlier description, if the log of this kind describes it.
  package func isEarlier(_ fingerprint: ProjectorFingerprint) -> Bool {
    (self as? any SelfDescribingKind)?.describedEarlier(fingerprint) ?? false
  }
}
