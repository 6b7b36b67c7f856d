package import CatalogStore
package import GRDB
package import Projections

/// A kind with more than events and rows: answers that are kept beside the rows, files that they name.
package protocol SelfCheckingKind: CatalogKind {
  /// What contradicts itself in a database whose rows are right, a sentence each, for `verify`.
  ///
  /// - Parameter isThorough: whether to ask everything, however long it takes.
  func problems(in database: Database, isThorough: Bool) throws -> [String]

  /// What is wrong with the kind's own files, for `doctor`.
  ///
  /// - Parameter isHashing: whether to read them whole.
  func findings(
    in directory: CatalogDirectory, by rows: ProjectionView, isHashing: Bool
  ) throws -> [CatalogFinding]
}
