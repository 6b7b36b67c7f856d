extension EventCatalog {
  /// Reads a page of several lists that follow each other as one.
  ///
  /// Each list is read by an index of its own, where one list with the order of both would have to be sorted. Lists of
  /// one chain have different names and no row in common.
  ///
  /// ```swift
  /// // The titles that begin with what was typed, then whatever else has the words.
  /// let page = try await shelf.page(ofEach: [titles, others], limit: 20)
  /// let next = try await shelf.page(ofEach: [titles, others], limit: 20, after: page.next)
  /// ```
  ///
  /// - Parameters:
  ///   - limit: the most rows, 1 or more.
  ///   - cursor: the end of the page before; nil for the first page.
  /// - Throws: `StoreError`: `invalidLimit`; `cursorOfAnotherList` for a cursor that none of the lists gave.
  public func page<Row>(
    ofEach lists: [KeysetList<Row>], limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Row> {
    try await read { try $0.page(ofEach: lists, limit: limit, after: cursor) }
  }
}

extension CatalogSnapshot {
  /// The same within a snapshot.
  public func page<Row>(
    ofEach lists: [KeysetList<Row>], limit: Int, after cursor: KeysetCursor? = nil
  ) throws -> KeysetPage<Row> {
    precondition(!lists.isEmpty, "a chain has a list")
    precondition(Set(lists.map(\.name)).count == lists.count, "two lists of a chain have one name")
    try Self.requireLimit(limit)
    // A cursor of another list is refused by the first one.
    let start = cursor.flatMap { cursor in lists.firstIndex { cursor.belongs(to: $0.name) } } ?? 0
    var rows: [Row] = []
    var last: KeysetCursor?
    for (place, list) in lists.enumerated().dropFirst(start) {
      // Of a page that is full, all that is left to see is whether another follows.
      let isFull = rows.count == limit
      let page = try page(
        of: list, limit: isFull ? 1 : limit - rows.count, after: place == start ? cursor : nil)
      if isFull {
        if !page.rows.isEmpty { return KeysetPage(rows: rows, next: last) }
        continue
      }
      rows += page.rows
      if let next = page.next { return KeysetPage(rows: rows, next: next) }
      if let row = page.rows.last {
        last = KeysetCursor(list: list.name, list.keys.map { $0.value(row) })
      }
    }
    return KeysetPage(rows: rows, next: nil)
  }
}
