import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// Reading ahead on other threads gives what reading in one thread gives: batches, events, errors.
@Suite(
  .promise(
    "Reading ahead on other threads, and many batches at once, give what batch after batch "
      + "in one thread gives, errors too",
    by: "on a real kind"))
struct ReplayAheadTests {
  /// All that comes out of a log, and what ended it.
  private struct Outcome: Equatable {
    var batches: [BatchInfo] = []
    var events: [SoundEventRecord] = []
    var error: String?

    init(_ read: (inout [BatchInfo], inout [SoundEventRecord]) throws -> Void) {
      do { try read(&batches, &events) } catch { self.error = "\(error)" }
    }
  }

  private static func plain(_ log: CatalogLog, about item: EntityID? = nil) -> Outcome {
    Outcome { batches, events in
      let replay = try EventReplay(log.reader, decoder: decoder(about: item))
      while let batch = try replay.nextRecords({ events.append($0) }) { batches.append(batch) }
    }
  }

  private static func ahead(_ log: CatalogLog, about item: EntityID? = nil) -> Outcome {
    Outcome { batches, events in
      let replay = try ReplayAhead(log.reader) { decoder(about: item) }
      while let batch = try replay.nextRecords({ events.append($0) }) { batches.append(batch) }
    }
  }

  private static func decoder(about item: EntityID?) -> any BlockDecoder {
    item.map { SoundLibraryDecoder(about: $0) } ?? SoundLibraryKind().makeDecoder(.rows)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64], [false, true])
  func givesWhatReadingInOneThreadGives(seed: UInt64, sealed: Bool) throws {
    let history = try GeneratedHistory(seed: seed, batches: 60, seals: sealed)
    let whole = Self.ahead(history.log)
    #expect(whole == Self.plain(history.log))
    #expect(whole.events == history.records)
    for record in history.records.suffix(200) {
      guard case .itemUpserted(let data) = record.event else { continue }
      let item = data.id
      #expect(Self.ahead(history.log, about: item) == Self.plain(history.log, about: item))
    }
  }

  /// Many small batches of a sealed segment are handed over together, and fill several texts.
  @Test func manyBatchesComeInOrder() throws {
    let history = try GeneratedHistory(seed: 12, batches: 1_500, seals: true)
    let outcome = Self.ahead(history.log)
    #expect(outcome == Self.plain(history.log))
    #expect(outcome.events == history.records)
    #expect(outcome.batches.reduce(0) { $0 + $1.plainLength } > 1 << 20)
  }

  /// What is made of an event's texts on another thread stays with that event, in batches of every length.
  @Test(arguments: [5, 6] as [UInt64], [false, true])
  func textsStayWithTheirEvents(seed: UInt64, makesTexts: Bool) throws {
    let history = try GeneratedHistory(seed: seed, batches: 60, seals: seed == 6)
    let replay = try ReplayAhead(history.log, for: makesTexts ? .rows : .events)
    defer { replay.close() }
    var given: [ItemTexts?] = []
    while try replay.nextBatch({ block, range in
      let texts = SoundLibraryBlock.of(block).texts
      given += range.map { $0 < texts.count ? texts[$0] : nil }
    }) != nil {}
    let made = history.records.map { record -> ItemTexts? in
      guard makesTexts, case .itemUpserted(let event) = record.event else { return nil }
      return ItemTexts(event)
    }
    #expect(given == made)
    #expect(made.contains { $0 != nil } == makesTexts)
  }

  /// A batch of some megabytes is handed over in pieces.
  @Test func longBatchesComeInOrder() throws {
    let folder = try ScratchFolder()
    let writer = try EventLogWriter(
      directory: folder.file("events"), logID: LogID(bytes: Array(0..<16)), holder: "test")
    defer { writer.close() }
    var generator = HistoryGenerator(seed: 9)
    let records = generator.batches(400).joined()
    for seals in [false, true] {
      var batch = try writer.makeBatch(expecting: writer.head)
      var sequence = writer.head.sequence
      for _ in 0..<8 {
        for record in records {
          sequence += 1
          var record = record
          record.sequence = sequence
          try EventEncoder().encode(record).withUnsafeBytes { try batch.append(line: $0) }
        }
      }
      _ = try writer.append(batch)
      if seals { try writer.seal() }
      let log = EventLogReader(directory: folder.file("events")).soundLibrary
      let outcome = Self.ahead(log)
      #expect(outcome == Self.plain(log))
      #expect(outcome.events.count == Int(sequence))
      #expect(outcome.error == nil)
    }
  }

  @Test(arguments: [5, 6] as [UInt64], [false, true])
  func damageEndsBothAtTheSamePlace(seed: UInt64, sealed: Bool) throws {
    let history = try GeneratedHistory(seed: seed, batches: 40, seals: sealed)
    var random = SplitMix(seed: seed)
    let folder = history.folder.file("events")
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".zst") })
    let file = URL(fileURLWithPath: folder + "/" + name)
    let whole = try Data(contentsOf: file)
    for _ in 0..<60 {
      var damaged = whole
      damaged[random.below(damaged.count)] ^= 1 << UInt8(random.below(8))
      try damaged.write(to: file)
      #expect(Self.ahead(history.log) == Self.plain(history.log))
    }
  }

  /// An event that no release knows stops the reading where it stands.
  @Test func aLineThatCannotBeDecodedComesBehindThoseThatCan() throws {
    let folder = try ScratchFolder()
    let writer = try EventLogWriter(
      directory: folder.file("events"), logID: LogID(bytes: Array(0..<16)), holder: "test")
    defer { writer.close() }
    var generator = HistoryGenerator(seed: 3)
    let lines = generator.batches(20).joined().map { EventEncoder().encode($0) }
    var batch = try writer.makeBatch(expecting: writer.head)
    for line in lines { try line.withUnsafeBytes { try batch.append(line: $0) } }
    try Array(#"{"seq":1}"#.utf8).withUnsafeBytes { try batch.append(line: $0) }
    for line in lines { try line.withUnsafeBytes { try batch.append(line: $0) } }
    _ = try writer.append(batch)
    let log = EventLogReader(directory: folder.file("events")).soundLibrary
    let outcome = Self.ahead(log)
    #expect(outcome == Self.plain(log))
    #expect(outcome.events.count == lines.count)
    #expect(outcome.error != nil)
  }

  /// The threads end when their reader goes, however little it read.
  @Test func mayBeLeftAtAnyMoment() throws {
    let history = try GeneratedHistory(seed: 8, batches: 60, seals: true)
    struct Stopped: Error {}
    for count in [0, 1, 2, 100, 300] {
      let replay = try ReplayAhead(history.log)
      var taken = 0
      #expect(throws: Stopped.self) {
        while try replay.nextRecords({ _ in
          if taken == count { throw Stopped() }
          taken += 1
        }) != nil {}
      }
      replay.close()
    }
  }
}
