import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Who looks at a log again and again, beside one who looks for the first time.
@Suite(
  .promise(
    "A reader that begins within a log, or knows a place or a head of it, finds what a "
      + "reader of everything finds",
    by: "other writers, torn writes, older copies, other logs"))
struct KnownPlacesTests {
  /// With which a sealed segment begins.
  private static let seal: ArraySlice<UInt8> = [0x52, 0x2A, 0x4D, 0x18]

  /// Everything that a reader says of a log's end, and of what follows heads.
  private func answers(_ reader: EventLogReader, after heads: [LogHead]) -> [String] {
    func answer(_ body: () throws -> String) -> String {
      do { return try body() } catch { return "\(error)" }
    }
    let ends = [
      answer { "\(try reader.logID()?.bytes ?? [])" },
      answer { "\(try reader.end()?.head.sequence ?? 0) \(try reader.head()?.chain.hex ?? "")" },
      answer { "\(try reader.tornTail().map { "\($0.offset) \($0.length)" } ?? "whole")" },
    ]
    return ends
      + heads.map { head in
        answer {
          let read = try Delivered(reader.cursor(after: head))
          return
            "\(read.lines) \(read.error.map { "\($0)" } ?? "") \(read.torn.map { "\($0)" } ?? "")"
        }
      }
  }

