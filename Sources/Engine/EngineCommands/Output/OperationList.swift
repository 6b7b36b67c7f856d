import CatalogEngine
import CatalogModel
import EventLog
import Support

/// The operations of a log, each with what its events are.
struct OperationList {
  private struct Operation {
    let id: EntityID
    let by: String
    let at: Timestamp
    let first: UInt64
    var last: UInt64
    var types = EventCounts()

    /// The beginning of the id. Digits alone would be a sequence.
    var shortID: Substring {
      let id = id.description
      return id.prefix(id.utf8.prefix(8).allSatisfy(\.isASCIIDigit) ? 13 : 8)
    }
  }

  private var operations: [Operation] = []

  /// Reads a log.
  ///
  /// - Parameter matches: whether an event is wanted; others are not counted.
  init(
    _ log: any LogStore, after: UInt64, through last: UInt64,
    _ matches: (EventEnvelope, String) throws -> Bool
  ) throws {
    guard after < .max else { return }
    let cursor = try log.cursor(after: log.start(before: after + 1))
    var decoder = EnvelopeDecoder()
    while let batch = try cursor.nextBatch(), batch.firstSequence <= last {
      try cursor.forEachLine { line, sequence in
        guard sequence > after, sequence <= last else { return }
        let event = try decoder.decode(line: line, expecting: sequence)
        guard try matches(event, String(decoding: line, as: UTF8.self)) else { return }
        add(event)
      }
    }
  }

  private mutating func add(_ event: EventEnvelope) {
    if operations.last?.id != event.operation {
      operations.append(
        Operation(
          id: event.operation, by: event.by, at: event.at, first: event.sequence,
          last: event.sequence))
    }
    operations[operations.count - 1].last = event.sequence
    operations[operations.count - 1].types.add(event.type)
  }

  func write(newest: Bool, limit: Int?, _ format: OutputFormat, to console: Console) throws {
    let ordered = newest ? operations.reversed() : operations
    let shown = ordered.prefix(limit ?? .max)
    let json = shown.map { operation -> JSONObject in
      [
        "op": operation.id.description, "firstSequence": operation.first,
        "lastSequence": operation.last, "at": operation.at.description, "by": operation.by,
        "events": operation.types.total, "types": operation.types,
      ]
    }
    try console.write(format, json: json) { console in
      for operation in shown {
        let types = operation.types.wordsByFrequency
        console.write(
          "\(operation.shortID)  \(operation.first)..\(operation.last)  \(operation.at)  "
            + "\(operation.by)  \(types.joined(separator: ", "))")
      }
      let total = Count.of(operations.count, "operation")
      let order = newest ? "" : ", the oldest; --newest begins with the last one"
      console.note(shown.count < operations.count ? "\(shown.count) of \(total)\(order)" : total)
    }
  }
}
