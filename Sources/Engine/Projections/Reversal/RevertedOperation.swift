public import CatalogModel

/// The event `operation.reverted`: what an operation changed is taken back by the events that follow it in the same batch.
public struct RevertedOperation: Hashable, Sendable {
  /// The operation that is taken back.
  public var operation: EntityID
  /// The sequences of its first and its last event.
  public var first: Int64
  public var last: Int64
  /// SHA-256 of the documents that it imported: they stay reverted when they are imported again.
  public var documents: [String]
  /// Why, in a person's words; nil if the person did not say.
  public var reason: String?

  public init(
    operation: EntityID, first: Int64, last: Int64, documents: [String], reason: String?
  ) {
    self.operation = operation
    self.first = first
    self.last = last
    self.documents = documents
    self.reason = reason
  }

  /// How many bytes of UTF-8 a reason may have.
  public static let longestReason = 4_096
}

extension RevertedOperation: PayloadObject {
  public static let payload = Payload(
    Member("operation", \Self.operation), Member("first", \.first), Member("last", \.last),
    Member("documents", \.documents),
    Member(
      "reason", { $0.reason },
      limit: PayloadLimit(longestReason, "bytes", of: "the reason") { $0?.utf8.count ?? 0 }),
    make: Self.init)
}

/// A row of `projection_reverted`: an operation that is reverted now. Once its revert is reverted, the row is gone.
public struct RevertedRow: Hashable, Sendable {
  public var operation: EntityID
  public var first: Int64
  public var last: Int64
  /// SHA-256 of the documents that it imported, parted by spaces.
  public var documents: String
  public var reason: String?
  /// The operation that took it back.
  public var revertedBy: EntityID
  public var revertedAt: Timestamp

  /// The table, which each kind that can take operations back has in its schema: a new one for each kind.
  public static func makeTable() -> TypedTable<RevertedRow> {
    TypedTable(
      "projection_reverted", key: ["operation"], isOfOneLog: true,
      Field("operation", \Self.operation), Field("first", \.first), Field("last", \.last),
      Field("documents", \.documents), Field("reason", \.reason),
      Field("reverted_by", \.revertedBy),
      Field("reverted_at", \.revertedAt, isChangeStamp: true), make: Self.init)
  }
}

extension RevertedRow: CustomStringConvertible {
  /// For a person: `operation 1318f01b-… was reverted by operation 5053d759-…, because "the wrong export"`.
  public var description: String {
    "operation \(operation) was reverted by operation \(revertedBy)"
      + (reason.map { ", because \"\($0)\"" } ?? "")
  }
}

extension RowStore {
  /// The operation that imported a document and is reverted now; nil if there is none.
  ///
  /// - Parameters:
  ///   - sha256: the hash of the document, as the kind's events name it.
  ///   - table: `CatalogKind.reverted`.
  public func reverted(
    document sha256: String, in table: TypedTable<RevertedRow>
  ) throws -> RevertedRow? {
    try rows(of: table).last { $0.documents.split(separator: " ").contains { $0 == sha256 } }
  }

  /// The event after which documents that a person takes again do not stay reverted any more; nil if none of them does.
  ///
  /// An operation that imported other documents, too, keeps those. Without this event a document that was taken would stay
  /// reverted once more as soon as the rows differ from it.
  ///
  /// - Parameters:
  ///   - documents: the hashes of the documents, as the kind's events name them.
  ///   - table: `CatalogKind.reverted`.
  public func taken(
    documents: Set<String>, in table: TypedTable<RevertedRow>
  ) throws -> Reversal? {
    let description = table.description
    guard let place = description.columns.firstIndex(where: { $0.name == "documents" }) else {
      return nil
    }
    var kept: [[Value]] = []
    var gone: [[Value]] = []
    for row in try rows(in: description) {
      guard case .text(let names) = row[place] else { continue }
      let own = names.split(separator: " ").map(String.init)
      let left = own.filter { !documents.contains($0) }
      if left.count == own.count { continue }
      if left.isEmpty {
        gone.append(description.key(of: row))
      } else {
        var row = row
        row[place] = .text(left.joined(separator: " "))
        kept.append(row)
      }
    }
    if kept.isEmpty && gone.isEmpty { return nil }
    return .rows(RestoredRows(description, rows: kept, gone: gone))
  }
}
