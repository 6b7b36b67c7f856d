package import CatalogStore
import Projections

extension ProjectionMigrations {
  package static let soundLibrary = SoundLibraryKind().migrations
}
