public import CatalogModel

/// An event by which an operation is taken back. A kind has both among its events (docs/YOUR_OWN_KIND.md).
public enum Reversal: Hashable, Sendable {
  /// `operation.reverted`: the first event of the batch, one for each operation that is taken back.
  case operation(RevertedOperation)
  /// `rows.restored`: rows of one table that are again what they were.
  case rows(RestoredRows)
}

extension Reversal {
  /// Changes the rows as the event says, or not at all.
  ///
  /// - Parameters:
  ///   - record: the event that says it.
  ///   - reverted: the kind's table of what is reverted.
  /// - Returns: the rows that were restored, from which a kind makes what follows from them.
  /// - Throws: as `RestoredRows.restore`.
  @discardableResult
  public func apply(
    _ record: Recorded<some Sendable>, reverted: TypedTable<RevertedRow>, in schema: Schema,
    to rows: some RowStore
  ) throws -> [RestoredRow] {
    switch self {
    case .operation(let operation):
      try rows.put(
        RevertedRow(
          operation: operation.operation, first: operation.first, last: operation.last,
          documents: operation.documents.joined(separator: " "), reason: operation.reason,
          revertedBy: record.operation, revertedAt: record.at),
        in: reverted)
      return []
    case .rows(let restored): return try restored.restore(in: schema, to: rows)
    }
  }
}

/// Events of a kind that can take operations back.
///
/// ```swift
/// enum BookEvent: ReversibleEvent {
///   case added(EntityID, title: String)
///   case reversal(Reversal)
///
///   var asReversal: Reversal? { if case .reversal(let reversal) = self { reversal } else { nil } }
/// }
/// ```
public protocol ReversibleEvent: Sendable {
  /// The event that holds a reversal: a case of this name is enough.
  static func reversal(_ reversal: Reversal) -> Self
  /// The reversal that the event holds; nil if it is another event.
  var asReversal: Reversal? { get }
}

/// The descriptions of the two events, for a vocabulary.
extension EventDescription where Event: ReversibleEvent {
  public static var operationReverted: EventDescription {
    EventDescription(
      "operation.reverted", RevertedOperation.payload, { Event.reversal(.operation($0)) },
      of: { if case .operation(let operation) = $0.asReversal { operation } else { nil } })
  }

  public static var rowsRestored: EventDescription {
    EventDescription(
      "rows.restored", RestoredRows.payload, { Event.reversal(.rows($0)) },
      of: { if case .rows(let rows) = $0.asReversal { rows } else { nil } })
  }
}

/// A kind whose events can take operations back brings each row back by the event `rows.restored`, if it says nothing else.
extension CatalogKind where Event: ReversibleEvent {
  public func event(reverting operation: RevertedOperation) -> Event? {
    .reversal(.operation(operation))
  }

  public func wayBack(to rows: RestoredRows) -> WayBack<Event> {
    .events([.reversal(.rows(rows))])
  }
}

/// The answer of a kind that is asked to bring rows back.
public enum WayBack<Event: Sendable>: Sendable {
  /// These events do it.
  case events([Event])
  /// It cannot be undone, and why: `because` what follows, as in "what was downloaded is on this machine alone".
  case impossible(because: String)
}

/// Says of a kind's rows what the engine has to know to bring some of them back and leave the others right.
public struct ReversalRules: Sendable {
  /// Columns of a table.
  public struct Columns: Sendable {
    package let table: TableDescription
    package let places: [Int]
    /// Values before theirs, so that they agree with those of a table that names this one in a column: `mood` and 7.
    package let prefix: [Value]
    /// Whether the rows that agree are a list, of which no row is changed without the others.
    package let isList: Bool

    /// - Parameters:
    ///   - columns: their names.
    ///   - isList: whether the rows that agree are a list, of which no row is changed without the others. An index of the
    ///     table has these columns, or its key begins with them.
    public init(
      _ table: TableDescription, _ columns: [String], after prefix: [Value] = [],
      isList: Bool = false
    ) {
      self.table = table
      self.prefix = prefix
      self.isList = isList
      places = columns.map { name in
        guard let place = table.index(of: name) else {
          preconditionFailure("no column \(name) in \(table.name)")
        }
        return place
      }
    }

    package func values(of row: [Value]) -> [Value] { prefix + places.map { row[$0] } }
  }

  /// Tables whose rows follow from those of other tables. No event holds them: when a kind applies `rows.restored`, it makes
  /// them anew.
  public var derived: [TableDescription]
  /// Columns that the kind sets itself when it applies `rows.restored`. It may also keep a row of such a table that would be
  /// removed.
  public var settled: [Columns]
  /// Rows that are brought back together or not at all: those that agree in the columns of one bundle.
  public var bundles: [[Columns]]
  /// Columns that have the SHA-256 of a document which was imported. A row that a later import changed stays, and is no
  /// conflict.
  public var documents: [Columns]
  /// Columns that refer to a row by other means than the schema says: a row that is referred to is not removed.
  public var references: [(from: Columns, to: Columns)]
  /// Columns of two tables that never have the same values: what is a song is no other name of one.
  public var exclusions: [(Columns, Columns)]
  /// The rows that a row of a table refers to by a text, such as a list of ids. It is not put back without them.
  package var mentions: [(table: TableDescription, rows: Mentioned)] = []

  /// Tables and keys of the rows that a row refers to.
  package typealias Mentioned = @Sendable ([Value]) -> [(table: TableDescription, key: [Value])]

  public init(
    derived: [TableDescription] = [], settled: [Columns] = [], bundles: [[Columns]] = [],
    references: [(from: Columns, to: Columns)] = [], documents: [Columns] = [],
    exclusions: [(Columns, Columns)] = []
  ) {
    self.exclusions = exclusions
    self.documents = documents
    self.derived = derived
    self.settled = settled
    self.bundles = bundles
    self.references = references
  }
}
