package import CatalogModel
package import EventLog
package import Projections
import Support

/// The events of one operation on their way into the log.
///
/// Sequences, time, operation id and source are the same for the whole batch and fixed before the
/// first attempt, so that appending the same input again at the same head gives the same bytes.
package struct EventBatch: ~Copyable {
  private var builder: LogBatchBuilder
  /// Of the event that was added last, without a line feed.
  private(set) var line: [UInt8] = []
  package let before: LogHead
  private let at: Timestamp
  private let operation: EntityID
  private let by: String
  private var next: UInt64

  /// - Parameter input: SHA-256 of the document that is carried out.
  package init(
    _ writer: any LogWriter, after head: LogHead, at: Timestamp, by: String, input: [UInt8]
  ) throws {
    builder = try writer.makeBatch(expecting: head)
    before = head
    next = head.sequence + 1
    self.at = at
    self.by = by
    operation = Self.operation(after: head, input: input)
  }

  /// - Throws: `CatalogError` with `changeRefused` for an event beyond what events of its kind may hold: it would
  ///   change nothing, in this replay and in all later ones.
  package mutating func add<Kind: CatalogKind>(_ event: Kind.Event, _ kind: Kind) throws {
    let record = Recorded(
      sequence: next, at: at, operation: operation, by: by, event: event)
    try Self.encode(record, kind, into: &line)
    try line.withUnsafeBytes { try builder.append(line: $0) }
    next += 1
  }

  /// Replaces the bytes of a line by those of an event, without a line feed.
  ///
  /// - Throws: as `add`.
  static func encode<Kind: CatalogKind>(
    _ record: Recorded<Kind.Event>, _ kind: Kind, into line: inout [UInt8]
  ) throws {
    line.removeAll(keepingCapacity: true)
    if let excess = kind.excess(of: record) ?? kind.encode(record, into: &line) {
      throw refusal(of: record.event, kind, excess)
    }
  }

  /// Appends all of them, or none.
  package consuming func append(to writer: any LogWriter) throws -> LogHead {
    switch try writer.append(builder) {
    case .appended(let head), .already(let head): head
    }
  }

  /// Appends the first event of a log, alone in its batch.
  static func append(
    _ created: CatalogCreated, to writer: any LogWriter, at: Timestamp, by: String
  ) throws {
    var batch = try EventBatch(
      writer, after: writer.head, at: at, by: by, input: writer.logID.bytes)
    let type = EngineEventType.catalogCreated
    var line: [UInt8] = []
    let envelope = EventEnvelope(
      sequence: batch.next, at: at, type: type.rawValue, operation: batch.operation, by: by)
    if let problem = EventEncoder.encode(
      envelope, version: type.version, into: &line, payload: created.write)
    {
      throw CatalogError(.changeRefused, "\(type.rawValue) is refused: \(problem)")
    }
    try line.withUnsafeBytes { try batch.builder.append(line: $0) }
    _ = try batch.append(to: writer)
  }

  /// What stands for the document where events are asked for by a person: SHA-256 over the lines that
  /// they would be, without what makes them this batch's.
  package static func input<Kind: CatalogKind>(
    of events: PlannedEvents<Kind.Event>, _ kind: Kind, by: String
  ) throws -> [UInt8] {
    let none = EntityID(high: 0, low: 0)
    var hash = SHA256()
    // A line at a time: all of them together are as large as what is appended.
    var line: [UInt8] = []
    for event in events {
      let record = Recorded(
        sequence: 0, at: Timestamp(milliseconds: 0), operation: none, by: by, event: event)
      line.removeAll(keepingCapacity: true)
      if let excess = kind.encode(record, into: &line) { throw refusal(of: event, kind, excess) }
      line.append(0x0A)
      hash.update(data: line)
    }
    return Array(hash.finalize())
  }

  private static func refusal<Kind: CatalogKind>(
    of event: Kind.Event, _ kind: Kind, _ excess: String
  ) -> CatalogError {
    CatalogError(.changeRefused, "\(kind.type(of: event).rawValue) is refused: \(excess)")
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
