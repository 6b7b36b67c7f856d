import Foundation

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
          rest += Self.lines(block.bytes)
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

  /// The lines of a block, each of which ends with a line feed. Without optimisation, `split` would take a tenth of all time.
  static func lines(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let end = memchr(rest.baseAddress!, 0x0A, rest.count)
      let length = end.map { UnsafeRawPointer($0) - rest.baseAddress! } ?? rest.count
      lines.append([UInt8](UnsafeRawBufferPointer(rebasing: rest[..<length])))
      start += length + 1
    }
    return lines
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
