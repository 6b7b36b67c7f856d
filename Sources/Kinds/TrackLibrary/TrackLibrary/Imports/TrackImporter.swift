import CatalogEngine
import CatalogModel
import Foundation
import Synchronization
public import TrackLibraryKind

/// Brings documents of other programs into a library: appends what they say differently.
public struct TrackImporter: Sendable {
  private let catalog: EventCatalog<TrackLibraryKind>

  init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  /// Imports a file or a folder, as one batch.
  ///
  /// A `library.json` gets another name, `library.json.backup`, once its events are durable: a process that ends
  /// between both leaves it, and the next import of it appends nothing and renames it.
  ///
  /// - Parameters:
  ///   - metadata: reads the tags of audio files; nil where they are called by their names.
  ///   - keepsFile: whether a `library.json` stays where it is.
  ///   - wait: for another writer; nil for what the library was opened with.
  ///   - progress: called with how many files were read, of how many.
  /// - Throws: `DocumentError` where anything in the document is wrong; what `EventCatalog.change` throws. Nothing is
  ///   appended then.
  @discardableResult
  public func apply(
    _ path: String, metadata: (any MetadataReader)? = nil, keepsFile: Bool = false,
    wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    let document = try await Self.read(path, metadata, progress)
    let found = Mutex<ImportReport?>(nil)
    let change = try await catalog.change(
      by: "import:\(document.format.rawValue)", wait: wait, loading: Self.tables(for: document)
    ) { rows in
      let plan = try ImportPlan(document, rows: rows)
      found.withLock { $0 = ImportReport(plan) }
      return plan.events
    }
    guard var report = found.withLock({ $0 }) else {
      preconditionFailure("a change is planned before it is made")
    }
    report.complete(change)
    if document.format == .libraryJSON, !keepsFile { report.backup = try Self.moveAway(path) }
    return report
  }

  /// What `apply` would append; nothing is.
  public func plan(
    _ path: String, metadata: (any MetadataReader)? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    let document = try await Self.read(path, metadata, progress)
    let found = Mutex<ImportReport?>(nil)
    _ = try await catalog.planned(loading: Self.tables(for: document)) { rows in
      let plan = try ImportPlan(document, rows: rows)
      found.withLock { $0 = ImportReport(plan) }
      return plan.events
    }
    guard let report = found.withLock({ $0 }) else {
      preconditionFailure("a plan is made before it is handed out")
    }
    return report
  }

  /// A large document looks at most rows: one scan is less work than a query a row.
  private static func tables(for document: TrackDocument) -> [TableDescription] {
    document.tracks.count > 500 ? ImportPlan.tables : []
  }

  private static func read(
    _ path: String, _ metadata: (any MetadataReader)?,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> TrackDocument {
    try await Blocking.run {
      try TrackDocumentReader.read(path, metadata: metadata, progress: progress)
    }
  }

  /// Gives a file that was imported its other name. A backup that is there already stays.
  private static func moveAway(_ path: String) throws -> String {
    var backup = path + ".backup"
    var number = 2
    while FileManager.default.fileExists(atPath: backup) {
      backup = path + ".backup.\(number)"
      number += 1
    }
    do {
      try FileManager.default.moveItem(atPath: path, toPath: backup)
    } catch {
      throw DocumentError(
        code: .fileUnreadable, file: path,
        message: "it is imported, and cannot be renamed to \(backup)",
        advice: "rename it; importing it again appends nothing")
    }
    return backup
  }
}
