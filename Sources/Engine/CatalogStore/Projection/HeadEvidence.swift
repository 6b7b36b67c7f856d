package import EventLog
package import GRDB

/// What a database says of how far it has come: its checkpoint, and the head that its running digests are at. Both are
/// written with every change of rows; if they differ, one of them was changed by hand.
package struct HeadEvidence: Sendable {
  package enum Claim: Sendable {
    /// There is no checkpoint.
    case none
    /// There are rows, and no checkpoint with them: it was removed by hand.
    case unmarked
    /// There is one that no projector writes.
    case unreadable(StoreError)
    case checkpoint(Checkpoint)
  }

  package let claim: Claim
  /// Nil if a database has no digests of this version.
  package let digests: LogHead?
  /// Whether the rows were written without digests of this version.
  package let lacksDigests: Bool

  /// How far it has come; nil if neither can tell.
  package var sequence: UInt64? {
    if case .checkpoint(let checkpoint) = claim { checkpoint.sequence } else { digests?.sequence }
  }
}

extension HeadEvidence {
  /// - Throws: `StoreError` with `notADatabase` if it is the database of another program.
  package init(_ database: Database, _ migrations: ProjectionMigrations) throws {
    lacksDigests = try RunningDigests.areMissing(database)
    digests = try RunningDigests.head(database)?.head
    do {
      if let checkpoint = try Checkpoint.read(database) {
        claim = .checkpoint(checkpoint)
      } else {
        try migrations.requireOwnTables(database)
        claim = try migrations.hasRows(database) ? .unmarked : .none
      }
    } catch let error as StoreError where error.code == .drifted {
      claim = .unreadable(error)
    }
  }
}

extension ProvedRowsSource {
  /// The checkpoint, and the head that the running digests are at, in one snapshot: another process may be filling an empty
  /// database.
  package func witnesses() throws -> HeadEvidence {
    try read { try HeadEvidence($0, migrations) }
  }
}
