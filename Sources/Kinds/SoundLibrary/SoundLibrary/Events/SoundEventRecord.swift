public import CatalogModel

/// An event of a sound library with its envelope.
public typealias SoundEventRecord = Recorded<SoundEvent>

extension SoundEventRecord {
  public var envelope: EventEnvelope { envelope(of: EventType(of: event)) }

  fileprivate func envelope(of type: EventType) -> EventEnvelope {
    EventEnvelope(sequence: sequence, at: at, type: type.rawValue, operation: operation, by: by)
  }

  /// Why the event goes beyond what any release wrote; nil if it does not.
  ///
  /// A log that was written by hand may have such an event. No projector applies it (docs/EVENTS.md, "What changes
  /// nothing"): numbers below zero, texts of many megabytes and paths that lead out of the catalog's folder reach no row.
  public var excess: String? { excess(isNew: false) }

  /// Why the event is not written; nil if it is. Narrower than `excess`: events that are in a log already keep their rows.
  public var unwritable: String? { excess(isNew: true) }

  private func excess(isNew: Bool) -> String? {
    if by.utf8.count > TextRules.nameLimit {
      return "by has \(by.utf8.count) bytes; the limit is \(TextRules.nameLimit)"
    }
    return event.isFrequentWithinLimits
      ? nil : SoundEvent.vocabulary.excess(of: event, isNew: isNew)
  }
}

extension EventEncoder {
  /// Appends one line, without the newline that ends it in a log.
  ///
  /// - Returns: what no log may hold; nil if there is nothing.
  @discardableResult
  public func encode(_ record: SoundEventRecord, into bytes: inout [UInt8]) -> String? {
    var writer = CanonicalWriter(bytes: [])
    swap(&writer.bytes, &bytes)
    let isWritten = writer.frequentLine(record)
    swap(&writer.bytes, &bytes)
    if isWritten { return nil }
    let type = EventType(of: record.event)
    return Self.encode(record.envelope(of: type), version: type.version, into: &bytes) {
      type.write(record.event, to: &$0)
    }
  }

  /// The line of one event.
  public func encode(_ record: SoundEventRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    encode(record, into: &bytes)
    return bytes
  }
}
