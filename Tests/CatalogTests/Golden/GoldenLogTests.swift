import Catalog
import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Testing

/// Logs that a release could have written replay to the rows that they had then.
@Suite(.serialized) struct GoldenLogTests {
  private static let golden = ScratchFolder.repository + "/Events/golden"
  private static let isRecording =
    ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

  @Test func recordedLogReplaysToItsReceiptBothWays() async throws {
    let format = Self.golden + "/format-1"
    if Self.isRecording { try await Self.recordLog(format + "/events") }
    let test = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: test.directory.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: format + "/events", toPath: test.directory.events)

    let incremental = try await test.receipt()
    let path = test.scratch.file("rebuilt.sqlite")
    try ProjectionRebuild(EventLogReader(directory: test.directory.events)).write(to: path)
    let database = try ProjectionDatabase(path: path)
    let rebuilt = try database.receipt()
    try database.close()
    try Self.hold(incremental, .whole, to: format + "/receipt.json")
    #expect(rebuilt.json() == incremental.json())
    let reducer = try test.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
  }

  @Test func recordedLogHoldsEveryTypeOfEventInSealedAndOpenSegments() throws {
    let reader = EventLogReader(directory: Self.golden + "/format-1/events")
    let replay = try EventReplay(reader)
    var types: Set<String> = []
    var batches = 0
    while try replay.nextBatch({ types.insert($0.event.type) }) != nil { batches += 1 }
    #expect(types == Set(EventType.allCases.map(\.rawValue)))
    #expect(batches > 4)
    let segments = try FileManager.default.contentsOfDirectory(
      atPath: Self.golden + "/format-1/events")
    #expect(segments.count == 2)
  }

  @Test func freshImportOfTheStarterSeedHasItsRecordedContent() async throws {
    let test = try TestCatalog()
    let catalog = try await test.open()
    try await catalog.importer.importIfNeeded()
    let receipt = try await catalog.receipt()
    catalog.close()
    try Self.hold(receipt, .content, to: Self.golden + "/starter.content.json")
  }

  private static func hold(
    _ receipt: Receipt, _ part: Receipt.Part, to path: String
  ) throws {
    let url = URL(fileURLWithPath: path)
    if isRecording {
      try Data(receipt.json(part).utf8).write(to: url)
      Issue.record("recorded \(path): look at the difference, then run without RECORD_GOLDEN")
      return
    }
    let recorded = try String(contentsOf: url, encoding: .utf8)
    let differences = try RecordedReceipt(json: Data(recorded.utf8)).differences(from: receipt)
    let advice = """
      The same events make other rows than when \(path) was recorded. If that is meant, let \
      SoundLibraryProjector.version grow and record anew: RECORD_GOLDEN=1 swift test --filter \
      GoldenLogTests
      """
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(advice)")
    #expect(receipt.json(part) == recorded, "\(advice)")
  }

  // MARK: Recording

  /// Writes the log through the importer: three revisions and a second seed, sealed in the middle.
  private static func recordLog(_ path: String) async throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let test = try TestCatalog()
    try await apply(.sample(), at: 1, to: test)
    try await apply(changed(revision: 2), at: 2, to: test)
    _ = try await SoundCatalog.seal(test.directory, options: TestCatalog.options)
    var other = TestSeed(seedId: "other", dimensions: ["moods": ["Wistful", "Ominous"]])
    other.music = [TestSeed.song(900)]
    other.music[0].title = "Übermut \"quoted\" \\ 林 🐉"
    try await apply(other, at: 3, to: test)
    try await apply(.sample(revision: 3), at: 4, to: test)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, bytes) in try test.logFiles where name.hasSuffix(".zst") {
      try bytes.write(to: URL(fileURLWithPath: path + "/" + name))
    }
  }

  private static func changed(revision: Int) -> TestSeed {
    var seed = TestSeed.sample(revision: revision)
    seed.dimensions["locations"] = ["Forest", "Desert", "Arctic"]
    seed.music[0].title = "Another title"
    seed.music[0].duration = 0.1
    seed.music[1].appleMusicPlaylistId = "pl.other"
    seed.music[2].tags["moods"] = []
    seed.packs[2].items.append(seed.packs[0].items.removeFirst())
    seed.packs[1].items.removeLast()
    seed.packs[1].version = 7
    return seed
  }

  private static func apply(
    _ seed: TestSeed, at minute: Int64, to test: TestCatalog
  ) async throws {
    let time = try TestCatalog.time(1_767_225_600_000 + minute * 60_000)
    let catalog = try await test.open { $0.clock = .fixed(time) }
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(seed.source, retiresMissing: true)
  }
}
