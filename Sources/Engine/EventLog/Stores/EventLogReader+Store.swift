/// A folder of this machine. An acknowledged batch survives a loss of power.
extension EventLogReader: LogStore {
  package var place: String { folder.path }
  package var largestBatch: Int? { nil }
  package var keepsOthersOut: Bool { true }
  package func place(of batch: BatchInfo) -> String { "\(batch.segment), offset \(batch.offset)" }
  package func durability() -> LogDurability { .machine }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    try cursor(after: head, decodesAhead: readsAhead)
  }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    try EventLogWriter(
      directory: folder.path, logID: opening.logID, knownHeads: opening.knownHeads,
      checksEarlier: opening.checksEarlier, holder: opening.holder, wait: opening.wait,
      files: folder.calls, limits: limits, places: folder.places, willWait: opening.willWait)
  }
}

extension LogCursor: BatchCursor {}
extension EventLogWriter: LogWriter {}
