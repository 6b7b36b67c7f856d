public import CatalogModel
public import CatalogStore
import GRDB
public import Projections

extension EventCatalog {
  // MARK: The past

  /// The catalog as it was after the batch that holds an event. It is read as the catalog itself is, by the same calls; what
  /// changes it throws `CatalogError` with `readOnly`.
  ///
  /// The first call makes a history of the catalog beside its database, which takes about as long as a rebuild, unless
  /// `OpeningOptions.keepsHistory` is false; later ones apply what the log has since.
  ///
  /// ```swift
  /// let before = try await shelf.past(after: 3_534)
  /// let lent = try await before.rows(of: Book.table, where: "reader IS NOT NULL")
  /// ```
  ///
  /// - Throws: `CatalogError` with `noMoment` if the log has no such event.
  public func past(after sequence: UInt64) async throws -> EventCatalog {
    try await past(.sequence(sequence))
  }

  /// The catalog as it was at a time: after the last batch of the log, in the log's order, that is not later.
  ///
  /// - Throws: `CatalogError` with `noMoment` if all batches are later.
  public func past(at time: Timestamp) async throws -> EventCatalog { try await past(.time(time)) }

  private func past(_ moment: Moment) async throws -> EventCatalog {
    try await Blocking.run { [kind, opened] in EventCatalog(kind, try opened.past(moment)) }
  }

  /// The last event of the state that is read, if this is the catalog as it was; nil if it is the catalog as it is.
  public var pastSequence: UInt64? { opened.past?.sequence }

  /// The difference between the catalog and the same catalog without an operation, by a replay that leaves it out. Nothing
  /// is written to the catalog; the first call makes a history as `past(after:)` does.
  ///
  /// ```swift
  /// let found = try await shelf.whatIf(without: .events(3_534...3_600))
  /// let gone = found.rows.filter { $0.table === Book.table.description && $0.without == nil }
  /// ```
  ///
  /// - Throws: `CatalogError`: `notFound` if no operation or more than one has this id; `noMoment` for events that are not
  ///   whole batches of the log, and for event 1, without which there is no catalog.
  public func whatIf(without operation: OperationName) async throws -> WhatIf {
    try await Blocking.run { [opened] in
      try opened.requirePresent()
      let states = opened.states
      return try WhatIf(WhatIfReplay(operation, in: states), of: PastStates(states.log))
    }
  }

  // MARK: Reading

  /// Reads as often as `body` likes from one snapshot of the rows: what others change meanwhile is not in it.
  ///
  /// ```swift
  /// let (book, readers) = try await shelf.read { rows in
  ///   (try rows.row(of: Book.table, key: id), try rows.rows(of: Reader.table))
  /// }
  /// ```
  ///
  /// - Throws: what `body` throws; `StoreError` with `drifted` if a row was changed by hand to what its columns do
  ///   not hold.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (CatalogSnapshot) throws -> Result
  ) async throws -> Result {
    try await opened.reader.read { try body(CatalogSnapshot($0)) }
  }

  /// What `body` reads now, and after each change of the database, by whatever process, that changes it.
  public func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (CatalogSnapshot) throws -> Element
  ) -> CatalogObservation<Element> {
    let reader = opened.reader
    return reader.observe { try await reader.read { try body(CatalogSnapshot($0)) } }
  }

  /// The row with this key; nil if there is none.
  public func row<Row>(of table: TypedTable<Row>, key: any ColumnValue...) async throws -> Row? {
    let key = key.map(\.columnValue)
    return try await read { try $0.row(of: table, key: key) }
  }

  /// Rows in the order of their keys.
  ///
  /// ```swift
  /// let lent = try await shelf.rows(of: Book.table, where: "reader IS NOT NULL AND title >= ?", ["M"])
  /// ```
  ///
  /// - Parameters:
  ///   - condition: SQL that the rows fulfil, with a `?` for each argument.
  ///   - limit: the most rows; nil for all.
  /// - Throws: `StoreError` with `drifted` if a row was changed by hand to what its columns do not hold.
  public func rows<Row>(
    of table: TypedTable<Row>, where condition: String = "true",
    _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) async throws -> [Row] {
    try await read { try $0.rows(of: table, where: condition, arguments, limit: limit) }
  }

  /// The rows now, and after each change of the database, by whatever process, that changes them.
  public func observe<Row: Equatable>(
    _ table: TypedTable<Row>, where condition: String = "true", _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) -> CatalogObservation<[Row]> {
    observe { try $0.rows(of: table, where: condition, arguments, limit: limit) }
  }
}
