import CatalogEngine
import CatalogTestSupport
import EventLog
import NotesKind

/// A log of random entries of a ledger.
struct LedgerHistory {
  let folder: ScratchFolder
  let log: CatalogLog
  /// The events of each batch; event 1 alone makes the catalog.
  let batches: [ClosedRange<UInt64>]

  init(seed: UInt64, batches count: Int) async throws {
    folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("ledger"))
    let catalog = try await EventCatalog.open(directory, Ledger())
    defer { catalog.close() }
    try await catalog.create(by: "test")
    var random = SplitMix(seed: seed)
    var batches: [ClosedRange<UInt64>] = [1...1]
    for _ in 1..<count {
      let entries = (0...random.below(5)).map { _ in
        Ledger.Entry(
          account: random.below(6), balance: random.below(4) == 0 ? nil : random.below(9))
      }
      let report = try await catalog.change(by: "test") { _ in entries }
      let first = (batches.last?.upperBound ?? 0) + 1
      batches.append(first...report.sequence)
    }
    self.batches = batches
    log = CatalogLog(EventLogReader(directory: directory.events), Ledger())
  }
}
