import CatalogModel
package import GRDB
import Projections
import Support
import Synchronization

/// Compares the tables, indexes and triggers of a database with those that the projector makes.
package struct SchemaCheck {
  private let migrations: ProjectionMigrations

  package init(_ migrations: ProjectionMigrations) {
    self.migrations = migrations
  }

  /// One thing that is not as the projector makes it.
  package struct Difference: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
      case missing
      case changed
      case unexpected
    }

    package let kind: Kind
    /// `table`, `index`, `trigger` or `view`.
    package let type: String
    package let name: String

    package var description: String {
      switch kind {
      case .missing: "the \(type) \(name) is missing"
      case .changed: "the \(type) \(name) differs from what the projector creates"
      case .unexpected: "unexpected \(type) \(name)"
      }
    }
  }

  /// What differs; empty if nothing does.
  package func differences(_ database: Database) throws -> [Difference] {
    let expected = try SchemaListing.made(by: migrations).entries
    var found = try SchemaListing(database).entries
    var differences: [Difference] = []
    for entry in expected {
      guard let place = found.firstIndex(where: { $0.isSameThing(as: entry) }) else {
        differences.append(Difference(kind: .missing, type: entry.type, name: entry.name))
        continue
      }
      if found.remove(at: place) != entry {
        differences.append(Difference(kind: .changed, type: entry.type, name: entry.name))
      }
    }
    for entry in found {
      differences.append(Difference(kind: .unexpected, type: entry.type, name: entry.name))
    }
    if differences.isEmpty, try !hasOwnMigration(database) {
      differences.append(Difference(kind: .changed, type: "table", name: "grdb_migrations"))
    }
    return differences
  }

  /// Whether the list of migrations is what the projector wrote: its own, and no other.
  package func hasOwnMigration(_ database: Database) throws -> Bool {
    try PreparedStatement(database, "SELECT identifier FROM grdb_migrations")
      .all { StoredValue($0.cell(0)) } == [.text(migrations.identifier)]
  }

  /// - Throws: `StoreError` with `drifted` if anything differs.
  package func require(_ database: Database) throws {
    let differences = try differences(database)
    guard let first = differences.first else { return }
    let more = differences.count > 1 ? ", and \(differences.count - 1) more" : ""
    throw StoreError(
      .drifted,
      "\(first)\(more): \(StoreError.drift)"
    )
  }
}

extension SchemaListing {
  /// The listings of schemas, each found out once by making it.
  private static let known = Mutex<[ProjectorFingerprint: SchemaListing]>([:])

  /// The listing of a database that migrations make.
  package static func made(by migrations: ProjectionMigrations) throws -> SchemaListing {
    if let listing = known.withLock({ $0[migrations.fingerprint] }) { return listing }
    let queue = try DatabaseQueue()
    try migrations.migrator().migrate(queue)
    let listing = try queue.read { try SchemaListing($0) }
    try queue.close()
    known.withLock { $0[migrations.fingerprint] = listing }
    return listing
  }
}
