import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Promises
import Testing

@testable import CatalogEngine

/// A change of so many events that the database is written as a whole: it does what one of few events does.
@Suite(
  .promise(
    "A change of so many events that it is applied in memory does what one of few events does",
    by: "limits of rows and of a row's bytes, injected"),
  .promise(
    "A row refers to a row that exists after every change; what an earlier log left is "
      + "listed and stops nothing"),
  .promise(
    "A change is appended only if every event of it can be read again, contradicts no row "
      + "and fits the tables"))
struct LargeChangeTests {
  /// One event more than are carried one by one.
  private static let large = 10_001

  private struct Scratch {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    var directory: CatalogDirectory { CatalogDirectory(folder.file("C")) }

    func open(_ kind: Gauges = Gauges()) async throws -> EventCatalog<Gauges> {
      let catalog = try await EventCatalog.open(directory, kind)
      try await catalog.create(by: "test")
      return catalog
    }

    /// The names of what lies in the catalog's folder, and the bytes of the log.
    func files() throws -> (names: [String], log: Data) {
      let path = folder.file("C")
      // A process that proves the rows leaves a note of it, once the database is a moment old.
      let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        .filter { $0 != "catalog.sqlite-proved" }
      let segments = try FileManager.default.contentsOfDirectory(atPath: path + "/events").sorted()
      let log = try segments.reduce(into: Data()) {
        $0 += try Data(contentsOf: URL(filePath: "\(path)/events/\($1)"))
      }
      return (names, log)
    }
  }

  private func readings(
    _ count: Int, from first: Int = 1, level: Int = 0
  ) -> [GaugeRead] {
    (first..<first + count).map {
      GaugeRead(number: $0, name: "gauge \($0)", level: level + $0 % 9)
    }
  }

  private func rows(_ catalog: EventCatalog<Gauges>) async throws -> [Gauge] {
    try await catalog.read { rows in try rows.rows(of: Gauge.table) }.sorted {
      $0.number < $1.number
    }
  }

  @Test(arguments: [0, 20, 30_000])
  func itMakesTheRowsThatAReplayMakes(before: Int) async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    var model: [Int: GaugeRead] = [:]
    for batch in [
      readings(before), readings(Self.large, from: 11, level: 10), readings(3, level: 99),
    ] where !batch.isEmpty {
      let report = try await catalog.change(by: "test") { _ in batch }
      #expect(report.outcome == .applied)
      for reading in batch { model[reading.number] = reading }
    }
    let expected = model.values.map(Gauge.init).sorted { $0.number < $1.number }
    #expect(try await rows(catalog) == expected)
    try await catalog.verifyIfTouched()
    let names = try scratch.files().names
    #expect(!names.contains { $0.contains("rebuild") }, "\(names)")

    let receipt = try await catalog.opened.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.opened.receipt() == receipt)
    #expect(try await rows(catalog) == expected)
  }

  /// What is wrong with the last event of a change, be it large or small.
  @Test(
    arguments: [1, large],
    [GaugeRead.contradictory, .unreadable, .beyondTheCheck, .sameName, .long])
  func oneWrongEventRefusesAll(of count: Int, _ last: GaugeRead) async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open(Gauges(rowLength: 2_000))
    defer { catalog.close() }
    try await catalog.change(by: "test") { _ in readings(20) }
    let (files, receipt) = (try scratch.files(), try await catalog.opened.receipt())

    let batch = readings(count, from: 21) + [last]
    let error = await #expect(throws: (any Error).self) {
      try await catalog.change(by: "test") { _ in batch }
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(last.problem), "\(String(describing: error))")
    // The rows are those of the log: no person changed them.
    if last == .sameName { #expect((error as? ProjectionError)?.code == .contradiction) }
    let after = try scratch.files()
    #expect(after == files)
    #expect(try await catalog.opened.receipt() == receipt)

    // Nothing of it is left in the way of the next.
    let report = try await catalog.change(by: "test") { _ in Array(batch.dropLast()) }
    #expect(report.outcome == .applied)
    #expect(report.events == count)
  }

  @Test func aFullTableRefusesAChange() async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open(Gauges(rows: 20))
    defer { catalog.close() }
    // The limit is far below what memory can hold: the batch that reaches it is kept.
    try await catalog.change(by: "test") { _ in readings(21) }
    let files = try scratch.files()
    let error = await #expect(throws: ProjectionError.self) {
      try await catalog.change(by: "test") { _ in readings(1, from: 100) }
    }
    #expect(error?.code == .limit)
    #expect(error?.message.contains("gauge has the most rows") == true)
    let after = try scratch.files()
    #expect(after == files)
    try await catalog.rebuild()
  }

  /// The database is busy while it would be replaced: the events are in the log, and the next opening applies them.
  @Test func whatIsInTheLogIsAppliedLater() async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: scratch.directory.database, configuration: configuration)
    // From the moment when the log has them.
    let blocker = Blocker(other)
    let batch = readings(Self.large)
    let report = try await catalog.change(by: "test") { _ in
      try blocker.begin()
      return batch
    }
    try blocker.end()
    #expect(report.outcome == .appended)
    #expect(report.failure != nil)
    catalog.close()
    let again = try await scratch.open()
    defer { again.close() }
    #expect(try await rows(again).count == Self.large)
  }
}

