public import CatalogModel
import Projections

/// The event `source.read`: the document from which the changes of the batch come.
public struct SourceRead: Hashable, Sendable {
  /// How many rows of a table a document has, and what they change.
  public struct TableCounts: Hashable, Sendable {
    public var table: String
    public var rows: Int64
    public var new: Int64
    public var changed: Int64
    public var gone: Int64

    public init(_ table: String, rows: Int64, new: Int64, changed: Int64, gone: Int64) {
      self.table = table
      self.rows = rows
      self.new = new
      self.changed = changed
      self.gone = gone
    }

    /// Whether the document changes a row of the table.
    public var hasChanges: Bool { new + changed + gone > 0 }
  }

  /// The file, as the person named it.
  public var name: String
  /// The document of the description that it is; nil if it is none of them.
  public var document: String?
  /// `csv`, `json`, `jsonl`.
  public var format: String
  public var bytes: Int64
  /// SHA-256 of the bytes as they were read, in hexadecimal digits.
  public var sha256: String
  /// The time at which the file was changed last; nil if it is not known.
  public var modified: Timestamp?
  /// Says how the document was read: two documents of the same bytes that were read differently are not the same.
  public var reading: String
  public var tables: [TableCounts]
  public var warnings: [String]
  /// Why it was imported, in a person's words; nil if none was given. At most `RevertedOperation.longestReason` bytes.
  public var reason: String?

  public init(
    name: String, document: String?, format: String, bytes: Int64, sha256: String,
    modified: Timestamp?, reading: String, tables: [TableCounts], warnings: [String],
    reason: String? = nil
  ) {
    self.name = name
    self.document = document
    self.format = format
    self.bytes = bytes
    self.sha256 = sha256
    self.modified = modified
    self.reading = reading
    self.tables = tables
    self.warnings = warnings
    self.reason = reason
  }
}

extension SourceRead: PayloadObject {
  public static let payload = Payload(
    Member("name", \Self.name), Member("document", \.document), Member("format", \.format),
    Member("bytes", \.bytes), Member("sha256", \.sha256), Member("modified", \.modified),
    Member("reading", \.reading), Member("tables", { Tables($0.tables) }),
    Member("warnings", \.warnings),
    make: {
      SourceRead(
        name: $0, document: $1, format: $2, bytes: $3, sha256: $4, modified: $5, reading: $6,
        tables: $7.list, warnings: $8)
    })

  private static let reasonKey = "reason"

  /// Reads the members of an event. One without a reason has no member for it, as all events before there were reasons.
  static func read(members data: inout PayloadReader) throws(PayloadReader.Problem) -> SourceRead {
    var source = try payload.read(&data)
    if let reason = data.takeIfPresent(reasonKey) { source.reason = try String.read(reason) }
    return source
  }

  /// Writes the members of an event.
  func writeMembers(to data: inout PayloadWriter) {
    Self.payload.write(self, to: &data)
    if let reason { data.value(forKey: Self.reasonKey, reason) }
  }

  /// The counts of each table by its name.
  struct Tables: PayloadValue {
    let list: [TableCounts]

    init(_ list: [TableCounts]) {
      self.list = list
    }

    static var schema: JSONValue {
      .object([JSONValue.Member("type", .string("object"))])
    }

    static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Tables {
      guard case .object(let members) = value else {
        throw PayloadReader.Problem(path: "", message: "an object should be here")
      }
      var list: [TableCounts] = []
      for member in members {
        var data = try PayloadReader(member.value, path: "." + member.key)
        list.append(
          TableCounts(
            member.key, rows: try data.int64("rows"), new: try data.int64("new"),
            changed: try data.int64("changed"), gone: try data.int64("gone")))
        try data.finish()
      }
      return Tables(list)
    }

    func write(to data: inout PayloadWriter) {
      data.object {
        for counts in list { $0.value(forKey: counts.table, PayloadJSON(counts.json)) }
      }
    }
  }
}

extension SourceRead.TableCounts {
  fileprivate var json: JSONValue {
    .members([
      "rows": .integer(rows), "new": .integer(new), "changed": .integer(changed),
      "gone": .integer(gone),
    ])
  }
}
