import CatalogModel
import EventLog

/// The events of a damaged batch whose numbers are certain.
///
/// Each line must name its own sequence, and lines that stand behind each other consecutive ones. Those of
/// the batch's beginning must begin with its first event, those of its end must end with its last, and
/// between them none may be outside the batch or stand before what was read already. Where that does not
/// hold, none of these lines is taken.
struct DamagedBatchEvents {
  private(set) var lines = SalvagedLines()
  /// The events of all of them, those that cannot be read among them.
  private(set) var ranges: [LogSalvage.Events] = []

  /// Lines that stand behind each other.
  fileprivate struct Stretch {
    var first: UInt64?
    var next: UInt64?
    /// A line names another number than is due.
    var isContradicted = false
    var lines = SalvagedLines()
  }

  init(of batch: DamagedBatch, _ reader: inout SalvagedLineReader) throws {
    var stretch = Stretch()
    var own = reader
    try batch.forEachPiece { piece in
      switch piece {
      case .begin(let isFirst):
        stretch = Stretch()
        if isFirst { stretch.begin(with: batch.firstSequence) }
      case .lines(let bytes):
        EventLines.forEach(in: bytes, first: 0) { line, _ in stretch.read(line, &own) }
      case .end(let isLast):
        take(stretch, isLast: isLast, of: batch)
      }
    }
    reader = own
  }

  private mutating func take(_ stretch: Stretch, isLast: Bool, of batch: DamagedBatch) {
    guard !stretch.isContradicted, let first = stretch.first, let next = stretch.next, next > first,
      first > ranges.last?.upperBound ?? (batch.firstSequence - 1),
      isLast ? next - 1 == batch.lastSequence : next <= batch.lastSequence
    else { return }
    lines.append(stretch.lines)
    ranges.append(first...next - 1)
  }
}

extension DamagedBatchEvents.Stretch {
  fileprivate mutating func begin(with sequence: UInt64) {
    first = sequence
    next = sequence
  }

  fileprivate mutating func read(_ line: UnsafeRawBufferPointer, _ reader: inout SalvagedLineReader)
  {
    let own = Self.sequence(of: line)
    if next == nil, let own { begin(with: own) }
    // Before the first line that says where it is, nothing can be placed.
    guard let sequence = next, sequence < .max else { return }
    next = sequence + 1
    if let own, own != sequence { isContradicted = true }
    lines.take(line, sequence, &reader)
  }

  /// The number with which a line as our writers make them begins.
  private static func sequence(of line: UnsafeRawBufferPointer) -> UInt64? {
    let key = Array("{\"seq\":".utf8)
    guard line.starts(with: key) else { return nil }
    let digits = line.dropFirst(key.count).prefix { 0x30...0x39 ~= $0 }
    return UInt64(String(decoding: digits, as: UTF8.self))
  }
}
