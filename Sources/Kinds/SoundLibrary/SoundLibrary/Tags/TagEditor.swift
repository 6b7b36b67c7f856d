import CatalogModel
import CatalogStore
import Support

public import struct Foundation.UUID

/// What a person changes about tags. Every change is an event and replays.
public struct TagEditor: Sendable {
  private let library: SoundLibrary

  init(_ library: SoundLibrary) {
    self.library = library
  }

  // MARK: Vocabularies

  /// Gives a value another name. Its id stays, so saved filters still find it; the old name becomes an
  /// alias, so that a seed that still says it appends nothing.
  ///
  /// - Throws: `CatalogError` with `notFound` if the dimension has no such id, `nameRefused` where
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
  /// - Throws: `CatalogError` with `notFound`, or `nameRefused` if the name is a value's or none.
  @discardableResult
  public func alias(
    _ name: String, for id: Int64, in dimension: TagDimension
  ) async throws -> ChangeReport {
    try await change { try $0.alias(name, for: id, in: dimension) }
  }

  // MARK: Vocabularies, by names

  // What a name means is found in the rows that the change is planned on, and nowhere before.

  /// `rename`, `merge` and `alias` for whoever knows names alone, be they aliases.
  ///
  /// - Throws: as those; `CatalogError` with `notFound` says what is near.
  @discardableResult
  public func rename(
    _ name: String, in dimension: TagDimension, to newName: String
  ) async throws -> ChangeReport {
    try await change { plan in
      try plan.rename(plan.id(of: name, in: dimension), in: dimension, to: newName)
    }
  }

  @discardableResult
  public func merge(
    _ name: String, into other: String, in dimension: TagDimension
  ) async throws -> ChangeReport {
    try await change { plan in
      let id = try plan.id(of: name, in: dimension)
      try plan.merge(id, into: plan.id(of: other, in: dimension), in: dimension)
    }
  }

  @discardableResult
  public func alias(
    _ alias: String, for name: String, in dimension: TagDimension
  ) async throws -> ChangeReport {
    try await change { plan in
      try plan.alias(alias, for: plan.id(of: name, in: dimension), in: dimension)
    }
  }

  // MARK: Items

  /// Adds tags of the person's own to an item; what is suppressed is let count again. Values that are
  /// new come into being, with `is_system` 0.
  ///
  /// - Throws: `CatalogError` with `notFound` for an unknown item, `changeRefused` for a dimension that
  ///   its kind does not have, `nameRefused` for what is no name.
  @discardableResult
  public func add(_ tags: [TagName], to item: UUID) async throws -> ChangeReport {
    try await add({ _ in tags }, to: item)
  }

  /// Takes back tags that the person added. What seeds and manifests give stays.
  ///
  /// - Throws: as `add`, and `changeRefused` if the person did not give the tag: `suppress` takes
  ///   away what others give.
  @discardableResult
  public func remove(_ tags: [TagName], from item: UUID) async throws -> ChangeReport {
    try await remove({ _ in tags }, from: item)
  }

  /// Takes tags from an item although a source gives them, now and with every later import, until
  /// `unsuppress`.
  ///
  /// - Throws: as `add`, and `changeRefused` if no source gives the item the tag.
  @discardableResult
  public func suppress(_ tags: [TagName], on item: UUID) async throws -> ChangeReport {
    try await suppress({ _ in tags }, on: item)
  }

  /// Lets count again what sources give.
  ///
  /// - Throws: as `add`, and `changeRefused` if the tag is not suppressed.
  @discardableResult
  public func unsuppress(_ tags: [TagName], on item: UUID) async throws -> ChangeReport {
    try await unsuppress({ _ in tags }, on: item)
  }

  // MARK: Items, of whatever kind they prove to be

  package func add(_ tags: @escaping ItemTagNames, to item: UUID) async throws -> ChangeReport {
    try await change { try $0.add(tags, to: EntityID(item)) }
  }

  package func remove(
    _ tags: @escaping ItemTagNames, from item: UUID
  ) async throws -> ChangeReport {
    try await change { try $0.remove(tags, from: EntityID(item)) }
  }

  package func suppress(
    _ tags: @escaping ItemTagNames, on item: UUID
  ) async throws -> ChangeReport {
    try await change { try $0.suppress(tags, on: EntityID(item)) }
  }

  package func unsuppress(
    _ tags: @escaping ItemTagNames, on item: UUID
  ) async throws -> ChangeReport {
    try await change { try $0.unsuppress(tags, on: EntityID(item)) }
  }

  private func change(
    _ body: @escaping @Sendable (inout TagPlan) throws -> Void
  ) async throws -> ChangeReport {
    do {
      return try await Blocking.run {
        try library.change(by: TagPlan.source) { rows in
          var plan = TagPlan(rows)
          try body(&plan)
          return plan.events
        }
      }
    } catch let unknown as UnknownTagName {
      throw await refusal(of: unknown)
    }
  }

  /// Says what is near: a help for whoever typed it, which decides nothing.
  private func refusal(of unknown: UnknownTagName) async -> CatalogError {
    let dimension = unknown.dimension
    do {
      _ = try await library.vocabulary.value(named: unknown.name, in: dimension)
    } catch let error as StoreError where error.code == .notFound {
      return CatalogError(.notFound, error.explanation)
    } catch {
      // Then without it.
    }
    return CatalogError(
      .notFound,
      "\(dimension.key) has no value \"\(JSONExcerpt.printable(unknown.name))\"; "
        + "\(do: .listNames(of: dimension)) lists them")
  }
}
