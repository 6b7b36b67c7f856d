import CatalogModel
import Projections

/// Lines of a damaged log that can be read as events, with their old sequences.
struct SalvagedLines {
  struct Line {
    let sequence: UInt64
    let bytes: [UInt8]
  }

  private(set) var lines: [Line] = []
  /// Whole lines that this release cannot read as events.
  private(set) var leftOut: [CatalogSalvage.UnsalvagedEvent] = []

  /// - Parameter reader: of the log's kind.
  mutating func take(
    _ line: UnsafeRawBufferPointer, _ sequence: UInt64, _ reader: inout SalvagedLineReader
  ) {
    if let reason = reader.reasonAgainst(line, sequence) {
      leftOut.append(CatalogSalvage.UnsalvagedEvent(sequence: sequence, reason: reason))
    } else {
      lines.append(Line(sequence: sequence, bytes: Array(line)))
    }
  }

  mutating func append(_ others: SalvagedLines) {
    lines += others.lines
    leftOut += others.leftOut
  }
}

/// Tells whether a line can be read as an event of a kind.
struct SalvagedLineReader {
  private var decoder: (any BlockDecoder)?
  private let block: (any EventBlock)?

  init(_ kind: any CatalogKind) {
    let decoder = kind.makeDecoder(.rows)
    self.decoder = decoder
    block = decoder.makeBlock()
  }

  /// Takes every line that has a number.
  init() { (decoder, block) = (nil, nil) }

  fileprivate mutating func reasonAgainst(
    _ line: UnsafeRawBufferPointer, _ sequence: UInt64
  ) -> String? {
    do {
      if let block {
        block.removeAll()
        try decoder?.decode(line, first: sequence, into: block)
      }
    } catch {
      return "\(error)"
    }
    return EventLine.renumbered(line, as: sequence) == nil
      ? "its sequence cannot be rewritten" : nil
  }
}
