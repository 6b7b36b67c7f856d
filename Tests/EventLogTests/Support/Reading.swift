@testable import EventLog

/// What a cursor gave until it ended or threw.
struct Delivered {
  var batches: [BatchInfo] = []
  /// Lines of each batch that was given whole.
  var lines: [[[UInt8]]] = []
  /// Lines of the batch in which the reading threw.
  var rest: [[UInt8]] = []
  var torn: TornTail?
  var error: EventLogError?

  /// Reads on with a cursor to the end of what is there.
  init(_ cursor: LogCursor) throws {
    do {
      while let batch = try cursor.nextBatch() {
        rest = []
        while let block = try cursor.nextLines() {
          rest += block.bytes.dropLast().split(
            separator: 0x0A, omittingEmptySubsequences: false
          ).map(Array.init)
        }
        batches.append(batch)
        lines.append(rest)
        rest = []
      }
      torn = cursor.torn
    } catch let thrown as EventLogError {
      error = thrown
    }
  }
}

extension EventLogReader {
  func delivered(after head: LogHead? = nil) throws -> Delivered {
    do {
      return try Delivered(cursor(after: head))
    } catch let error as EventLogError {
      var delivered = try Delivered(EventLogReader(directory: "/nonexistent").cursor())
      delivered.error = error
      return delivered
    }
  }
}
