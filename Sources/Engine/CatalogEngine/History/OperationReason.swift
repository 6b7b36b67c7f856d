package import CatalogModel
import CatalogStore
import EventLog
package import Projections

extension CatalogLog {
  /// Why a person made an operation, as the first events of its batch say it.
  ///
  /// - Parameter event: of the operation.
  /// - Returns: nil if the person did not say why.
  package func reason(of event: EventEnvelope) throws -> String? {
    let types = kind.reasonTypes
    // The log is not read for operations that never have a reason.
    guard event.by.hasPrefix("revert:") || types != OperationReason.usualTypes else { return nil }
    let batch = try batch(containing: event.sequence)
    let cursor = try cursor(after: batch.start)
    _ = try cursor.nextBatch()
    while let block = try cursor.nextLines() {
      var reason: String?
      var isDone = false
      try EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, _ in
        guard !isDone, reason == nil else { return }
        let value = try JSONValue.parse(line)
        guard case .string(let type)? = value["type"] else { return }
        isDone = !types.contains(type)
        if !isDone, case .string(let text)? = value["data"]?["reason"] { reason = text }
      }
      if isDone || reason != nil { return reason }
    }
    return nil
  }
}

extension PastDatabase {
  /// The operations that are reverted in this state, by their first events.
  package func revertedOperations(of kind: any CatalogKind) throws -> [RevertedRow] {
    guard let table = kind.reverted else { return [] }
    let description = table.description
    return try readTables { database in
      try PreparedStatement(
        database,
        "SELECT \(description.columnList) FROM \(description.name) ORDER BY first, operation"
      ).rows(of: description).map(table.row)
    }
  }
}
