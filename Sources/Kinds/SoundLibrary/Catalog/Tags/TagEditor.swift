import CatalogModel
import CatalogStore

public import struct Foundation.UUID

/// What a person changes about tags. Every change is an event and replays.
public struct TagEditor: Sendable {
  private let catalog: SoundCatalog

  init(_ catalog: SoundCatalog) {
    self.catalog = catalog
  }

  // MARK: Vocabularies

  /// Gives a value another name. Its id stays, so saved filters still find it; the old name becomes an
  /// alias, so that a seed that still says it appends nothing.
  ///
  /// - Throws: `CatalogError` with `notFound` where the dimension has no such id, `nameRefused` where
  ///   the name is another value's (merge the two instead), an alias of another value, or no name.
  @discardableResult
  public func rename(
    _ id: Int64, in dimension: TagDimension, to newName: String
  ) async throws -> ChangeReport {
    try await change { try $0.rename(id, in: dimension, to: newName) }
  }

  /// Makes one value of two: items, aliases and names of the first belong to the second from now on,
  /// and the id of the first resolves to the second in filters.
  ///
  /// - Throws: `CatalogError` with `notFound`, or `changeRefused` where both are the same.
  @discardableResult
  public func merge(
    _ id: Int64, into other: Int64, in dimension: TagDimension
  ) async throws -> ChangeReport {
    try await change { try $0.merge(id, into: other, in: dimension) }
  }

  /// Makes a name stand for a value in all documents that come later. An alias of another value moves.
  ///
  /// - Throws: `CatalogError` with `notFound`, or `nameRefused` where the name is a value's or none.
  @discardableResult
  public func alias(
    _ name: String, for id: Int64, in dimension: TagDimension
  ) async throws -> ChangeReport {
    try await change { try $0.alias(name, for: id, in: dimension) }
  }

  // MARK: Items

  /// Adds tags of the person's own to an item; what is suppressed is let count again. Values that are
  /// new come into being, with `is_system` 0.
  ///
  /// - Throws: `CatalogError` with `notFound` for an unknown item, `changeRefused` for a dimension that
  ///   its kind does not have, `nameRefused` for what is no name.
  @discardableResult
  public func add(_ tags: [TagName], to item: UUID) async throws -> ChangeReport {
    try await change { try $0.add(tags, to: EntityID(item)) }
  }

  /// Takes back tags that the person added. What seeds and manifests give stays.
  ///
  /// - Throws: as `add`, and `changeRefused` where the person did not give the tag: `suppress` takes
  ///   away what others give.
  @discardableResult
  public func remove(_ tags: [TagName], from item: UUID) async throws -> ChangeReport {
    try await change { try $0.remove(tags, from: EntityID(item)) }
  }

  /// Takes tags from an item although a source gives them, now and with every later import, until
  /// `unsuppress`.
  ///
  /// - Throws: as `add`, and `changeRefused` where no source gives the item the tag.
  @discardableResult
  public func suppress(_ tags: [TagName], on item: UUID) async throws -> ChangeReport {
    try await change { try $0.suppress(tags, on: EntityID(item)) }
  }

  /// Lets count again what sources give.
  ///
  /// - Throws: as `add`, and `changeRefused` where the tag is not suppressed.
  @discardableResult
  public func unsuppress(_ tags: [TagName], on item: UUID) async throws -> ChangeReport {
    try await change { try $0.unsuppress(tags, on: EntityID(item)) }
  }

  private func change(
    _ body: @escaping @Sendable (inout TagPlan) throws -> Void
  ) async throws -> ChangeReport {
    try await Blocking.run {
      try catalog.change(by: TagPlan.source) { rows in
        var plan = TagPlan(rows)
        try body(&plan)
        return plan.events
      }
    }
  }
}
