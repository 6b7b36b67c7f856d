import CatalogModel
package import CatalogStore
import GRDB
package import Projections
import Support

/// Compares a catalog's database with its own running digests, in one scan and without a replay.
///
/// The digests are changed with every row by whatever the projector writes, and by nothing else: rows that were
/// changed in any other way do not add up. It cannot show that the projector itself is right; `Verification` does.
package struct QuickVerification {
  package struct Report: Sendable {
    package var checkpoint: Checkpoint
    package var tables: Int
    /// Rows that were read.
    package var rows: Int64
    package var findings: [VerificationFinding]
    package var conflicts: [ProjectionConflict]
    /// Conflicts beyond those that are listed.
    package var moreConflicts: Int
    /// Rows of the log that refer to rows which do not exist, at most `Verification.listedReferences`.
    package var references: [DanglingReference]
  }

  private let catalog: OpenedCatalog

  package init(_ catalog: OpenedCatalog) {
    self.catalog = catalog
  }

  /// - Throws: `CatalogError` with `verification` if the database has no checkpoint.
  package func run() async throws -> Report {
    try await Blocking.run {
      try catalog.projection.inspect { database in
        guard let checkpoint = try Checkpoint.read(database) else {
          throw CatalogError(
            .verification, "the live database has no checkpoint: \(StoreError.drift)")
        }
        let inspection = try ProjectionInspection(database, catalog.projection.migrations)
        var findings = inspection.schema.map {
          VerificationFinding(subject: .live, message: "\($0)")
        }
        findings += inspection.drifted.map {
          VerificationFinding(subject: .live, message: $0.message)
        }
        return Report(
          checkpoint: checkpoint, tables: inspection.tables, rows: inspection.rows,
          findings: findings, conflicts: inspection.conflicts,
          moreConflicts: inspection.moreConflicts,
          references: inspection.isSound
            ? try DanglingReference.all(
              of: catalog.kind.schema, in: database, limit: Verification.listedReferences) : [])
      }
    }
  }
}
