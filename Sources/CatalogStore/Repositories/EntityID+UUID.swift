package import CatalogModel
package import Foundation

extension EntityID {
  package init(_ id: UUID) {
    self = withUnsafeBytes(of: id.uuid) { EntityID(bytes: $0) }
  }
}

extension UUID {
  package init(_ id: EntityID) {
    self = id.bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
