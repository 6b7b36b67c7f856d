import CatalogStore
package import Projections

extension Value {
  /// The value in SQL.
  package var literal: String { StoredValue(self).description }
}
