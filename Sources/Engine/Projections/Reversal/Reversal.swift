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

/// The answer of a kind that is asked to bring rows back.
public enum WayBack<Event: Sendable>: Sendable {
  /// These events do it.
  case events([Event])
  /// It cannot be undone, and why: `because` what follows, as in "what was downloaded is on this machine alone".
  case impossible(because: String)
}
