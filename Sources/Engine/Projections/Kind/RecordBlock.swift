public import CatalogModel
import Support

/// The events of a kind that writes no block of its own.
final class RecordBlock<Kind: CatalogKind>: EventBlock {
  enum Entry {
    case beginning(Recorded<CatalogCreated>)
    case event(Recorded<Kind.Event>)
  }

  private let kind: Kind
  fileprivate(set) var entries: [Entry] = []

  init(_ kind: Kind) {
    self.kind = kind
  }

  var count: Int { entries.count }

  func sequence(at place: Int) -> UInt64 {
    switch entries[place] {
    case .beginning(let record): record.sequence
    case .event(let record): record.sequence
    }
  }

  func envelope(at place: Int) -> EventEnvelope {
    switch entries[place] {
    case .beginning(let record): record.makeEnvelope(EngineEventType.catalogCreated.rawValue)
    case .event(let record): record.makeEnvelope(kind.type(of: record.event).rawValue)
    }
  }

  func beginning(at place: Int) -> CatalogCreated? {
    if case .beginning(let record) = entries[place] { record.event } else { nil }
  }

  func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }
}

/// Decodes events by what a kind says of their payloads.
struct RecordDecoder<Kind: CatalogKind>: BlockDecoder {
  let kind: Kind
  private var envelopes = EnvelopeDecoder()

  init(_ kind: Kind) {
    self.kind = kind
  }

  func makeBlock() -> any EventBlock { RecordBlock(kind) }

  mutating func decode(
    _ lines: UnsafeRawBufferPointer, first: UInt64, into block: any EventBlock
  ) throws {
    guard let block = block as? RecordBlock<Kind> else {
      preconditionFailure("a block of another kind")
    }
    try EventLines.forEach(in: lines, first: first) { line, sequence in
      if let record = canonical(line, sequence) {
        block.entries.append(.event(record))
        return
      }
      let parsed = try EventLine(line: line, expecting: sequence)
      if parsed.isBeginning {
        block.entries.append(.beginning(try parsed.created()))
      } else {
        block.entries.append(.event(try kind.record(of: parsed)))
      }
    }
  }

  /// The event of a line in canonical form; nil if it has another form, which the general reader judges.
  private mutating func canonical(
    _ line: UnsafeRawBufferPointer, _ sequence: UInt64
  ) -> Recorded<Kind.Event>? {
    guard var beginning = envelopes.beginning(of: line) else { return nil }
    let envelope = beginning.envelope
    guard envelope.sequence == sequence, envelope.type != EngineEventType.catalogCreated.rawValue,
      let type = kind.eventType(named: envelope.type), type.version == beginning.version,
      let event = kind.read(type, canonical: &beginning.payload),
      beginning.payload.skip("}}"), beginning.payload.isAtEnd
    else { return nil }
    return Recorded(
      sequence: sequence, at: envelope.at, operation: envelope.operation, by: envelope.by,
      event: event)
  }
}

extension CatalogKind {
  /// The event of a line of the log, with its payload lifted to the newest version of its type.
  package func record(of line: EventLine) throws(EventDecodingError) -> Recorded<Event> {
    try line.record(upcasters, known: eventType) {
      (type: EventType, data) throws(PayloadReader.Problem) in
      try read(type, from: &data)
    }
  }

  public func makeDecoder(_ purpose: ReplayPurpose) -> any BlockDecoder {
    RecordDecoder(self)
  }

  public func encode(_ record: Recorded<Event>, into line: inout [UInt8]) -> String? {
    let type = type(of: record.event)
    return EventEncoder.encode(
      record.makeEnvelope(type.rawValue), version: type.version, into: &line
    ) { write(record.event, to: &$0) }
  }

  public func apply(
    _ block: any EventBlock, _ range: Range<Int>, to rows: some RowStore,
    willApply: ((EventEnvelope) -> Void)?, conflicts: inout [ProjectionConflict]
  ) throws {
    guard let block = block as? RecordBlock<Self> else {
      preconditionFailure("a block of another kind")
    }
    for place in range {
      if let willApply { willApply(block.envelope(at: place)) }
      switch block.entries[place] {
      case .beginning(let record):
        guard record.sequence == 1 else {
          conflicts.append(
            ProjectionConflict(
              sequence: record.sequence, type: EngineEventType.catalogCreated.rawValue,
              message: "a catalog is created once, by event 1"))
          continue
        }
      case .event(let record):
        if let message = try contradiction(record, rows) {
          conflicts.append(
            ProjectionConflict(
              sequence: record.sequence, type: type(of: record.event).rawValue, message: message))
        }
      }
    }
  }

  /// Applies an event.
  ///
  /// - Returns: why it changed nothing, where it contradicts the rows or goes beyond what events may hold.
  func contradiction(
    _ record: Recorded<Event>, _ rows: some RowStore
  ) throws -> String? {
    if let excess = excess(of: record) { return excess }
    do {
      try apply(record, to: rows)
      return nil
    } catch var error as ProjectionError {
      if error.code == .contradiction { return error.message }
      error.sequence = record.sequence
      error.type = type(of: record.event).rawValue
      throw error
    }
  }
}
