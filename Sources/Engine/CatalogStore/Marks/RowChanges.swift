import CatalogModel
import Projections

/// What the rows that one transaction changed are about.
final class RowChanges {
  /// Nil where they are too many to be remembered.
  private(set) var entities: Set<EntityID>? = []
  private(set) var touchesNames = false
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// - Parameter key: the first column of the row's key.
  @inline(__always)
  func note(_ table: TableDescription, key: Value) {
    switch table.subject {
    case .none: break
    case .names: touchesNames = true
    case .entity:
      if entities != nil, case .id(let id) = key {
        entities?.insert(id)
        if entities?.count ?? 0 > limit { entities = nil }
      }
    }
  }
}
