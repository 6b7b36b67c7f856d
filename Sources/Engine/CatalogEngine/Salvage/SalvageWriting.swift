import CatalogModel
import EventLog
import Projections
import Support

/// The new log of a salvage while it is written.
struct SalvageWriting {
  var written: CatalogSalvage.Written
  private let kind: any CatalogKind
  private let writer: any LogWriter
  private let rows: TrialRows
  private let places: [UInt64: UInt64]
  /// Events that describe the kind and are not in the new log.
  private let omitted: Set<UInt64>
  /// Lost events that are to be written again, before the first one that came after them.
  private var lost: ArraySlice<SalvagedKind.LostEvent>
  /// The last line that was appended.
  private var last: SalvagedLines.Line?

  /// An event that describes the kind has another place in the new log than the kind knows.
  struct MovedDescription: Error {
    /// In the old log.
    let sequence: UInt64
    /// In the new log.
    let place: UInt64

    /// Moves the event, and those after it by as much.
    func move(in places: inout [UInt64: UInt64]) {
      guard let known = places[sequence] else { return }
      for (old, assumed) in places where old >= sequence {
        places[old] = place > known ? assumed + (place - known) : assumed - (known - place)
      }
    }
  }

  /// An event that describes the kind cannot be in the new log.
  struct UnusableDescription: Error {
    /// In the old log.
    let sequence: UInt64
  }

  /// - Parameters:
  ///   - kind: as the new log describes it.
  ///   - places: new sequences of the events that describe it, by their old ones.
  init(
    _ kind: any CatalogKind, _ writer: any LogWriter, _ rows: TrialRows,
    _ salvaged: SalvagedKind, at places: [UInt64: UInt64]
  ) {
    self.kind = kind
    self.writer = writer
    self.rows = rows
    self.places = places
    lost = salvaged.lostEvents[...]
    omitted = salvaged.omitted
    written = CatalogSalvage.Written(logID: writer.logID, head: writer.head)
    written.leftOut = salvaged.leftOut
  }

  /// Appends events of one batch of the old log, those of them that contradict nothing.
  mutating func append(_ lines: [SalvagedLines.Line]) throws {
    var lines = lines.filter { !omitted.contains($0.sequence) }[...]
    while let event = lost.first,
      let end = lines.firstIndex(where: { $0.sequence >= event.sequence })
    {
      lost.removeFirst()
      // A part of a damaged batch may have it after all.
      if lines[end].sequence == event.sequence { continue }
      try appendLines(lines[..<end])
      try write(again: event, before: lines[end])
      lines = lines[end...]
    }
    try appendLines(lines)
  }

  /// Writes the lost events that come after all others.
  mutating func finish() throws {
    while let event = lost.popFirst() {
      guard let last else { return }
      try write(again: event, before: last)
    }
  }

  /// - Throws: `MovedDescription` unless the kind knows the place of an event that describes it.
  private func require(_ old: UInt64, at new: UInt64) throws {
    guard let place = places[old], place != new else { return }
    throw MovedDescription(sequence: old, place: new)
  }

  private mutating func appendLines(_ lines: ArraySlice<SalvagedLines.Line>) throws {
    guard let first = lines.first else { return }
    last = lines.last
    var lines = lines
    if writer.head.sequence == 0 { try begin(&lines, first) }
    let next = writer.head.sequence + 1
    // If not, one of the batch may be left out.
    let isInPlace = lines.enumerated().allSatisfy { index, line in
      places[line.sequence].map { $0 == next + UInt64(index) } ?? true
    }
    var olds = lines.map(\.sequence)
    var numbered = lines.enumerated().map { $1.numbered(next + UInt64($0)) }
    if try !isInPlace || rows.apply(Array(numbered.joined()), first: next) != nil {
      // One of them contradicts the rows: which one, and what it takes with it, shows event by event.
      numbered = []
      olds = []
      for line in lines {
        let new = next + UInt64(numbered.count)
        try require(line.sequence, at: new)
        let bytes = line.numbered(new)
        if let conflict = try rows.apply(bytes, first: new) {
          if places[line.sequence] != nil {
            throw UnusableDescription(sequence: line.sequence)
          }
          written.leftOut.append(
            CatalogSalvage.UnsalvagedEvent(
              sequence: line.sequence, reason: "\(conflict.type): \(conflict.message)"))
        } else {
          numbered.append(bytes)
          olds.append(line.sequence)
        }
      }
    }
    try write(numbered)
    for (index, old) in olds.enumerated() { written.note(old, next + UInt64(index)) }
  }

