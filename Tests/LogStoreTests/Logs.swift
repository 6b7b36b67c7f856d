import CatalogTestSupport
import EventLog
import PostgresLog

/// The id of each log under trial.
let trialID = LogID(bytes: Array(0x20..<0x30))

extension LogStore {
  func writer(_ known: [LogHead] = [], wait: Duration? = nil) throws -> any LogWriter {
    try writing(WriterOpening(logID: trialID, knownHeads: known, holder: "test", wait: wait))
  }

  /// All lines from a head on, batch by batch.
  func batches(after head: LogHead? = nil) throws -> [(info: BatchInfo, lines: [String])] {
    let cursor = try reading(after: head, readsAhead: false)
    var found: [(info: BatchInfo, lines: [String])] = []
    while let batch = try cursor.nextBatch() { found.append((batch, try cursor.lines())) }
    return found
  }
}

extension BatchCursor {
  func lines() throws -> [String] {
    var text = ""
    while let block = try nextLines() { text += String(decoding: block.bytes, as: UTF8.self) }
    return text.split(separator: "\n").map(String.init)
  }
}

extension LogWriter {
  @discardableResult
  func append(_ lines: [String], after head: LogHead? = nil) throws -> AppendOutcome {
    var batch = try makeBatch(expecting: head ?? self.head)
    for line in lines {
      try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) }
    }
    return try append(batch)
  }
}

/// The code of the error that a body throws; nil if it throws none.
func code(_ body: () throws -> Void) -> EventLogError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? EventLogError)?.code
  }
}
