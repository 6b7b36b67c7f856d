import CatalogStore
import Projections

extension ProjectionMigrations {
  static let soundLibrary = SoundLibraryKind().migrations
}
