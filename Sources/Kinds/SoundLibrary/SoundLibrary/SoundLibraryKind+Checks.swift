package import CatalogStore
package import GRDB
import Projections

extension SoundLibraryKind: SelfCheckingKind {
  package func problems(in database: Database, isThorough: Bool) throws -> [String] {
    try IndexCheck.differences(in: database, isThorough ? .whole : .sample)
  }

  package func findings(
    in directory: CatalogDirectory, by rows: ProjectionView, isHashing: Bool
  ) throws -> [CatalogFinding] {
    try PackDoctor.findings(in: directory, rows, hashing: isHashing)
  }
}
