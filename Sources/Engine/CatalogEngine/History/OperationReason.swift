package import CatalogModel
import CatalogStore
import EventLog
package import Projections

/// The reason and the documents of an operation, as the first events of its batch say them.
package struct OperationOrigin: Hashable, Sendable {
  /// Why a person made it; nil if the person did not say why.
  package private(set) var reason: String?
  /// The documents that were read for it, as they were named.
  package private(set) var documents: [String] = []

  package init() {}

  /// The types of the events that say such things.
  ///
  /// - Parameter kind: of the log; nil if this program does not know it.
  package static func types(of kind: (any CatalogKind)?) -> Set<String> {
    guard let kind else { return OperationReason.usualTypes }
    return kind.reasonTypes.union(kind.documentTypes.keys)
  }

  /// Takes what the payload of an event of these types says.
  package mutating func add(_ type: String, _ data: JSONValue?, of kind: (any CatalogKind)?) {
    if reason == nil, case .string(let text)? = data?["reason"] { reason = text }
    if let member = kind?.documentTypes[type], case .string(let name)? = data?[member] {
      documents.append(name)
    }
  }

  /// Takes what another batch of the same operation says.
  package mutating func add(_ other: OperationOrigin) {
    reason = reason ?? other.reason
    documents += other.documents
  }
}

extension CatalogLog {
  /// Why a person made an operation, as the first events of its batch say it.
  ///
  /// - Parameter event: of the operation.
  /// - Returns: nil if the person did not say why.
  package func reason(of event: EventEnvelope) throws -> String? { try origin(of: event).reason }

  /// Reads what the first events of a batch say of it.
  ///
  /// - Parameter event: of the batch.
  package func origin(of event: EventEnvelope) throws -> OperationOrigin {
    var origin = OperationOrigin()
    // A history has no reasons, and the caller has said that it alone answers.
    guard !(reader is RememberedLog) else { return origin }
    let types = OperationOrigin.types(of: kind)
    // The log is not read for operations that never have a reason.
    guard event.by.hasPrefix("revert:") || types != OperationReason.usualTypes else {
      return origin
    }
    let batch = try batch(containing: event.sequence)
    let cursor = try cursor(after: batch.start)
    _ = try cursor.nextBatch()
    while let block = try cursor.nextLines() {
      var isDone = false
      try EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, _ in
        guard !isDone else { return }
        let value = try JSONValue.parse(line)
        guard case .string(let type)? = value["type"] else { return }
        isDone = !types.contains(type)
        if !isDone { origin.add(type, value["data"], of: kind) }
      }
      if isDone { return origin }
    }
    return origin
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