  /// Whatever becomes of the log meanwhile: other writers, writes that were interrupted, copies of before, another log.
  @Test(arguments: UInt64(1)...4)
  func theyGetTheSameAnswers(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var generator = SeededGenerator(seed: seed)
    var limits = LogLimits.standard
    limits.openBatches = 40
    let (log, other) = (try LogFixture(limits), try LogFixture(limits))
    let places = VerifiedOffsets()
    let reader = EventLogReader(directory: log.path, limits: limits, places: places)
    try other.fill(5, from: &generator)
    try log.fill(3, from: &generator)
    var copies: [[String: [UInt8]]] = []
    func contents(_ log: LogFixture) throws -> [String: [UInt8]] {
      try Dictionary(uniqueKeysWithValues: log.segments().map { ($0, try log.bytes($0)) })
    }
    func replace(_ contents: [String: [UInt8]]) throws {
      for name in try log.segments() where contents[name] == nil { try log.remove(name) }
      for (name, bytes) in contents {
        // The same file with other bytes, or another file of the same name.
        if random.below(2) == 0 { try? log.remove(name) }
        try log.write(bytes, to: name)
      }
    }
    var whole = try contents(log)
    func append(_ places: VerifiedOffsets?) throws {
      func open(_ places: VerifiedOffsets?) throws -> EventLogWriter {
        try EventLogWriter(
          directory: log.path, logID: LogFixture.id, holder: "a test", limits: limits,
          places: places)
      }
      let writer: EventLogWriter
      do {
        writer = try open(places)
      } catch let error as EventLogError {
        // A log that is damaged is so for each writer. Then a copy is put in its place.
        let other = #expect(throws: EventLogError.self) { try open(nil) }
        #expect("\(other ?? error)" == "\(error)")
        try replace(whole)
        writer = try open(places)
      }
      #expect(try writer.head == log.reader.head())
      for _ in 0...random.below(2) {
        _ = try writer.append(Lines.batch(from: &generator), after: writer.head)
      }
      if random.below(20) == 0 { try writer.seal() }
      writer.close()
      whole = try contents(log)
    }
    for step in 0..<80 {
      switch random.below(12) {
      case 0...3: try append(places)
      case 4, 5: try append(nil)
      case 6: copies.append(try contents(log))
      case 7 where !copies.isEmpty: try replace(random.pick(copies))
      case 8 where random.below(4) == 0: try replace(try contents(other))
      case 9:
        // An interrupted write: something of the next batch, or not all of the last.
        let name = try #require(try log.segments().last)
        let before = try log.bytes(name)
        guard before.prefix(4) != Self.seal else { continue }
        try append(places)
        let after = try log.bytes(name)
        guard try log.segments().last == name, after.count > before.count else { continue }
        var cut = Array(after[..<(before.count + random.below(after.count - before.count))])
        if random.below(2) == 0 { cut += Array(repeating: 0, count: random.below(4_000)) }
        try log.write(cut, to: name)
      case 10:
        // A sector of the last batch that never reached the disk.
        let name = try #require(try log.segments().last)
        let before = try log.bytes(name)
        guard before.prefix(4) != Self.seal else { continue }
        try append(places)
        var after = try log.bytes(name)
        guard try log.segments().last == name, after.count > before.count else { continue }
        let lost = before.count + random.below(after.count - before.count)
        for place in lost..<after.count { after[place] = 0 }
        try log.write(after, to: name)
      default: break
      }
      try log.removeKeptBytes()
      var heads: [LogHead] = []
      let cursor = try log.reader.cursor()
      while let batch = try? cursor.nextBatch() { heads.append(batch.head) }
      let asked = Array(heads.suffix(4)) + heads.prefix(1) + [LogHead.empty(LogFixture.id)]
      #expect(
        answers(reader, after: asked) == answers(log.reader, after: asked), "step \(step)")
    }
  }

  /// The way to the end does not get longer with the log.
  @Test func aSecondLookReadsTheEndAlone() throws {
    var generator = SeededGenerator(seed: 5)
    let log = try LogFixture()
    let calls = ScriptedFileCalls()
    let places = VerifiedOffsets()
    let reader = EventLogReader(directory: log.path, files: calls, places: places)
    func reads() throws -> Int {
      let writer = try EventLogWriter(
        directory: log.path, logID: LogFixture.id, knownHeads: [log.head], holder: "a test",
        files: calls, places: places)
      try log.append(Lines.batch(from: &generator), to: writer)
      writer.close()
      calls.follow { _, _ in }
      let again = try EventLogWriter(
        directory: log.path, logID: LogFixture.id, knownHeads: [log.heads[log.heads.count - 2]],
        holder: "a test", files: calls, places: places)
      again.close()
      #expect(try reader.head() == log.head)
      #expect(
        try reader.cursor(after: log.heads[log.heads.count - 2]).nextBatch()?.head == log.head)
      return calls.calls.count { $0.hasPrefix("read ") }
    }
    try log.fill(20, from: &generator)
    let few = try reads()
    try log.fill(1_000, from: &generator)
    let many = try reads()
    #expect(many == few, "\(many) reads in a log of 1,000 batches, \(few) in one of 20")
  }

  /// Bytes that were checked are not read again by the same program; whoever reads everything finds what became of them.
  @Test func damageBeforeAKnownPlaceIsFoundByWhoReadsIt() throws {
    var generator = SeededGenerator(seed: 6)
    let log = try LogFixture()
    let places = VerifiedOffsets()
    try log.fill(20, from: &generator)
    func writer(_ places: VerifiedOffsets?, checksEarlier: Bool = false) throws -> EventLogWriter {
      try EventLogWriter(
        directory: log.path, logID: LogFixture.id, checksEarlier: checksEarlier, holder: "a test",
        places: places)
    }
    try writer(places).close()
    let name = LogFolder.name(1)
    var bytes = try log.bytes(name)
    bytes[BatchHeader.fixedLength + 40] ^= 1
    try log.write(bytes, to: name)
    let known = try writer(places)
    #expect(known.head == log.head)
    known.close()
    #expect(throws: EventLogError.self) { try writer(nil) }
    // As an import, which is long, and looks at everything before.
    #expect(throws: EventLogError.self) { try writer(places, checksEarlier: true) }
    #expect(try !log.reader.check().damage.isEmpty)
    let reader = EventLogReader(directory: log.path, places: places)
    #expect(try Delivered(reader.cursor()).error?.isDamage == true)
  }
}
