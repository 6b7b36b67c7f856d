import CatalogModel
import EventLog
import Hashing

/// The events of one operation on their way into the log.
///
/// Sequences, time, operation id and source are the same for the whole batch and fixed before the
/// first attempt, so that appending the same input again at the same head gives the same bytes.
struct EventBatch: ~Copyable {
  private var builder: LogBatchBuilder
  private var line: [UInt8] = []
  let before: LogHead
  private let at: Timestamp
  private let operation: EntityID
  private let by: String
  private var next: UInt64

  /// - Parameter input: SHA-256 of the document that is carried out.
  init(
    _ writer: EventLogWriter, after head: LogHead, at: Timestamp, by: String, input: [UInt8]
  ) throws {
    builder = try writer.makeBatch(expecting: head)
    before = head
    next = head.sequence + 1
    self.at = at
    self.by = by
    operation = Self.operation(after: head, input: input)
  }

  /// - Throws: `CatalogError` with `changeRefused` for an event beyond what documents may hold: it would change
  ///   nothing, in this replay and in all later ones.
  mutating func add(_ event: CatalogEvent) throws {
    let record = EventRecord(
      sequence: next, at: at, operation: operation, by: by, event: event)
    if let excess = record.excess {
      throw CatalogError(.changeRefused, "\(event.type) is refused: \(excess)")
    }
    line.removeAll(keepingCapacity: true)
    EventEncoder().encode(record, into: &line)
    try line.withUnsafeBytes { try builder.append(line: $0) }
    next += 1
  }

  /// Appends all of them, or none.
  consuming func append(to writer: EventLogWriter) throws -> LogHead {
    switch try writer.append(builder) {
    case .appended(let head), .already(let head): head
    }
  }

  /// What stands for the document where events are asked for by a person: SHA-256 over the lines that
  /// they would be, without what makes them this batch's.
  static func input(of events: [CatalogEvent], by: String) -> [UInt8] {
    let none = EntityID(high: 0, low: 0)
    var lines: [UInt8] = []
    for event in events {
      let record = EventRecord(
        sequence: 0, at: Timestamp(milliseconds: 0), operation: none, by: by, event: event)
      EventEncoder().encode(record, into: &lines)
      lines.append(0x0A)
    }
    return Array(SHA256.hash(data: lines))
  }

  /// The first 16 bytes of SHA-256(previous chain hash ‖ SHA-256 of the input), as a UUID of
  /// version 8 (RFC 9562).
  private static func operation(after head: LogHead, input: [UInt8]) -> EntityID {
    var hash = SHA256()
    hash.update(data: head.chain.bytes)
    hash.update(data: input)
    var bytes = Array(hash.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return EntityID(bytes: bytes)
  }
}
