import CatalogTestSupport
import Foundation
import Testing

@testable import EventLog

/// A log of several sealed segments and an open one, which is damaged, salvaged, and mended again.
final class SalvageTrial {
  let log: LogFixture
  /// Every batch where it stood before any damage, and where its bytes end: of its frame in a sealed
  /// segment.
  let places: [(info: BatchInfo, end: UInt64)]
  private let whole: [String: [UInt8]]

  static let limits: LogLimits = {
    var limits = LogLimits()
    limits.frame = 64
    limits.sealedFrame = 200
    limits.segment = 700
    return limits
  }()

  init(_ seed: String, batches: Int = 40, _ limits: LogLimits = SalvageTrial.limits) throws {
    log = try LogFixture(limits)
    var generator = SeededGenerator(seed)
    try log.fill(batches, from: &generator)
    let infos = try log.reader.delivered().batches
    var whole: [String: [UInt8]] = [:]
    for name in try log.segments() { whole[name] = try log.bytes(name) }
    self.whole = whole
    places = infos.enumerated().map { index, info in
      let next = infos[index...].first { $0.segment != info.segment || $0.offset > info.offset }
      let size = UInt64(whole[info.segment]?.count ?? 0)
      // Behind the last frame of a sealed segment stands its seek table.
      let end =
        info.storedLength.map { info.offset + $0 }
        ?? (next?.segment == info.segment
          ? next?.offset : size - Self.seekTable(whole[info.segment] ?? [])) ?? size
      return (info, end)
    }
  }

  private static func seekTable(_ bytes: [UInt8]) -> UInt64 {
    UInt64(17 + 8 * bytes.number(UInt32.self, at: bytes.count - 9))
  }

  var segments: [String] { whole.keys.sorted() }
  func bytes(_ name: String) -> [UInt8] { whole[name] ?? [] }
  func isSealed(_ name: String) -> Bool { bytes(name).first == 0x52 }

  /// How many batches stand before a byte: those that damage of it leaves at the beginning. The seek
  /// table at the end of a sealed segment is of no batch.
  func batches(before offset: Int, in name: String) -> Int {
    if isSealed(name), UInt64(offset) >= UInt64(bytes(name).count) - Self.seekTable(bytes(name)) {
      return log.batches.count
    }
    return places.prefix {
      $0.info.segment < name || $0.info.segment == name && $0.end <= UInt64(offset)
    }
    .count
  }

  func mend() throws {
    for name in try log.names() { try log.remove(name) }
    for (name, bytes) in whole { try log.write(bytes, to: name) }
  }

  /// Salvages what is there now, holds it against what was appended, and mends the log.
  ///
  /// - Parameter count: how many batches the unbroken beginning must have; nil if any will do.
  @discardableResult
  func salvage(
    _ what: String, expecting count: Int? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> LogSalvage {
    defer { try? mend() }
    let before = try snapshot()
    let salvage = try log.reader.salvage()
    let found = log.heads.firstIndex(of: salvage.prefix)
    #expect(found != nil, "\(what): a head that never was", sourceLocation: location)
    if let count { #expect(found == count, "\(what): batches", sourceLocation: location) }

    let out = try ScratchFolder(inMemory: true)
    let new = EventLogReader(directory: out.file("events"), limits: log.limits)
    try salvage.writePrefix(to: out.file("events"))
    let read = try new.delivered()
    #expect(read.error == nil && read.torn == nil, "\(what)", sourceLocation: location)
    #expect(
      read.lines == Array(log.batches.prefix(found ?? 0)), "\(what)", sourceLocation: location)
    if found ?? 0 > 0 {
      #expect(try new.head() == salvage.prefix, "\(what)", sourceLocation: location)
      #expect(try new.check().findings.isEmpty, "\(what)", sourceLocation: location)
    }
    try expectEveryEventOnce(salvage, what, location)
    try expectGoodBatches(salvage, what, location)
    #expect(try snapshot() == before, "\(what): the old log was changed", sourceLocation: location)
    return salvage
  }

  /// Each event is salvaged, good behind a gap, or missing, and none is two of these.
  private func expectEveryEventOnce(
    _ salvage: LogSalvage, _ what: String, _ location: SourceLocation
  ) throws {
    var seen = Array(repeating: 0, count: Int(log.head.sequence) + 1)
    var ranges = salvage.behind + salvage.missing
    if salvage.prefix.sequence > 0 { ranges.append(1...salvage.prefix.sequence) }
    for range in ranges {
      try #require(range.upperBound <= log.head.sequence, "\(what): \(range)")
      for sequence in range { seen[Int(sequence)] += 1 }
    }
    let last = seen.lastIndex { $0 > 0 } ?? 0
    #expect(
      seen[1..<max(1, last + 1)].allSatisfy { $0 == 1 }, "\(what): \(seen)",
      sourceLocation: location)
    #expect(
      last == log.head.sequence || salvage.isEndUnknown || salvage.torn != nil
        || !log.heads.contains { $0.sequence > UInt64(last) && isAnywhere($0) },
      "\(what): events behind \(last) are neither salvaged nor missing", sourceLocation: location)
  }

  /// Whether a batch's header is still in any file, as it was written.
  private func isAnywhere(_ head: LogHead) -> Bool {
    guard let place = places.first(where: { $0.info.head == head }),
      let bytes = try? log.bytes(place.info.segment), !isSealed(place.info.segment)
    else { return false }
    let range = Int(place.info.offset)..<Int(place.info.offset) + BatchHeader.fixedLength
    return range.upperBound <= bytes.count && BatchHeader.isIntact(Array(bytes[range]))
  }

  /// What is read behind gaps are batches that were appended, each once, in order.
  private func expectGoodBatches(
    _ salvage: LogSalvage, _ what: String, _ location: SourceLocation
  ) throws {
    var events: [ClosedRange<UInt64>] = []
    try salvage.forEachBatch(pastGaps: true) { batch in
      var text: [UInt8] = []
      while let block = try batch.nextLines() { text += block.bytes }
      let index = try #require(
        log.heads.firstIndex(of: batch.info.head), "\(what)", sourceLocation: location)
      #expect(
        text == log.batches[index - 1].flatMap { $0 + [0x0A] }, "\(what): batch \(index)",
        sourceLocation: location)
      events.append(batch.info.firstSequence...batch.info.lastSequence)
    }
    #expect(
      zip(events, events.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "\(what)",
      sourceLocation: location)
    let count = events.filter { $0.lowerBound > salvage.prefix.sequence }.reduce(0) {
      $0 + $1.count
    }
    #expect(
      count == salvage.behind.reduce(0) { $0 + $1.count }, "\(what)", sourceLocation: location)
  }

  /// Names, bytes and times of change of everything in the log's folder, and of the folder itself.
  private func snapshot() throws -> [String: [UInt8]] {
    var contents = try ScratchFolder.contents(log.path)
    for name in try log.names().union(["."]) {
      let attributes = try FileManager.default.attributesOfItem(atPath: log.path + "/" + name)
      let time = try #require(attributes[.modificationDate] as? Date)
      contents["time of \(name)"] = Array("\(time.timeIntervalSince1970)".utf8)
    }
    return contents
  }
}
