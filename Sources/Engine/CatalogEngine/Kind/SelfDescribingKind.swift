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

  /// The kind as the descriptions up to an event made it; the kind itself if it has none later.
  ///
  /// It carries out events up to that one alone.
  func described(through sequence: UInt64) -> any CatalogKind

  /// The table that had a name before the newest description; nil if none had it.
  func formerTable(_ name: String) -> FormerName?

  /// The column that had a name in one of some tables before the newest description; nil if none had it.
  ///
  /// - Parameter isMeant: whether a table is among them, by the name that it has now.
  func formerColumn(_ name: String, ofTables isMeant: (String) -> Bool) -> FormerName?

  /// Names the kind of thing that has a name in the adopted database and is left out: `view`, `virtual table`. Nil if none has it.
  func leftOutTable(_ name: String) -> String?

  /// Names the kind of column that one of some tables of the adopted database has and that is left out: `generated column`. Nil if
  /// none has the name.
  ///
  /// - Parameter isMeant: whether a table is among them.
  func leftOutColumn(_ name: String, ofTables isMeant: (String) -> Bool) -> String?

  /// Whether a database with a fingerprint was made for an earlier description of the log.
  func describedEarlier(_ fingerprint: ProjectorFingerprint) -> Bool
}

extension CatalogKind {
  /// Whether a database with a fingerprint was made for an earlier description, if the log of this kind describes it.
  package func isEarlier(_ fingerprint: ProjectorFingerprint) -> Bool {
    (self as? any SelfDescribingKind)?.describedEarlier(fingerprint) ?? false
  }
}
