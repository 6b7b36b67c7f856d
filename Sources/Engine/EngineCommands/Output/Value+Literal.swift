import CatalogStore
import Projections

extension Value {
  /// The value in SQL.
  var literal: String { StoredValue(self).description }
}