/// Keeps a database locked.
private final class Blocker: Sendable {
  private let queue: DatabaseQueue

  init(_ queue: DatabaseQueue) { self.queue = queue }

  func begin() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
  }

  func end() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }
}

// MARK: A kind of gauges

struct Gauge: Hashable, Sendable {
  var number: Int
  var name: String
  var level: Int

  init(number: Int, name: String, level: Int) {
    (self.number, self.name, self.level) = (number, name, level)
  }

  init(_ reading: GaugeRead) {
    self.init(number: reading.number, name: reading.name, level: reading.level)
  }

  static let table = TypedTable(
    "gauge", key: ["number"], Field("number", \Gauge.number),
    Field("name", \Gauge.name, unique: true), Field("level", \Gauge.level, check: "level < 1000"),
    make: Gauge.init)
}

struct GaugeRead: Hashable, Sendable {
  var number: Int
  var name: String
  var level: Int

  static let contradictory = GaugeRead(number: 7, name: "seven", level: -1)
  static let unreadable = GaugeRead(number: 7, name: "seven", level: 777)
  static let beyondTheCheck = GaugeRead(number: 7, name: "seven", level: 1_000)
  static let long = GaugeRead(number: 7, name: String(repeating: "7", count: 2_000), level: 1)
  static let sameName = GaugeRead(number: 7, name: "gauge 8", level: 1)

  /// What an error says of it.
  var problem: String {
    switch self {
    case .contradictory: "no level is below 0"
    case .unreadable: "level"
    case .beyondTheCheck: "CHECK(level < 1000)"
    case .long: "a row of gauge has 20"
    default: "gauge 8"
    }
  }
}

enum GaugeEventType: String, EventTypeName {
  case read = "gauge.read"
}

struct Gauges: CatalogKind {
  let name = "gauges"
  let version = 1
  let schema: Schema

  init(rows: Int? = nil, rowLength: Int? = nil) {
    var schema = Schema(Gauge.table)
    if let rows { schema.limits.rows = rows }
    if let rowLength { schema.limits.rowLength = rowLength }
    self.schema = schema
  }

  func type(of event: GaugeRead) -> GaugeEventType { .read }

  func write(_ event: GaugeRead, to data: inout PayloadWriter) {
    data.integer("number", Int64(event.number))
    data.string("name", event.name)
    // A defect of the kind, which makes of one event a line that it cannot read.
    if event == .unreadable {
      data.string("level", "\(event.level)")
    } else {
      data.integer("level", Int64(event.level))
    }
  }

  func read(
    _ type: GaugeEventType, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> GaugeRead {
    GaugeRead(
      number: Int(try data.int64("number")), name: try data.string("name"),
      level: Int(try data.int64("level")))
  }

  func apply(_ record: Recorded<GaugeRead>, to rows: some RowStore) throws {
    guard record.event.level >= 0 else {
      throw ProjectionError(contradiction: "no level is below 0")
    }
    try rows.put(Gauge(record.event), in: Gauge.table)
  }
}
