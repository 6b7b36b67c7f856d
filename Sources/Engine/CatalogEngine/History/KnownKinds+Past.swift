package import CatalogStore
import GRDB
package import Projections

extension KnownKinds {
  /// The kind of catalog whose rows a database has; nil if this program does not know it.
  ///
  /// - Parameter checkpoint: that of the database. If another version of the program made it, the tables tell the kind.
  package func kind(of database: PastDatabase, _ checkpoint: Checkpoint?) throws
    -> (any CatalogKind)?
  {
    if let kind = kinds.first(where: { $0.fingerprint == checkpoint?.fingerprint }) { return kind }
    return try database.read { database in
      try kinds.first { kind in
        try kind.schema.tables.allSatisfy { try database.tableExists($0.name) }
      }
    }
  }
}
