import CatalogModel
package import EventLog
package import Foundation
package import GRDB
package import Projections
import Support

/// What a projection is, in a page that can be committed: of which log, by which projector, with
/// which schema, and a digest of each table.
///
/// The exact part pins one log. The timeless part is the same for every log with the same content,
/// so that a fresh import can be held to it.
package struct Receipt: Hashable, Sendable {
  package var checkpoint: Checkpoint
  /// SHA-256 of the schema's SQL.
  package var schema: String
  package var tables: [TableDigest]

  package init(checkpoint: Checkpoint, schema: String, tables: [TableDigest]) {
    self.checkpoint = checkpoint
    self.schema = schema
    self.tables = tables
  }

  /// Reads every row of every described table and full-text index, in one read of the database.
  package init(of schema: Schema, in database: Database) throws {
    guard let checkpoint = try Checkpoint.read(database) else {
      throw StoreError(
        .notADatabase,
        "the database has no checkpoint: no projector made it; \(do: .rebuildKeepingOld) keeps a copy and rebuilds it"
      )
    }
    self.init(
      checkpoint: checkpoint, schema: try SchemaListing(database).digest,
      tables: try schema.tables.map { try TableDigest(of: $0, in: database) }
        + schema.fullTextIndexes.map { try TableDigest(of: $0, in: database) })
  }

  /// One digest over the timeless digests of all tables that are content. What one log reverted is none: receipts written
  /// before anything was reverted stay true.
  package var content: String {
    var hash = SHA256()
    for table in tables {
      if let line = table.contentLine { hash.update(data: line) }
    }
    return Hex.string(hash.finalize())
  }

  /// Which parts of a receipt to write or to compare.
  package enum Part: Sendable {
    case whole
    /// Projector, schema and timeless digests alone.
    case content
  }
}

