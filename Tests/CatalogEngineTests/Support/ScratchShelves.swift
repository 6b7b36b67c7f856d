import CatalogEngine
import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import StoreTestSupport

/// A catalog of shelves in a folder of its own, with a clock that does not move.
struct ScratchShelves: ScratchDatabase {
  let scratch: ScratchFolder
  let directory: CatalogDirectory

  init() throws {
    scratch = try ScratchFolder()
    directory = CatalogDirectory(scratch.file("library"))
  }

  func open(
    _ change: (inout OpeningOptions) -> Void = { _ in }
  ) async throws -> EventCatalog<Shelves> {
    var options = OpeningOptions(
      stale: .rebuild, wait: .seconds(20),
      clock: .fixed(Timestamp(milliseconds: 1_767_225_600_000)))
    options.newLogID = { LogID(bytes: Array(1...16)) }
    change(&options)
    return try await EventCatalog.open(directory, Shelves(), options: options)
  }

  /// Opens, changes and closes.
  @discardableResult
  func apply(edition: Int = 1) async throws -> ChangeOutcome {
    let catalog = try await open()
    defer { catalog.close() }
    return try await catalog.apply(edition: edition)
  }

  func receipt() async throws -> Receipt {
    let catalog = try await open()
    defer { catalog.close() }
    return try await catalog.opened.receipt()
  }

  /// Appends events to the log and not to the database, as a crash would.
  func append(_ events: [ShelfEvent]) throws {
    let writer = try EventLogWriter(directory: directory.events, holder: "test")
    defer { writer.close() }
    var batch = try EventBatch(
      writer, after: writer.head, at: Timestamp(milliseconds: 0), by: "test", input: [])
    for event in events { try batch.add(event, Shelves()) }
    _ = try batch.append(to: writer)
  }

  var head: LogHead? {
    get throws { try EventLogReader(directory: directory.events).head() }
  }
}

extension EventCatalog<Shelves> {
  /// The events of three shelves and of twelve books, whose titles name the edition.
  static func events(edition: Int) -> [ShelfEvent] {
    ["a", "b", "c"].map { .shelf($0, true) }
      + (1...12).flatMap { number -> [ShelfEvent] in
        [
          .book(number, on: number % 4 == 0 ? nil : number % 4 == 1 ? "a" : "b"),
          .title(number, "Book \(number), edition \(edition)"),
        ]
      }
  }

  /// Creates the catalog if there is none, and makes the titles those of an edition; does nothing if they are.
  @discardableResult
  func apply(edition: Int) async throws -> ChangeOutcome {
    try await create(by: "test")
    let events = Self.events(edition: edition)
    return try await change(by: "test") { rows in
      guard let title = try rows.row(of: BookTitle.table, key: 12) else { return events }
      if title.words.hasSuffix("edition \(edition)") { return [] }
      return events.filter { if case .title = $0 { true } else { false } }
    }.outcome
  }
}
