import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Testing

@testable import Catalog

/// Every log that a release could write replays for ever to the receipt that it had then.
///
/// `RECORD_GOLDEN=1` records anew and fails the run, so that a recording is looked at and committed.
@Suite struct GoldenLogTests {
  private static let golden = ScratchFolder.repository + "/Events/golden"
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
  /// Each log with the seed that it was generated from.
  private static let logs: [(name: String, seed: UInt64)] = [
    ("format-1", 1), ("format-1-tags", 2), ("format-1-packs", 3),
  ]
  private static let advice = """
    rows of a recorded log have changed. If that is meant, SoundLibraryProjector.version grows and \
    RECORD_GOLDEN=1 records the receipts anew; if not, an old log would no longer replay the same.
    """

  @Test(.enabled(if: !isRecording), arguments: logs.map(\.name))
  func aLogReplaysToItsReceiptBothWays(name: String) throws {
    let pinned = try Self.pinned("\(name)/receipt.json")
    let reader = EventLogReader(directory: Self.golden + "/\(name)/events")
    let folder = try ScratchFolder()
    try ProjectionRebuild(reader).write(to: folder.file("bulk.sqlite"))
    let bulk = try ProjectionDatabase(path: folder.file("bulk.sqlite"))
    let differences = try pinned.differences(from: bulk.receipt())
    #expect(differences.isEmpty, "\(Self.advice) \(differences)")

    let incremental = try ProjectionDatabase(path: folder.file("incremental.sqlite"))
    try incremental.createTables()
    try ProjectionUpdate(reader, incremental).catchUp(batchesPerTransaction: 3)
    #expect(try incremental.receipt() == bulk.receipt())
  }

  @Test(.enabled(if: !isRecording)) func theLogsHoldEveryEventTypeSealedAndOpen() throws {
    var types: Set<String> = []
    for (name, _) in Self.logs {
      let reader = EventLogReader(directory: Self.golden + "/\(name)/events")
      let replay = try EventReplay(reader)
      while try replay.nextBatch({ types.insert($0.event.type) }) != nil {}
      #expect(Set(try reader.check().segments.map(\.isSealed)) == [true, false])
    }
    #expect(types == Set(EventType.allCases.map(\.rawValue)))
  }

  @Test(.enabled(if: !isRecording)) func aFreshImportOfTheStarterSeedHasItsContent() async throws {
    let receipt = try await Self.starter()
    let differences = try Self.pinned("starter.content.json").differences(from: receipt)
    #expect(differences.isEmpty, "\(Self.advice) \(differences)")
  }

  @Test(.enabled(if: isRecording, "records only where RECORD_GOLDEN=1"))
  func record() async throws {
    for (name, seed) in Self.logs {
      let events = Self.golden + "/\(name)/events"
      if !FileManager.default.fileExists(atPath: events) { try Self.recordLog(events, seed) }
      let folder = try ScratchFolder()
      try ProjectionRebuild(EventLogReader(directory: events)).write(to: folder.file("a.sqlite"))
      let database = try ProjectionDatabase(path: folder.file("a.sqlite"))
      try Self.write(database.receipt().json(), to: "\(name)/receipt.json")
    }
    try Self.write(try await Self.starter().json(.content), to: "starter.content.json")
    Issue.record("golden receipts were recorded: look at them, commit them, run again without")
  }

  /// A log once recorded is never recorded over.
  private static func recordLog(_ events: String, _ seed: UInt64) throws {
    try FileManager.default.createDirectory(atPath: events, withIntermediateDirectories: true)
    var limits = LogLimits()
    limits.segment = 12_000
    let id = LogID(bytes: Array(0..<16))
    let writer = try EventLogWriter(
      directory: events, logID: id, holder: "golden", limits: limits)
    defer { writer.close() }
    var generator = HistoryGenerator(seed: seed)
    for records in generator.batches(60) {
      var batch = try writer.makeBatch(expecting: writer.head)
      for record in records {
        var record = record
        if case .catalogCreated(var created) = record.event {
          created.logID = EntityID(bytes: id.bytes)
          record.event = .catalogCreated(created)
        }
        let line = EventEncoder().encode(record)
        try line.withUnsafeBytes { try batch.append(line: $0) }
      }
      _ = try writer.append(batch)
    }
    try FileManager.default.removeItem(atPath: events + "/LOCK")
  }

  private static func starter() async throws -> Receipt {
    let test = try TestCatalog()
    let catalog = try await test.open()
    try await catalog.importer.importIfNeeded()
    return try await catalog.receipt()
  }

  private static func pinned(_ name: String) throws -> RecordedReceipt {
    try RecordedReceipt(json: Data(contentsOf: URL(fileURLWithPath: golden + "/" + name)))
  }

  private static func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: golden + "/" + name))
  }
}