extension Receipt {
  /// Canonical JSON: fixed key order, one table a line, no times, a newline at the end.
  package func json(_ part: Part = .whole) -> String {
    var lines = ["{", "  \"format\": 1,"]
    if part == .whole {
      lines.append(
        """
          "log": {"id": "\(checkpoint.logID)", "sequence": \(checkpoint.sequence), \
        "chain": "\(checkpoint.head.chain)"},
        """)
    }
    lines.append("  \"projector\": \"\(checkpoint.fingerprint)\",")
    lines.append("  \"schema\": \"\(schema)\",")
    lines.append("  \"content\": \"\(content)\",")
    lines.append("  \"tables\": [")
    let tables = part == .whole ? tables : tables.compactMap(\.asContent)
    for (index, table) in tables.enumerated() {
      let exact = part == .whole ? "\"exact\": \"\(table.exact)\", " : ""
      lines.append(
        "    {\"table\": \"\(table.table)\", \"rows\": \(table.rows), \(exact)"
          + "\"timeless\": \"\(table.timeless)\"}" + (index < tables.count - 1 ? "," : ""))
    }
    lines += ["  ]", "}"]
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A receipt as it was written to a file; a content receipt lacks the exact parts.
package struct RecordedReceipt: Decodable, Sendable {
  package struct Log: Decodable, Hashable, Sendable {
    package let id: String
    package let sequence: UInt64
    package let chain: String
  }

  package struct Table: Decodable, Hashable, Sendable {
    package let table: String
    package let rows: Int
    package let exact: String?
    package let timeless: String
  }

  /// Whether it says nothing of the log and of times.
  package var isOfContent: Bool { log == nil }

  /// The end of the log of which it is; nil if it is of another log than this one, or of none.
  package func head(of logID: LogID) -> LogHead? {
    guard let log, log.id == logID.description, let chain = ChainHash(hex: log.chain) else {
      return nil
    }
    return LogHead(sequence: log.sequence, chain: chain)
  }

  package let format: Int
  package let log: Log?
  package let projector: String
  package let schema: String
  package let content: String
  package let tables: [Table]

  /// Reads a receipt's JSON.
  package init(json: Data) throws {
    do {
      self = try JSONDecoder().decode(RecordedReceipt.self, from: json)
    } catch {
      throw StoreError(.invalidRequest, "this is not a receipt" + ErrorMessage(Self.reason(error)))
    }
    guard format == 1 else {
      throw StoreError(
        .invalidRequest, "the receipt has format \(format); this program knows format 1")
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): " (key \"\(key.stringValue)\" is missing)"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.last.map { " (key \"\($0.stringValue)\" has the wrong type)" } ?? ""
    default: ""
    }
  }

  /// What differs between this and a receipt of now, one line each; empty if nothing does.
  ///
  /// Without a `log` part, or where only content is asked for, times and the log do not count.
  package func differences(from now: Receipt, contentOnly: Bool = false) -> [String] {
    var found: [String] = []
    let isExact = log != nil && !contentOnly
    if isExact, let log {
      if log.id != now.checkpoint.logID.description {
        found.append("log: the receipt is of log \(log.id), this is log \(now.checkpoint.logID)")
      } else if log.sequence != now.checkpoint.sequence
        || log.chain != now.checkpoint.head.chain.hex
      {
        found.append(
          "log: recorded at event \(log.sequence) (\(log.chain.prefix(12))…), "
            + "now at event \(now.checkpoint.sequence) (\(now.checkpoint.head.chain.hex.prefix(12))…)"
        )
      }
    }
    if projector != now.checkpoint.fingerprint.description {
      found.append(
        "projector: recorded \(projector.prefix(12))…, "
          + "now \(now.checkpoint.fingerprint.short)")
    }
    if schema != now.schema {
      found.append("schema: recorded \(schema.prefix(12))…, now \(now.schema.prefix(12))…")
    }
    var known: [String: Table] = [:]
    for table in tables { known[table.table] = table }
    for table in now.tables {
      if !isExact, !table.isContent {
        known[table.table] = nil
        continue
      }
      guard let recorded = known.removeValue(forKey: table.table) else {
        found.append("content: table \(table.table) is not in the recorded receipt")
        continue
      }
      if recorded.timeless == table.timeless, recorded.rows != table.rows {
        found.append(
          "content: the receipt's row count of \(table.table), \(recorded.rows), does not fit its digest: it "
            + "was changed by hand")
      }
      if recorded.timeless != table.timeless {
        found.append(
          "content: \(table.table) differs (\(CountWords.of(recorded.rows, "row")) recorded, \(CountWords.grouped(table.rows)) now)"
        )
      } else if isExact, let exact = recorded.exact, exact != table.exact {
        found.append("times: \(table.table) differs only in its time columns")
      }
    }
    if content != self.content(from: now), !found.contains(where: { $0.hasPrefix("content: ") }) {
      found.append(
        "content: the receipt's digest of everything does not fit those of its tables: it was changed by hand"
      )
    }
    for table in tables where known[table.table] != nil {
      found.append("content: the recorded table \(table.table) is not in this database")
    }
    return found
  }

  /// The digest of everything, of what is recorded of each table.
  private func content(from now: Receipt) -> String {
    let known = Dictionary(now.tables.map { ($0.table, $0) }, uniquingKeysWith: { $1 })
    var hash = SHA256()
    for table in tables {
      let recorded = TableDigest(table, like: known[table.table])
      if let line = recorded.contentLine { hash.update(data: line) }
    }
    return Hex.string(hash.finalize())
  }
}

extension TableDigest {
  fileprivate init(_ recorded: RecordedReceipt.Table, like now: TableDigest?) {
    self.init(
      table: recorded.table, rows: recorded.rows, exact: recorded.exact ?? "",
      timeless: recorded.timeless, isContent: now?.isContent ?? true, empty: now?.empty)
  }

  /// The table as the content has it; nil if it has none of it.
  fileprivate var asContent: TableDigest? {
    if isContent { return self }
    return empty.map { TableDigest(table: table, rows: 0, exact: exact, timeless: $0) }
  }

  /// A table's part of the digest of everything; nil if it has none.
  fileprivate var contentLine: [UInt8]? {
    asContent.map { Array("\($0.table) \($0.rows) \($0.timeless)\n".utf8) }
  }
}
