import CatalogModel
package import EventLog
import Foundation

/// An event on one line, for people.
package enum EventLine {
  static func text(_ event: EventEnvelope, json: String) -> String {
    "\(event.sequence)  \(event.at)  \(event.type)  \(event.by)  \(data(of: json))"
  }

  /// An event's line, of a batch whose chain hash is right.
  package static func json(
    of sequence: UInt64, in batch: BatchInfo, of log: any LogStore
  ) throws -> String {
    let cursor = try log.cursor(after: batch.start)
    _ = try cursor.nextBatch()
    var found: String?
    try cursor.forEachLine { line, number in
      if number == sequence { found = String(decoding: line, as: UTF8.self) }
    }
    guard let found else {
      throw EventLogError.noEvent(sequence)
    }
    return found
  }

  /// On several lines.
  package static func pretty(_ json: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let pretty = try JSONSerialization.data(
      withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    return String(decoding: pretty, as: UTF8.self)
  }

  /// The columns of `csv(_:json:)`.
  static let csvHeader = "sequence,at,type,by,op,data\n"

  /// A line for a program that reads tables; the payload is JSON in its cell.
  static func csv(_ event: EventEnvelope, json: String) -> String {
    let data = json.firstRange(of: "\"data\":").map { String(json[$0.upperBound...].dropLast()) }
    let cells = [
      String(event.sequence), event.at.description, event.type, event.by,
      event.operation.description, data ?? "",
    ]
    return CSVOutput.line(cells)
  }

  /// The payload, cut to what fits a line.
  package static func data(of json: String) -> String {
    guard let range = json.firstRange(of: "\"data\":") else { return "" }
    let data = json[range.upperBound...].dropLast()
    return data.count <= 120 ? String(data) : data.prefix(119) + "…"
  }
}
