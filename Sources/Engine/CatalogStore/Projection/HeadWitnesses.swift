package import EventLog
package import GRDB

/// What a database says of how far it has come: its checkpoint, and the head that its running digests stand at. Both
/// are written with every change of rows; where they differ, somebody changed one of them.
package struct HeadWitnesses: Hashable, Sendable {
  package enum Claim: Hashable, Sendable {
    /// There is no checkpoint.
    case none
    /// There is one that no projector writes.
    case unreadable
    case checkpoint(Checkpoint)
  }

  package let claim: Claim
  /// Nil where a database has no digests, or none that this release reads.
  package let digests: LogHead?

  init(_ claim: Claim, digests: LogHead?) {
    self.claim = claim
    self.digests = digests
  }

  /// How far it has come; nil if neither can tell.
  package var sequence: UInt64? {
    if case .checkpoint(let checkpoint) = claim { checkpoint.sequence } else { digests?.sequence }
  }

  package init(_ database: Database) throws {
    digests = try RunningDigests.head(database)?.head
    do {
      claim = try Checkpoint.read(database).map(Claim.checkpoint) ?? .none
    } catch let error as StoreError where error.code == .drifted {
      claim = .unreadable
    }
  }
}
