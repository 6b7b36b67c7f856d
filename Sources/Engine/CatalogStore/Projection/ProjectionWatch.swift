import Synchronization

/// A projection that other processes write, and that is proved again after each program that may have changed it.
///
/// Nothing is caught up or changed. A look at files that no program touched costs some calls of `stat`.
package final class ProjectionWatch: Sendable {
  private let path: String
  private let touched: ExternalChangeDetector
  /// The fault that was found, and the files as they were then. Held while rows are compared: of several callers one compares.
  private let found = Mutex<(stamp: DatabaseStamp?, error: StoreError)?>(nil)

  package init(_ path: String) {
    self.path = path
    touched = ExternalChangeDetector(path)
  }

  /// Compares all rows with their digests if a program other than the projector may have written to the database since that
  /// was done last.
  ///
  /// - Throws: `StoreError`: `drifted` if a row is not what the projector wrote, `stale` if nothing proves the rows,
  ///   `notADatabase` if SQLite cannot read it, `busy`.
  package func requireSound(_ migrations: ProjectionMigrations) throws {
    try found.withLock { found in
      let stamp = DatabaseStamp.now(of: path)
      if let found, found.stamp == stamp { throw found.error }
      found = nil
      guard try touched.checkWaiting(nil) else { return }
      do {
        try touched.prove(nil) {
          let view = try ProjectionView(path: path, migrations: migrations)
          defer { try? view.close() }
          try view.requireSound()
        }
      } catch let error as StoreError {
        if error.code != .busy { found = (stamp, error) }
        throw error
      }
    }
  }
}
