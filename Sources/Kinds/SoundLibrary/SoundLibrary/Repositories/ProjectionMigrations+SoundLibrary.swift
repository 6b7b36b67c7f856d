package import CatalogStore
import Projections
import SoundLibraryKind

extension ProjectionMigrations {
  package static let soundLibrary = SoundLibrary().migrations
}
