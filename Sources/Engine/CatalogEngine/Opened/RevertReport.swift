public import CatalogModel
public import Projections

/// The effect of a revert on a catalog, or the effect that it would have.
public struct RevertReport: Sendable {
  /// A row that is brought back, or that follows from such rows.
  public typealias Row = RowChange

  /// A row that the operations changed and that stays as it is.
  public struct Conflict: Sendable {
    public let table: TableDescription
    public let key: [Value]
    /// Why it stays, for a person: `a later event changed it`.
    public let reason: String
    /// The event that is not taken back.
    public let reverted: EventEnvelope?
    /// The last later event that changed the row; nil if none did.
    public let later: EventEnvelope?
  }

  /// The operations that are taken back, in the order of the log.
  public let operations: [RevertedOperation]
  /// The rows by table in the order of the schema, with the program's own tables.
  public let rows: [Row]
  public let conflicts: [Conflict]
  /// The report of the append; nil if this is a plan.
  public let change: ChangeReport?

  init(_ draft: RevertDraft<some Sendable>, of schema: Schema, change: ChangeReport?) {
    operations = draft.operations
    rows = draft.changes
    conflicts = draft.conflicts.map {
      Conflict(
        table: $0.table, key: $0.key, reason: $0.reason.words(in: schema), reverted: $0.reverted,
        later: $0.later)
    }
    self.change = change
  }
}

extension RevertConflict.Reason {
  /// For a person, as the rest of a sentence about the row.
  package func words(in schema: Schema) -> String {
    func row(_ address: RowAddress) -> String {
      Self.words(schema.tables[address.table], address.key)
    }
    return switch self {
    case .changedLater: "a later event changed it"
    case .belongsTo(let address): "it goes with \(row(address)), which stays"
    case .neededBy(let address): "\(row(address)) refers to it"
    case .missing(let parent): "it refers to \(row(parent)), which is gone"
    case .taken(let columns): "another row has its \(columns.joined(separator: ", "))"
    case .impossible(let reason): "it cannot be undone, because \(reason)"
    }
  }

  private static func words(_ table: TableDescription, _ key: [Value]) -> String {
    let parts = zip(table.key, key).map { "\(table.columns[$0].name)=\(StoredLiteral($1).text)" }
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
