public import CatalogModel
public import Projections

/// The effect of a revert on a catalog, or the effect that it would have.
public struct RevertReport: Sendable {
  /// A row that is brought back, or that follows from such rows.
  public typealias Row = RowChange

  /// A row that the operations changed and that stays as it is, or cells of it.
  public struct Conflict: Sendable {
    public let table: TableDescription
    public let key: [Value]
    /// The names of the columns that stay; empty if the whole row does.
    public let columns: [String]
    /// Why it stays, for a person: `a later event changed it`.
    public let reason: String
    /// The event that is not taken back.
    public let reverted: EventEnvelope?
    /// The later event that made the reason: the last one that changed the row, or these columns, or the other row of the
    /// reason; nil if none did.
    public let later: EventEnvelope?
  }

  /// A row of which a forced revert takes later values.
  public struct Overwritten: Sendable {
    public let table: TableDescription
    public let key: [Value]
    /// The names of the columns with later values; empty if the whole row comes or goes, and if the values are in no column of it,
    /// as the assets of a pack.
    public let columns: [String]
    /// The row with the later values; nil if a later event removed it.
    public let present: [Value]?
    /// The row that is brought back; nil if it goes.
    public let target: [Value]?
  }

  /// The operations that are taken back, in the order of the log.
  public let operations: [RevertedOperation]
  /// The rows by table in the order of the schema, with the program's own tables.
  public let rows: [Row]
  public let conflicts: [Conflict]
  /// The later values that go, if the caller wants that.
  public let overwritten: [Overwritten]
  /// The number of events that the plan has.
  public let events: Int
  /// The report of the append; nil if this is a plan.
  public let change: ChangeReport?

  init(_ draft: RevertDraft<some Sendable>, of schema: Schema, change: ChangeReport?) throws {
    operations = draft.operations
    rows = draft.changes
    let names = RowNames(schema, of: draft)
    conflicts = try draft.seenConflicts(in: schema).map {
      Conflict(
        table: $0.table, key: $0.key, columns: $0.table.names(of: $0.columns),
        reason: try $0.words(in: schema, names), reverted: $0.reverted, later: $0.later)
    }
    overwritten = draft.overwritten.map {
      Overwritten(
        table: $0.table, key: $0.key, columns: $0.table.names(of: $0.columns),
        present: $0.present, target: $0.target)
    }
    events = draft.events.count
    self.change = change
  }
}

extension TableDescription {
  fileprivate func names(of places: [Int]) -> [String] { places.map { columns[$0].name } }
}

extension RevertConflict {
  /// The reason for a person, as the rest of a sentence about the row.
  package func words(in schema: Schema, _ names: RowNames) throws -> String {
    func row(_ address: RowAddress) throws -> String {
      let table = schema.tables[address.table]
      let name = try other.flatMap { try names.name(of: table, $0) }
      return Self.words(table, otherColumns ?? table.key, address.key)
        + (name.map { " (\($0))" } ?? "")
    }
    return switch reason {
    case .changedLater: "a later event changed it"
    case .removedLater: "a later event removed it"
    case .belongsTo(let address):
      "it goes with \(try row(address)), which \(isOtherGone ? "does not return" : "stays")"
    case .neededBy(let address): "\(try row(address)) refers to it"
    case .missing(let parent): "it refers to \(try row(parent)), which is gone"
    case .taken(let columns): "another row has its \(columns.joined(separator: ", "))"
    case .impossible(let reason): "it cannot be undone, because \(reason)"
    }
  }

  private static func words(
    _ table: TableDescription, _ columns: [Int], _ values: [Value]
  ) -> String {
    let parts = zip(columns, values).map { "\(table.columns[$0].name)=\(StoredLiteral($1).text)" }
    return "\(table.name) \(parts.joined(separator: " "))"
  }
}

/// A value of a key, for a person.
private struct StoredLiteral {
  let text: String

  init(_ value: Value) {
    text =
      switch value {
      case .null: "NULL"
      case .integer(let integer): "\(integer)"
      case .real(let real): "\(real)"
      case .text(let text): "'\(text)'"
      case .id(let id): "'\(id)'"
      case .time(let time): "'\(time)'"
      case .blob(let bytes): "\(bytes.count) bytes"
      }
  }
}
