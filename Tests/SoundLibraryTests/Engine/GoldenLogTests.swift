import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// Every log that a release could write replays for ever to the receipt that it had then.
///
/// `RECORD_GOLDEN=1` records anew and fails the run, so that a recording is looked at and committed.
@Suite(
  .promise(
    "Logs that were recorded are read and replay for ever, by their decoded content; none "
      + "is recorded over",
    by: "every log that a release could write, on a real kind"))
struct GoldenLogTests {
  private static let golden = GoldenLog.folder
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
  private static let advice = """
    rows of a recorded log have changed. If that is meant, SoundLibraryProjector.version grows and \
    RECORD_GOLDEN=1 records the receipts anew; if not, an old log would no longer replay the same.
    """

  /// Tables that later releases added. No log of the first format has rows of theirs, and the receipts stay as they are.
  private static let addedTables = ["projection_reverted"]

  /// The differences without those of added tables: such a table is in no recorded receipt, and makes the schema and with it
  /// the projector another one.
  ///
  /// - Parameter areContent: whether the receipt is of content alone, which none of those tables is.
  private static func changes(_ differences: [String], areContent: Bool = false) -> [String] {
    let tables = areContent ? [] : addedTables
    let added = tables.map { "content: table \($0) is not in the recorded receipt" }
    guard added.allSatisfy(differences.contains) else { return differences }
    return differences.filter { difference in
      !added.contains(difference) && !difference.hasPrefix("schema: ")
        && !difference.hasPrefix("projector: ")
    }
  }

  @Test(.enabled(if: !isRecording), arguments: GoldenLog.all)
  func aLogReplaysToItsReceiptBothWays(log: GoldenLog) throws {
    let pinned = try Self.pinned("\(log)/receipt.json")
    let reader = log.reader
    let folder = try ScratchFolder()
    try ProjectionRebuild(reader.soundLibrary).write(to: folder.file("bulk.sqlite"))
    let bulk = try ProjectionDatabase(path: folder.file("bulk.sqlite"), migrations: .soundLibrary)
    let differences = try Self.changes(pinned.differences(from: bulk.receipt()))
    #expect(differences.isEmpty, "\(Self.advice) \(differences)")

    let incremental = try ProjectionDatabase(
      path: folder.file("incremental.sqlite"), migrations: .soundLibrary)
    try incremental.createTables()
    try ProjectionUpdate(reader.soundLibrary, incremental).catchUp(batchesPerTransaction: 3)
    #expect(try incremental.receipt() == bulk.receipt())
  }

