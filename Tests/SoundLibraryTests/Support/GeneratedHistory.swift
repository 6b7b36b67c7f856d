import CatalogModel
import CatalogTestSupport
import EventLog
import SoundLibraryTestSupport

@testable import CatalogEngine
@testable import SoundLibrary

/// A log of generated batches.
struct GeneratedHistory {
  let folder: ScratchFolder
  let log: CatalogLog
  let batches: [[SoundEventRecord]]

  /// - Parameter seals: whether all of it is in one sealed segment, of many frames with some batches each.
  init(seed: UInt64, batches count: Int, seals: Bool = false) throws {
    var generator = HistoryGenerator(seed: seed)
    try self.init(generator.batches(count), seals: seals)
  }

  /// Events that contradict each other as often as not.
  init(contradictory seed: UInt64, events count: Int) throws {
    var history = ContradictoryHistory(seed: seed)
    let records = history.records(count)
    try self.init(
      stride(from: 0, to: count, by: 7).map { Array(records[$0..<min($0 + 7, count)]) })
  }

  /// - Parameter made: batches; the first event is replaced by that which creates the catalog.
  init(_ made: [[SoundEventRecord]], seals: Bool = false) throws {
    folder = try ScratchFolder()
    let id = LogID(bytes: Array(0..<16))
    var limits = LogLimits.standard
    if seals { limits.sealedFrame = 1 << 14 }
    let writer = try EventLogWriter(
      directory: folder.file("events"), logID: id, holder: "test", limits: limits)
    defer { writer.close() }
    var batches = made
    batches[0][0].event = .catalogCreated(
      CatalogCreated(kind: "sound-library", layout: 1, logID: EntityID(bytes: id.bytes)))
    for records in batches {
      var batch = try writer.makeBatch(expecting: writer.head)
      for record in records {
        let line = EventEncoder().encode(record)
        try line.withUnsafeBytes { try batch.append(line: $0) }
      }
      _ = try writer.append(batch)
    }
    if seals { try writer.seal() }
    self.batches = batches
    log = EventLogReader(directory: folder.file("events")).soundLibrary
  }

  var records: [SoundEventRecord] { Array(batches.joined()) }

  func past(_ sequence: UInt64) throws -> PastDatabase {
    try PastDatabase(.sequence(sequence), of: PastStates(log), live: nil)
  }
}
