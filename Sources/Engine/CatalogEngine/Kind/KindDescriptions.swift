public import CatalogModel
package import EventLog
import LibC
public import Projections

/// Makes kinds of catalogs from what their logs say of them.
///
/// A program that has one reads each log whose first event names no kind of the program's own, and whose events describe
/// the kind.
public protocol KindDescriptions: Sendable {
  /// The type of the events that describe a kind: `kind.described`.
  var eventType: String { get }

  /// SQL that gives the sequences of the events that describe a kind, ascending, in a database of such a kind; nil if the
  /// databases do not have them. A log is not searched for these events then.
  var placesQuery: String? { get }

  /// SQL that gives, in a database of such a kind, the sequences and the payloads of the events that describe the kind, ascending; nil
  /// if the databases do not have them. If a server that has the log is away, rows are read by the kind that they describe, whose
  /// fingerprint has to be that of the database.
  var payloadsQuery: String? { get }

  /// The version of the payload of the events that describe a kind.
  var eventVersion: Int64 { get }

  /// Whether an event, as `payloadsQuery` gives it, says all that the one of the log said. If so, a salvage writes one that the log
  /// lost again.
  ///
  /// - Parameter earlier: the event that described the kind before; nil if it is the first one.
  func isWhole(_ event: DescribingEvent, after earlier: DescribingEvent?) -> Bool

  /// Makes the kind of a log.
  ///
  /// - Parameters:
  ///   - name: the kind's name in event 1.
  ///   - events: all events of the log that describe it, in its order; at least one.
  /// - Throws: an error that names the event, if one of them is wrong.
  func kind(
    named name: String, describedBy events: [DescribingEvent]
  ) throws -> any CatalogKind
}

extension KindDescriptions {
  public var placesQuery: String? { nil }
  public var payloadsQuery: String? { nil }
  public var eventVersion: Int64 { 1 }
  public func isWhole(_ event: DescribingEvent, after earlier: DescribingEvent?) -> Bool { false }
}

/// An event of a log that describes the log's kind.
public struct DescribingEvent: Sendable {
  public let sequence: UInt64
  /// The payload.
  public let data: JSONValue

  public init(sequence: UInt64, data: JSONValue) {
    self.sequence = sequence
    self.data = data
  }
}

extension DescribingEvent {
  /// Returns the event with another sequence.
  func moved(to sequence: UInt64) -> DescribingEvent {
    DescribingEvent(sequence: sequence, data: data)
  }

  /// An event of a type; nil if a line is one of another type, or no event: a replay reports that.
  init?(_ line: UnsafeRawBufferPointer, _ sequence: UInt64, of type: String) {
    guard line.contains(Array(type.utf8)),
      let event = try? EventLine(line: line, expecting: sequence), event.type == type
    else { return nil }
    self.init(sequence: sequence, data: event.data)
  }

  /// The events of a type in a log, in its order.
  ///
  /// A line that is not an event is passed over: a replay reports it.
  package static func all(
    in cursor: any BatchCursor, of type: String
  ) throws -> [DescribingEvent] {
    let name = Array(type.utf8)
    var found: [DescribingEvent] = []
    while try cursor.nextBatch() != nil {
      while let block = try cursor.nextLines() {
        // Few lines have the name anywhere, and a search for it is far less work than to look at each line.
        guard block.bytes.contains(name) else { continue }
        EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
          if let event = DescribingEvent(line, sequence, of: type) { found.append(event) }
        }
      }
    }
    return found
  }
}

extension DescribingEvent {
  /// The event of a type with a sequence; nil if that event is of another type.
  static func at(
    _ sequence: UInt64, in reader: any LogStore, of type: String
  ) throws -> DescribingEvent? {
    let cursor = try reader.reading(from: sequence)
    var found: DescribingEvent?
    guard try cursor.nextBatch() != nil else { return nil }
    while found == nil, let block = try cursor.nextLines() {
      EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, place in
        guard place == sequence, let event = try? EventLine(line: line, expecting: sequence),
          event.type == type
        else { return }
        found = DescribingEvent(sequence: sequence, data: event.data)
      }
      if block.firstSequence + UInt64(block.lineCount) > sequence { break }
    }
    return found
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes have a piece that equals others.
  fileprivate func contains(_ piece: [UInt8]) -> Bool {
    guard let base = baseAddress, let first = piece.first else { return piece.isEmpty }
    var start = 0
    while start + piece.count <= count,
      let found = memchr(base + start, Int32(first), count - piece.count - start + 1)
    {
      if memcmp(found, piece, piece.count) == 0 { return true }
      start = UnsafeRawPointer(found) - base + 1
    }
    return false
  }
}
