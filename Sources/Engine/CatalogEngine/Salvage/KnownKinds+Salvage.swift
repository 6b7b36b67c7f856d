import CatalogModel
import CatalogStore
package import EventLog
import Projections
import Support

extension KnownKinds {
  /// The kind of a damaged log, as its good events say, or its database if they do not.
  ///
  /// - Throws: `CatalogError` with `unknownKind` if neither tells it; what reading the good events throws.
  package func kind(
    of salvage: LogSalvage, besides database: String?
  ) throws -> SalvagedKind {
    var created: CatalogCreated?
    var events: [DescribingEvent] = []
    var types: [String: Int] = [:]
    func take(_ line: UnsafeRawBufferPointer, _ sequence: UInt64) {
      if sequence == 1 { created = try? EventLine(line: line, expecting: 1).created().event }
      // Without the event that names the kind, the types of the others tell it.
      if created == nil, let event = try? EventLine(line: line, expecting: sequence) {
        types[event.type, default: 0] += 1
      }
      guard let descriptions,
        let event = DescribingEvent(line, sequence, of: descriptions.eventType)
      else { return }
      events.append(event)
    }
    var reader = SalvagedLineReader()
    func takePart(of batch: DamagedBatch) throws {
      for line in try DamagedBatchEvents(of: batch, &reader).lines.lines {
        line.bytes.withUnsafeBytes { take($0, line.sequence) }
      }
    }
    try salvage.forEachBatch(pastGaps: true, damaged: takePart) { batch in
      while let block = try batch.nextLines() {
        EventLines.forEach(in: block.bytes, first: block.firstSequence, take)
      }
    }
    if let created, let kind = kind(named: created.kind) { return SalvagedKind(kind) }
    let lost = lostDescriptions(of: salvage, besides: database)
    let name = created?.kind ?? events.last?.kindName ?? lost.last?.kindName
    if let descriptions, let name, !events.isEmpty || !lost.isEmpty {
      return try SalvagedKind(
        named: name, SalvagedKind.Descriptions(events, lost: lost, by: descriptions))
    }
    if let kind = database.flatMap(kindWithoutLog) { return SalvagedKind(kind) }
    if let created {
      let known = Self.unknown(created.kind, names)
      guard descriptions != nil else { throw known }
      throw CatalogError(
        .unknownKind,
        known.explanation
          + "; or the event that describes its tables is lost: \(do: .salvagePastGaps) writes it again if the "
          + "catalog with its database is named, and not the events alone")
    }
    guard let kind = kind(ofEventsOf: types) else {
      throw CatalogError(
        .unknownKind,
        "event 1, which names the kind of the log, is lost, and most events that are left are of no kind that this program knows: "
          + "\(names.joined(separator: ", ")); restore that part of the log from a copy, or salvage it with the program of its kind"
      )
    }
    return SalvagedKind(kind)
  }

  /// The kind that most of some events are of, and no other kind.
  ///
  /// - Parameter types: how many events there are of each type.
  private func kind(ofEventsOf types: [String: Int]) -> (any CatalogKind)? {
    let counts = kinds.map { kind in
      let own = Set(Self.eventTypes(of: kind))
      return types.reduce(0) { own.contains($1.key) ? $0 + $1.value : $0 }
    }
    let all = types.reduce(0) { $0 + $1.value }
    guard let most = counts.max(), most * 2 > all, counts.count(where: { $0 == most }) == 1,
      let place = counts.firstIndex(of: most)
    else { return nil }
    return kinds[place]
  }

  /// The events that described the kind and that a log lost, as the database of its catalog has them.
  private func lostDescriptions(
    of salvage: LogSalvage, besides path: String?
  ) -> [DescribingEvent] {
    guard let path, let query = descriptions?.payloadsQuery,
      case .checkpoint(let checkpoint)? = HeadEvidence.peek(path)?.claim,
      checkpoint.logID == salvage.logID,
      let rows = HeadEvidence.peek(path, numberedTextsOf: query)
    else { return [] }
    return rows.compactMap { row in
      let sequence = UInt64(clamping: row.number)
      guard salvage.missing.contains(where: { $0.contains(sequence) }),
        let data = try? JSONValue.parse(row.text, file: path)
      else { return nil }
      return DescribingEvent(sequence: sequence, data: data)
    }
  }
}
