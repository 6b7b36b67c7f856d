import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import SoundLibraryTestSupport
import Support

@testable import CatalogEngine
@testable import SoundLibrary

/// A log that is recorded in `Events/golden`, once and for ever.
struct GoldenLog: Sendable, CustomStringConvertible {
  static let folder = ScratchFolder.repository + "/Events/golden"

  /// Each log with the seed that it was generated from.
  static let all = [
    GoldenLog(name: "format-1", seed: 1), GoldenLog(name: "format-1-tags", seed: 2),
    GoldenLog(name: "format-1-packs", seed: 3), GoldenLog(name: "format-1-faults", seed: 4),
    GoldenLog(name: "format-1-music", seed: 5),
  ]

  let name: String
  let seed: UInt64

  var path: String { Self.folder + "/\(name)" }
  var events: String { path + "/events" }
  var description: String { name }
  var reader: EventLogReader { EventLogReader(directory: events) }

  /// A log that is there already: it is never recorded over.
  struct IsRecorded: Error, CustomStringConvertible {
    let path: String

    var description: String {
      "\(path) is recorded; format 1 is frozen, and what was recorded in it stays as it is"
    }
  }

  /// Makes the log in a folder that must not be there yet.
  ///
  /// - Throws: `IsRecorded` if it is, with nothing changed.
  func record(in folder: String) throws {
    guard !FileManager.default.fileExists(atPath: folder) else { throw IsRecorded(path: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var limits = LogLimits()
    limits.segment = 12_000
    let id = LogID(bytes: Array(0..<16))
    let files = FaultyFileCalls()
    let writer = try EventLogWriter(
      directory: folder, logID: id, holder: "golden", files: files, limits: limits)
    defer { writer.close() }
    for (index, records) in batches.enumerated() {
      // A segment that could not be sealed when it was closed stays as it is, and so do the others.
      if name == "format-1-faults", index == batches.count - 90 {
        files.set(.init(.rename, errno: EIO, isForEver: true))
      }
      try append(records, to: writer, of: id)
    }
    if name == "format-1-faults" { try tear(folder, writer, id) }
  }

  private func append(
    _ records: [SoundEventRecord], to writer: EventLogWriter, of id: LogID
  ) throws {
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

  private var batches: [[SoundEventRecord]] {
    var generator = HistoryGenerator(seed: seed)
    guard name == "format-1-faults" else { return generator.batches(60) }
    // A third of them as they come, a third with one event each, and between them a batch of some
    // frames. The last third stands in segments that were never sealed.
    let made = generator.batches(90)
    var batches = Array(made[..<30])
    batches += made[30..<60].joined().map { [$0] }
    batches.append(longBatch(like: batches[29][0]))
    batches += made[60...]
    var sequence: UInt64 = 0
    for batch in batches.indices {
      for index in batches[batch].indices {
        sequence += 1
        batches[batch][index].sequence = sequence
      }
    }
    return batches
  }

  /// 1.9 MB that compress well.
  private func longBatch(like record: SoundEventRecord) -> [SoundEventRecord] {
    (0..<7_000).map { number in
      var record = record
      record.event = .itemUpserted(
        ItemUpserted(
          id: EntityID(high: 0x1111_1111_1111_4111, low: 0x8000_0000_0000_0000 + UInt64(number)),
          kind: .music, title: "Song \(number / 8)", subtitle: "Of a batch of several frames",
          duration: Double(number % 8), artworkURL: "https://example.com/artwork"))
      return record
    }
  }

  /// A batch that was never finished: its header and a part of its frame.
  private func tear(_ folder: String, _ writer: EventLogWriter, _ id: LogID) throws {
    guard
      let last = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter({ $0.hasSuffix(".jsonl.zst") }).max()
    else { return }
    let path = URL(filePath: folder + "/" + last)
    let before = try Data(contentsOf: path).count
    let record = SoundEventRecord(
      sequence: writer.head.sequence + 1, at: Timestamp(milliseconds: 0),
      operation: EntityID(high: 1, low: 1), by: "cli",
      event: .dimensionValueAdded(
        DimensionValueAdded(
          dimension: .locations, id: 9_999, name: "Never", sortOrder: nil, isSystem: false)))
    try append([record], to: writer, of: id)
    let file = try FileHandle(forUpdating: path)
    try file.truncate(atOffset: UInt64(before + 200))
    try file.close()
  }
}

/// What a log holds, decoded: never its compressed bytes, which another libzstd makes otherwise.
struct GoldenContent: Codable, Equatable {
  struct Segment: Codable, Equatable {
    var name: String
    var isSealed: Bool
    /// SHA-256 of the segment's lines, as `zstd -dc` prints them.
    var plain: String
    /// Of each batch: first sequence, number of events, plain length, its chain hash's first digits.
    var batches: [String]
  }

  var logID: String
  var sequence: UInt64
  var chain: String
  /// Where the torn batch begins, in the last segment; nil if the log ends with a whole one.
  var tornAt: UInt64?
  /// Events by type.
  var types: [String: Int]
  var segments: [Segment]

  /// Reads a log with our reader.
  init(_ reader: EventLogReader) throws {
    let report = try reader.check()
    guard report.damage.isEmpty, let id = report.logID else {
      throw EventLogError(.lostEvents, "\(report.damage)")
    }
    logID = "\(EntityID(bytes: id.bytes))"
    sequence = report.head.sequence
    chain = report.head.chain.hex
    tornAt = report.torn?.offset
    segments = report.segments.map {
      Segment(name: $0.name, isSealed: $0.isSealed, plain: "", batches: [])
    }
    var hashes = segments.map { _ in SHA256() }
    let cursor = try reader.cursor()
    while let batch = try cursor.nextBatch() {
      guard let index = segments.firstIndex(where: { $0.name == batch.segment }) else { continue }
      segments[index].batches.append(
        "\(batch.firstSequence) \(batch.eventCount) \(batch.plainLength) "
          + batch.chain.hex.prefix(16))
      while let block = try cursor.nextLines() { hashes[index].update(bufferPointer: block.bytes) }
    }
    for index in segments.indices { segments[index].plain = Self.hex(hashes[index].finalize()) }
    types = [:]
    let replay = try EventReplay(reader.soundLibrary)
    while try replay.nextRecords({ types[$0.event.type, default: 0] += 1 }) != nil {}
  }

  init(json: Data) throws {
    self = try JSONDecoder().decode(Self.self, from: json)
  }

  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  private static func hex(_ digest: SHA256Digest) -> String {
    digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined()
  }
}
