import CatalogModel
import CatalogTestSupport
import EventLog

@testable import CatalogEngine

/// A log of random events of shelves, of which some contradict the rows before them.
struct ShelvesHistory {
  let folder: ScratchFolder
  let log: CatalogLog
  /// The events of each batch; event 1 alone makes the catalog.
  let batches: [ClosedRange<UInt64>]

  var last: UInt64 { batches.last?.upperBound ?? 0 }

  /// - Parameter seals: whether all of it is in one sealed segment, of many frames with some batches each.
  init(seed: UInt64, batches count: Int, seals: Bool = false) async throws {
    folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.path)
    let catalog = try await EventCatalog.open(directory, Shelves())
    try await catalog.create(by: "test")
    catalog.close()
    var limits = LogLimits.standard
    if seals { limits.sealedFrame = 1 << 14 }
    let writer = try EventLogWriter(directory: directory.events, holder: "test", limits: limits)
    defer { writer.close() }
    var random = SplitMix(seed: seed)
    var batches: [ClosedRange<UInt64>] = [1...1]
    for number in 1..<count {
      var batch = try EventBatch(
        writer, after: writer.head, at: Timestamp(milliseconds: Int64(number) * 1_000), by: "test",
        input: [])
      for _ in 0...random.below(8) { try batch.add(Self.event(&random), Shelves()) }
      let first = writer.head.sequence + 1
      batches.append(first...(try batch.append(to: writer)).sequence)
    }
    if seals { try writer.seal() }
    self.batches = batches
    log = CatalogLog(EventLogReader(directory: directory.events), Shelves())
  }

  private static func event(_ random: inout SplitMix) -> ShelfEvent {
    switch random.below(4) {
    case 0: .shelf(random.pick(["a", "b", "c", "d", "e"]), random.below(3) > 0)
    case 1: .book(random.below(40), on: random.below(4) == 0 ? nil : random.pick(["a", "b", "c"]))
    default: .title(random.below(40), random.text())
    }
  }
}
