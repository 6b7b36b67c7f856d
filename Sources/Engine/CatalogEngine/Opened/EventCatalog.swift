import CatalogModel
public import CatalogStore
import EventLog
import Foundation
public import Projections
import Support

/// A catalog of one kind in a folder: the front door for apps.
///
/// Opening carries the database to the log's head. Every change goes through the log: its events are appended, made
/// durable, then applied. Safe to use from several tasks; several processes may have the same catalog open.
///
/// ```swift
/// let shelf = try await EventCatalog.open(CatalogDirectory("shelf"), Bookshelf())
/// try await shelf.create(by: "person")
/// try await shelf.change(by: "person") { rows in
///   guard try rows.row(of: Book.table, key: id) == nil else { return [] }
///   return [.added(book: id, title: "Momo")]
/// }
/// ```
public final class EventCatalog<Kind: CatalogKind>: Sendable {
  public let kind: Kind
  package let opened: OpenedCatalog

  public var directory: CatalogDirectory { opened.directory }

  package init(_ kind: Kind, _ opened: OpenedCatalog) {
    self.kind = kind
    self.opened = opened
  }

  /// Opens the catalog in a folder, which is made if there is none.
  ///
  /// - Throws: `EventLogError` if the log is damaged or lost events that the database has seen;
  ///   `StoreError` where the database is none; `CatalogError` where the catalog is of another kind.
  public static func open(
    _ directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions()
  ) async throws -> EventCatalog {
    try await Blocking.run { try openNow(directory, kind, options: options) }
  }

  /// Opens a catalog that must be there already.
  public static func openExisting(
    _ directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions()
  ) async throws -> EventCatalog {
    try await Blocking.run {
      EventCatalog(kind, try OpenedCatalog.openExisting(directory, kind, options: options))
    }
  }

  package static func openNow(
    _ directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions
  ) throws -> EventCatalog {
    EventCatalog(kind, try OpenedCatalog.open(directory, kind, options: options))
  }

  /// Begins the log of a new catalog with event 1, which says what it is a log of. Does nothing if there is one.
  ///
  /// - Parameter by: what did it: `person`, `cli`.
  /// - Returns: whether there was none.
  @discardableResult
  public func create(by: String) async throws -> Bool {
    try await Blocking.run { [opened] in try opened.create(by: by) }
  }

  /// Appends the events that `plan` finds against the rows at the log's head, as one batch, and applies them.
  ///
  /// The rows are proved: each is what the projector wrote. Nobody else writes to the log meanwhile.
  ///
  /// - Parameters:
  ///   - by: what did it: `person`, `cli`.
  ///   - wait: for another writer; nil for what the catalog was opened with.
  ///   - tables: to be loaded before, where `plan` looks at most of their rows: one scan is far less work than a
  ///     query a row. It can read no other table then. Empty for queries.
  ///   - plan: what is to be appended; may be called twice. Nothing is where it finds nothing, or throws.
  /// - Throws: what `plan` throws; `ProjectionError` for an event that contradicts the rows; `CatalogError` with
  ///   `changeRefused` for one that no log may hold; `StoreError` with `drifted` where a row that `plan` asks for was
  ///   changed by hand. Nothing is appended then.
  @discardableResult
  public func change(
    by: String, wait: Duration? = nil, loading tables: [TableDescription] = [],
    _ plan: @escaping @Sendable (ProvedRows) throws -> [Kind.Event]
  ) async throws -> ChangeReport {
    try await Blocking.run {
      try self.changeNow(by: by, wait: wait, loading: tables, plan: plan)
    }
  }

  /// Appends the events that `plan` finds, and returns what it found besides them.
  ///
  /// - Parameters:
  ///   - by: as that of `change`, and so are the others.
  ///   - summarizes: whether the report says in which columns rows changed. Each row is read before it changes.
  /// - Returns: the report of the change, and the value of the plan that was carried out.
  /// - Throws: as `change`.
  @discardableResult
  public func change<Value: Sendable>(
    by: String, wait: Duration? = nil, loading tables: [TableDescription] = [],
    summarizes: Bool = false,
    planning plan: @escaping @Sendable (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) async throws -> (report: ChangeReport, value: Value) {
    try await Blocking.run {
      let done = try self.changeNow(
        by: by, wait: wait, loading: tables, summarizes: summarizes, planning: plan)
      return (done.report, done.value)
    }
  }

  /// Reads proved rows at the log's head: what a change would be planned on. A dry run returns the events that it finds.
  ///
  /// Nothing is written, and no lock is taken. If the database lacks events of the log, or nothing can prove its rows,
  /// the log is replayed in memory.
  ///
  /// ```swift
  /// let events = try await shelf.readProved { rows in try plan(rows) }
  /// ```
  ///
  /// - Parameter tables: to be loaded before, as for `change`.
  /// - Throws: what `body` throws; `StoreError` with `drifted` if a row that `body` asks for was changed by hand and the
  ///   catalog was opened to refuse that.
  public func readProved<Result: Sendable>(
    loading tables: [TableDescription] = [],
    _ body: @escaping @Sendable (ProvedRows) throws -> Result
  ) async throws -> Result {
    try await Blocking.run {
      try self.opened.readProvedAtHead(loading: tables) { rows, _ in try body(rows) }
    }
  }

  /// Reads proved rows of a catalog that is not opened: no byte and no time of a file in its folder changes.
  ///
  /// - Parameters:
  ///   - directory: of a catalog that exists.
  ///   - tables: to be loaded before, as for `change`.
  /// - Throws: as `openExisting`; what `body` throws.
  public static func readProved<Result: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions(),
    loading tables: [TableDescription] = [],
    _ body: @escaping @Sendable (ProvedRows) throws -> Result
  ) async throws -> Result {
    try await Blocking.run {
      if !FileManager.default.fileExists(atPath: directory.database) {
        _ = try directory.existingLog()
      }
      let read = try OpenedCatalog.readProvedAtHead(
        of: directory, kind, options: options, loading: tables, body)
      guard read.head != nil else { throw CatalogError(.noCatalog, "this catalog is empty") }
      return read.result
    }
  }

  /// What `change` would append: a dry run. Nothing is written, and no lock is taken.
  ///
  /// - Parameters: as those of `change`.
  /// - Throws: as `readProved`; whether an event contradicts the rows is not tried.
  public func planned(
    loading tables: [TableDescription] = [],
    _ plan: @escaping @Sendable (ProvedRows) throws -> [Kind.Event]
  ) async throws -> [Kind.Event] {
    try await readProved(loading: tables, plan)
  }

  /// Rebuilds the database from event 1.
  ///
  /// Other processes that read it see the old rows, then the new ones.
  public func rebuild() async throws {
    try await Blocking.run { [opened] in try opened.rebuild() }
  }

  /// Makes sure that all rows are what the projector wrote, where anybody else may have written to the database since
  /// that was last known. What is read afterwards is what the log says.
  ///
  /// A look at the database's files costs microseconds. Where they were touched, copied or restored, or where a process
  /// that wrote to them was killed, everything in the database is read once.
  ///
  /// - Throws: `StoreError` with `drifted` where something was changed by hand, `notADatabase` if the file is
  ///   damaged: `rebuild()` mends both.
  public func verifyIfTouched() async throws { try await opened.verifyIfTouched() }

  /// The path of the database that is read: a temporary one if the catalog's own cannot be brought up to date.
  package var readDatabase: String { opened.projection.path }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  public func close() { opened.close() }
}