  /// Batch by batch, and the lines of each segment, as they were when the log was recorded.
  @Test(.enabled(if: !isRecording), arguments: GoldenLog.all)
  func aLogHoldsWhatWasRecorded(log: GoldenLog) throws {
    let recorded = try GoldenContent(json: Self.file("\(log)/content.json"))
    #expect(try GoldenContent(log.reader) == recorded)
    // Two readers that know nothing of ours: zstd's tool, and the one in Python.
    for segment in recorded.segments
    where recorded.tornAt == nil || segment != recorded.segments.last {
      let hash = try Program(
        "bash", "-c", "set -o pipefail; zstd -qdc '\(log.events)/\(segment.name)' | sha256sum")
      #expect(hash.status == 0 && hash.output.hasPrefix(segment.plain), "\(segment.name)")
    }
    let second = try Program(
      "python3", "Tools/logreader.py", log.events, in: ScratchFolder.repository)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.output.contains(recorded.chain))
  }

  /// Whatever a log of format 1 can look like stands in one of them.
  @Test(.enabled(if: !isRecording)) func theLogsHoldAllThatALogCanHold() throws {
    var types: Set<String> = []
    for log in GoldenLog.all {
      let content = try GoldenContent(json: Self.file("\(log)/content.json"))
      types.formUnion(content.types.keys)
      #expect(Set(content.segments.map(\.isSealed)) == [true, false], "\(log)")
    }
    // Events that later releases added are in no log of the first format.
    let added: Set<EventType> = ["operation.reverted", "rows.restored"]
    #expect(types == Set(EventType.allCases.filter { !added.contains($0) }.map(\.rawValue)))
    let faults = try GoldenContent(json: Self.file("format-1-faults/content.json"))
    let batches = faults.segments.flatMap { segment in
      segment.batches.map { $0.split(separator: " ").compactMap { Int($0) } }
    }
    #expect(batches.count { $0[1] == 1 } > 100, "batches of one event")
    #expect(batches.contains { $0[2] > 1 << 20 }, "a batch of several frames")
    #expect(faults.tornAt != nil)
    #expect(
      faults.segments.count { !$0.isSealed } > 2, "segments that another one follows, unsealed")
    // Playlists came after it was recorded.
    let later: Set = ["playlist.metadata.refreshed", "playlist.tracks.snapshotted"]
    #expect(Set(faults.types.keys) == types.subtracting(later), "every type of its time in one log")
  }

  /// A writer goes on with each of them; of the torn one it keeps the tail aside.
  @Test(.enabled(if: !isRecording), arguments: GoldenLog.all)
  func aWriterGoesOnWithACopy(log: GoldenLog) throws {
    let recorded = try GoldenContent(json: Self.file("\(log)/content.json"))
    let folder = try ScratchFolder()
    try FileManager.default.copyItem(atPath: log.events, toPath: folder.file("events"))
    let writer = try EventLogWriter(directory: folder.file("events"), holder: "test")
    #expect(writer.recovery?.offset == recorded.tornAt)
    #expect(writer.head.sequence == recorded.sequence && writer.head.chain.hex == recorded.chain)
    try writer.seal()
    writer.close()
    var sealed = recorded
    sealed.tornAt = nil
    for index in sealed.segments.indices { sealed.segments[index].isSealed = true }
    #expect(try GoldenContent(EventLogReader(directory: folder.file("events"))) == sealed)
  }

  @Test(arguments: GoldenLog.all) func whatIsRecordedIsNeverRecordedOver(log: GoldenLog) throws {
    let folder = try ScratchFolder()
    try FileManager.default.copyItem(atPath: log.events, toPath: folder.file("events"))
    let before = try ScratchFolder.contents(folder.path)
    #expect(throws: GoldenLog.IsRecorded.self) { try log.record(in: folder.file("events")) }
    #expect(try ScratchFolder.contents(folder.path) == before)
  }

  @Test(.enabled(if: !isRecording)) func aFreshImportOfTheStarterSeedHasItsContent() async throws {
    let receipt = try await Self.starter()
    let differences = try Self.changes(
      Self.pinned("starter.content.json").differences(from: receipt), areContent: true)
    #expect(differences.isEmpty, "\(Self.advice) \(differences)")
  }

  /// The only place that writes to `Events/golden`, and a log or its content only if there is none.
  @Test(.enabled(if: isRecording, "records only where RECORD_GOLDEN=1"))
  func record() async throws {
    for log in GoldenLog.all {
      if !FileManager.default.fileExists(atPath: log.events) { try log.record(in: log.events) }
      let content = log.path + "/content.json"
      if !FileManager.default.fileExists(atPath: content) {
        try GoldenContent(log.reader).json().write(to: URL(filePath: content))
      }
      let folder = try ScratchFolder()
      try ProjectionRebuild(log.reader.soundLibrary).write(to: folder.file("a.sqlite"))
      let database = try ProjectionDatabase(
        path: folder.file("a.sqlite"), migrations: .soundLibrary)
      try Self.write(database.receipt().json(), to: "\(log)/receipt.json")
    }
    try Self.write(try await Self.starter().json(.content), to: "starter.content.json")
    Issue.record("golden receipts were recorded: look at them, commit them, run again without")
  }

  private static func starter() async throws -> Receipt {
    let test = try TestCatalog()
    let catalog = try await test.open()
    try await catalog.importer.importIfNeeded()
    return try await catalog.receipt()
  }

  private static func pinned(_ name: String) throws -> RecordedReceipt {
    try RecordedReceipt(json: file(name))
  }

  private static func file(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: golden + "/" + name))
  }

  private static func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: golden + "/" + name))
  }
}
