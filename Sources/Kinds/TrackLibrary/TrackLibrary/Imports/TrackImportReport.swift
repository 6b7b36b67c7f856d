public import CatalogEngine

/// The result of an import of documents, or of its dry run. All members of `ImportReport` are its own, too.
@dynamicMemberLookup
public struct TrackImportReport: ImportReporting, Hashable {
  public var report: ImportReport<ImportedDocument>
  /// Entries that were not used as they are.
  public let remarks: [DocumentRemark]
  /// The playlists that lose all their tracks: `apply` refuses that unless it is allowed.
  public let lostPlaylists: [LostPlaylist]

  public subscript<Member>(
    dynamicMember member: KeyPath<ImportReport<ImportedDocument>, Member>
  ) -> Member { report[keyPath: member] }

  init(_ plan: ImportPlan, _ documents: [TrackDocument]) {
    report = ImportReport(
      of: documents.map(ImportedDocument.init),
      events: EventCounts(of: plan.events.lazy.map { EventName(of: $0).rawValue })
        .ordered(by: TrackEventType.allCases.map(\.rawValue)),
      reverted: plan.reverted)
    remarks = plan.remarks
    lostPlaylists = plan.lostPlaylists
  }
}

/// A document of an import.
public struct ImportedDocument: Hashable, Sendable {
  /// The file or folder, as it was named.
  public let path: String
  /// Counts of the document, also if all of it was known before.
  public let imported: ImportedLibrary
  /// Where `library.json` is now, once it was imported; nil if the file was not renamed.
  public internal(set) var backup: String?
}

extension ImportedDocument {
  fileprivate init(_ document: TrackDocument) {
    self.init(path: document.path, imported: ImportedLibrary(document))
  }
}
