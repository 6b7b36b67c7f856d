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
    var origin = OperationOrigin()

    /// The beginning of the id. Digits alone would be a sequence.
    var shortID: Substring {
      let id = id.description
      return id.prefix(id.utf8.prefix(8).allSatisfy(\.isASCIIDigit) ? 13 : 8)
    }
  }

  private var operations: [Operation] = []

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - kind: of the log; nil if this program does not know it.
  ///   - matches: whether an event is wanted; others are not counted.
  init(
    _ log: any LogStore, after: UInt64, through last: UInt64, _ kind: (any CatalogKind)?,
    _ matches: (EventEnvelope, String) throws -> Bool
  ) throws {
    guard after < .max else { return }
    let cursor = try log.cursor(after: log.start(before: after + 1))
    var decoder = EnvelopeDecoder()
    let types = OperationOrigin.types(of: kind)
    while let batch = try cursor.nextBatch(), batch.firstSequence <= last {
      var origin = OperationOrigin()
      var isWanted = false
      try cursor.forEachLine { line, sequence in
        let event = try decoder.decode(line: line, expecting: sequence)
        if types.contains(event.type) {
          origin.add(event.type, try JSONValue.parse(line)["data"], of: kind)
        }
        guard sequence > after, sequence <= last,
          try matches(event, String(decoding: line, as: UTF8.self))
        else { return }
        add(event, of: batch)
        isWanted = true
      }
      // Of all its events, as the range is, whichever of them were asked for.
      if isWanted { operations[operations.count - 1].origin.add(origin) }
    }
  }

  /// Counts an event. The operation is named by all events of its batches: these are what a revert takes.
  private mutating func add(_ event: EventEnvelope, of batch: BatchInfo) {
    if operations.last?.id != event.operation {
      operations.append(
        Operation(
          id: event.operation, by: event.by, at: event.at, first: batch.firstSequence,
          last: batch.lastSequence))
    }
    operations[operations.count - 1].last = batch.lastSequence
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
        "reason": operation.origin.reason,
        "documents": operation.origin.documents.isEmpty ? nil : operation.origin.documents,
      ]
    }
    try console.write(format, json: json) { console in
      for operation in shown {
        let types = operation.types.wordsByFrequency
        console.write(
          "\(operation.shortID)  \(operation.first)..\(operation.last)  \(operation.at)  "
            + "\(operation.by)  \(types.joined(separator: ", "))"
            + operation.origin.documents.map { "; \($0)" }.joined()
            + (operation.origin.reason.map { "; \(JSONExcerpt.printable($0))" } ?? ""))
      }
      let total = Count.of(operations.count, "operation")
      let order = newest ? "" : ", the oldest; --newest begins with the last one"
      console.note(shown.count < operations.count ? "\(shown.count) of \(total)\(order)" : total)
    }
  }
}
