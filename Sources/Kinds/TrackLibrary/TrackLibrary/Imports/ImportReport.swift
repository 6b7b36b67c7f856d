public import CatalogEngine

/// What an import did, or would do.
public struct ImportReport: Hashable, Sendable {
  public typealias Outcome = ImportOutcome

  /// `planned` only from `plan`; `imported` and `appended` only from `apply`. Either may find it `unchanged`, or `reverted`.
  public internal(set) var outcome: Outcome
  /// The operation that imported one of the documents, if that is reverted and the document stays so.
  public let reverted: RevertedRow?
  /// How many values of documents that stay reverted differ from the library; nil if that cannot be counted.
  public internal(set) var differing: Int? = 0
  /// The changes of rows that the import made; nil if nothing was appended, and if the rows are very many.
  public internal(set) var summary: OperationSummary?
  /// As they were named.
  public internal(set) var documents: [ImportedDocument]
  /// How many events of each type.
  public let events: [TrackEventType: Int]
  /// What was not used as it stands.
  public let remarks: [DocumentRemark]
  /// The playlists that lose all their tracks: `apply` refuses that unless it is allowed.
  public let lostPlaylists: [LostPlaylist]
  /// The log's last sequence afterwards; nil for a dry run.
  public internal(set) var sequence: UInt64?

  /// Of all types together; 0 if the outcome is `unchanged`.
  public var eventCount: Int { events.values.reduce(0, +) }

  /// 0 for a type of which the import has no event.
  public func count(of type: TrackEventType) -> Int { events[type] ?? 0 }

  init(_ plan: ImportPlan, _ documents: [TrackDocument]) {
    reverted = plan.reverted
    outcome = !plan.events.isEmpty ? .planned : plan.reverted != nil ? .reverted : .unchanged
    self.documents = documents.map(ImportedDocument.init)
    events = Dictionary(plan.events.map { (EventName(of: $0), 1) }, uniquingKeysWith: +)
    remarks = plan.remarks
    lostPlaylists = plan.lostPlaylists
  }

  mutating func complete(_ change: ChangeReport) {
    if outcome != .reverted { outcome = ImportOutcome(change.outcome) }
    summary = change.summary
    if reverted != nil { differing = change.differing }
    sequence = change.sequence
  }
}

/// A document of an import.
public struct ImportedDocument: Hashable, Sendable {
  /// The file or folder, as it was named.
  public let path: String
  /// What the document holds, also if all of it was known before.
  public let imported: ImportedLibrary
  /// Where `library.json` is now, once it was imported; nil for what stays where it is.
  public internal(set) var backup: String?
}

extension ImportedDocument {
  fileprivate init(_ document: TrackDocument) {
    self.init(path: document.path, imported: ImportedLibrary(document))
  }
}
