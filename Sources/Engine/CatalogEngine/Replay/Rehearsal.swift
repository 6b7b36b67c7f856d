import CatalogModel
import EventLog
import Projections
import Support

/// Applies events that nobody appended yet to rows, as a replay will: read from their lines.
struct Rehearsal {
  private let applier: EventApplier
  private var decoder: any BlockDecoder
  private let block: any EventBlock
  /// Whole lines that are not applied yet.
  private var lines: [UInt8] = []
  /// The sequence of the first of them.
  private var first: UInt64
  private var count: UInt64 = 0

  /// Bytes that are decoded at once, about.
  private static let pieceLength = 256 << 10

  init(_ kind: any CatalogKind, _ logID: LogID, after head: LogHead) {
    applier = EventApplier(logID, kind)
    decoder = kind.makeDecoder(.rows)
    block = decoder.makeBlock()
    first = head.sequence + 1
  }

  /// Runs a rehearsal over proved rows. A row that has the key or a unique value of another one contradicts the rows then: the kind
  /// did not look.
  static func translatingDuplicates(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as ProjectionError where error.code == .duplicate {
      throw ProjectionError(.contradiction, "\(error.type ?? "an event"): \(error.explanation)")
    }
  }

  /// - Parameter line: of the next event, without a line feed.
  /// - Throws: `ProjectionError` for an event that contradicts the rows.
  mutating func add(_ line: [UInt8], to store: some RowStore) throws {
    lines += line
    lines.append(0x0A)
    count += 1
    if lines.count >= Self.pieceLength { try finish(on: store) }
  }

  /// Applies what is left.
  mutating func finish(on store: some RowStore) throws {
    guard count > 0 else { return }
    block.removeAll()
    try lines.withUnsafeBytes { try decoder.decode($0, first: first, into: block) }
    try applier.apply(block, 0..<block.count, to: store)
    if let conflict = applier.takeConflicts().first {
      // Without a sequence: the event is not in the log.
      throw ProjectionError(.contradiction, ErrorMessage(conflict.message))
    }
    lines.removeAll(keepingCapacity: true)
    first += count
    count = 0
  }
}
