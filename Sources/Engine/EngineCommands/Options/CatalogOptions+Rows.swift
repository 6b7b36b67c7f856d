public import CatalogEngine
public import Projections

extension CatalogOptions {
  /// Finds the id of a row as a person names it, in the rows of an open catalog.
  ///
  /// - Parameters:
  ///   - words: what was typed: an id, the beginning of one, or the row's name, without quotes too.
  ///   - table: one whose key is an id.
  /// - Throws: `ValidationError` if no row, or more than one, has this name or an id that begins so; `StoreError` with
  ///   `drifted` if the names may have been changed by hand.
  public func id<Kind>(
    of words: [String], _ table: TableDescription, in catalog: EventCatalog<Kind>
  ) async throws -> EntityID {
    // A name that was changed by hand could name another row.
    if EntityID(words.joined(separator: " ")) == nil { try await catalog.verifyIfTouched() }
    return try NamedRow(words, of: table).id { try PastDatabase(file: catalog.readDatabase) }
  }

  /// Finds the key of a row as a person names it, in the rows of an open catalog.
  ///
  /// - Parameters:
  ///   - word: what was typed: a key, or the row's name.
  ///   - table: one whose key is a text.
  /// - Returns: `word` itself if no row is meant.
  /// - Throws: `ValidationError` if more than one row has this name; `StoreError` with `drifted` if the names may have been
  ///   changed by hand.
  public func key<Kind>(
    of word: String, _ table: TableDescription, in catalog: EventCatalog<Kind>
  ) async throws -> String {
    try await catalog.verifyIfTouched()
    return try table.typed(key: [word]) { try PastDatabase(file: catalog.readDatabase) }[0]
  }
}
