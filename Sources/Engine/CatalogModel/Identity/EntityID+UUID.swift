public import Foundation

extension EntityID {
  /// ```swift
  /// let id = EntityID(UUID())
  /// ```
  public init(_ id: UUID) {
    self = withUnsafeBytes(of: id.uuid) { EntityID(bytes: $0) }
  }
}

extension UUID {
  public init(_ id: EntityID) {
    self = id.bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