  /// Writes an event that describes the kind, with the time of one that came later.
  private mutating func write(
    again event: SalvagedKind.LostEvent, before later: SalvagedLines.Line
  ) throws {
    if writer.head.sequence == 0 {
      var none: ArraySlice<SalvagedLines.Line> = []
      try begin(&none, later)
    }
    let sequence = writer.head.sequence + 1
    try require(event.sequence, at: sequence)
    let known = try later.bytes.withUnsafeBytes {
      try EventLine(line: $0, expecting: later.sequence)
    }
    var line: [UInt8] = []
    let problem = EventEncoder.encode(
      EventEnvelope(
        sequence: sequence, at: known.at, type: event.type,
        operation: EntityID(bytes: writer.logID.bytes), by: "cli"),
      version: event.version, into: &line, payload: { $0.members(of: event.data) })
    line.append(0x0A)
    if try problem != nil || rows.apply(line, first: sequence) != nil {
      throw UnusableDescription(sequence: event.sequence)
    }
    try write([line])
    written.madeDescriptions.append(event.sequence)
  }

  /// Every log begins with an event that names its id: the old one's, or one that is made.
  private mutating func begin(
    _ lines: inout ArraySlice<SalvagedLines.Line>, _ first: SalvagedLines.Line
  ) throws {
    let old = try first.bytes.withUnsafeBytes {
      try EventLine(line: $0, expecting: first.sequence)
    }
    let isFirst = first.sequence == 1 && old.type == EngineEventType.catalogCreated.rawValue
    let id = EntityID(bytes: writer.logID.bytes)
    var created = CatalogCreated(kind: kind.name, layout: kind.layout, logID: id)
    if isFirst {
      created = try old.created().event
      created.logID = id
    }
    var line: [UInt8] = []
    let problem = EventEncoder.encode(
      EventEnvelope(
        sequence: 1, at: old.at, type: EngineEventType.catalogCreated.rawValue,
        operation: isFirst ? old.operation : id, by: isFirst ? old.by : "cli"),
      version: EngineEventType.catalogCreated.version, into: &line, payload: created.write)
    if let problem {
      throw CatalogError(.changeRefused, "the first event cannot be written: \(problem)")
    }
    line.append(0x0A)
    if isFirst {
      // With the others of its batch, as it was.
      lines[lines.startIndex] = SalvagedLines.Line(sequence: 1, bytes: line.dropLast())
    } else {
      if let conflict = try rows.apply(line, first: 1) {
        throw CatalogError(.verification, "the first event cannot be applied: \(conflict.message)")
      }
      try write([line])
      written.isFirstMade = true
    }
  }

  /// - Parameter lines: each with its line feed.
  private func write(_ lines: [[UInt8]]) throws {
    guard !lines.isEmpty else { return }
    var batch = try writer.makeBatch(expecting: writer.head)
    for line in lines {
      try line.dropLast().withUnsafeBytes { try batch.append(line: $0) }
    }
    _ = try writer.append(batch)
  }
}

extension SalvagedLines.Line {
  /// The line with its line feed and another sequence.
  fileprivate func numbered(_ sequence: UInt64) -> [UInt8] {
    guard let line = bytes.withUnsafeBytes({ EventLine.renumbered($0, as: sequence) }) else {
      preconditionFailure("a line that was read before")
    }
    return line + [0x0A]
  }
}

extension CatalogSalvage.Written {
  fileprivate mutating func note(_ old: UInt64, _ new: UInt64) {
    if let last = stretches.last, last.old.upperBound + 1 == old,
      last.newFirst + UInt64(last.old.count) == new
    {
      stretches[stretches.count - 1].old = last.old.lowerBound...old
    } else {
      stretches.append(CatalogSalvage.Stretch(old: old...old, newFirst: new))
    }
  }
}
