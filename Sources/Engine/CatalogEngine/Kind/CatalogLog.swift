package import EventLog
package import Projections

/// The log of a catalog: its bytes, and the kind that knows what they mean.
package struct CatalogLog: Sendable {
  package let reader: any LogStore
  package let kind: any CatalogKind
  /// When a replay of it stops with an error; nil if never.
  package var limit: TimeLimit?

  package init(_ reader: any LogStore, _ kind: any CatalogKind) {
    self.reader = reader
    self.kind = kind
  }

  /// The id of the log; nil if there is none.
  package func logID() throws -> LogID? { try reader.logID() }

  /// The end of the log; nil if there is none.
  package func head() throws -> LogHead? { try reader.head() }

  package func end() throws -> (logID: LogID, head: LogHead)? { try reader.end() }

  /// - Throws: `CatalogError` with `noCatalog` if there is none.
  package func requireEnd() throws -> (logID: LogID, head: LogHead) {
    guard let end = try end() else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    return end
  }

  package func cursor(after head: LogHead? = nil) throws -> any BatchCursor {
    try reader.cursor(after: head)
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    try reader.batch(containing: sequence)
  }
}

extension LogStore {
  /// Why the log does not go on from a head; nil if a batch ends there.
  package func refusal(of head: LogHead) throws -> EventLogError? {
    do {
      _ = try cursor(after: head)
      return nil
    } catch let error as EventLogError where error.code == .lostEvents {
      return error
    }
  }

  /// The end of a log that has events.
  ///
  /// - Throws: `CatalogError` with `noCatalog` if it has none.
  package func requireEvents() throws -> (logID: LogID, head: LogHead) {
    guard let end = try end(), end.head.sequence > 0 else {
      throw CatalogError(.noCatalog, "the log is empty")
    }
    return end
  }
}
