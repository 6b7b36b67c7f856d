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

  init(_ kind: any CatalogKind, _ writer: any LogWriter, _ rows: TrialRows) {
    self.kind = kind
    self.writer = writer
    self.rows = rows
    written = CatalogSalvage.Written(logID: writer.logID, head: writer.head)
  }

  /// Appends events of one batch of the old log, those of them that contradict nothing.
  mutating func append(_ lines: [SalvagedLines.Line]) throws {
    guard let first = lines.first else { return }
    var lines = lines[...]
    if writer.head.sequence == 0 { try begin(&lines, first) }
    let next = writer.head.sequence + 1
    var olds = lines.map(\.sequence)
    var numbered = lines.enumerated().map { $1.numbered(next + UInt64($0)) }
    if try rows.apply(Array(numbered.joined()), first: next) != nil {
      // One of them contradicts the rows: which one, and what it takes with it, shows event by event.
      numbered = []
      olds = []
      for line in lines {
        let new = next + UInt64(numbered.count)
        let bytes = line.numbered(new)
        if let conflict = try rows.apply(bytes, first: new) {
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
