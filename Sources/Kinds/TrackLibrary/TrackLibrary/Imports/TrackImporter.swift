import CatalogEngine
import Foundation
import Synchronization
public import TrackLibraryKind

/// Brings documents of other programs into a library: appends what they say differently.
public struct TrackImporter: Sendable {
  private let catalog: EventCatalog<TrackLibraryKind>

  init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  /// Imports files and folders, all of them as one batch.
  ///
  /// They are applied in an order of their own, whatever the order in which they are named: `library.json`, iTunes,
  /// Spotify, Apple Music, folders of audio files, M3U. So playlists find the tracks that another document describes,
  /// and the name of a file is a title only where nobody knows a better one.
  ///
  /// A `library.json` gets another name, `library.json.backup`, once its events are durable: a process that ends
  /// between both leaves it, and the next import of it appends nothing and renames it.
  ///
  /// - Parameters:
  ///   - paths: one or more.
  ///   - metadata: reads the tags of audio files; nil where they are called by their names.
  ///   - keepsFile: whether a `library.json` stays where it is.
  ///   - wait: for another writer; nil for what the library was opened with.
  ///   - progress: called with how many files were read, of how many; of several documents, for each anew.
  /// - Throws: `DocumentError` where anything in a document is wrong; what `EventCatalog.change` throws. Nothing is
  ///   appended then.
  @discardableResult
  public func apply(
    _ paths: [String], metadata: (any MetadataReader)? = nil, keepsFile: Bool = false,
    wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    let documents = try await Self.read(paths, metadata, progress)
    let found = Mutex<ImportReport?>(nil)
    let change = try await catalog.change(
      by: Self.author(of: documents), wait: wait, loading: Self.tables(for: documents)
    ) { rows in
      let plan = try ImportPlan(documents.map(\.document), rows: rows)
      found.withLock { $0 = ImportReport(plan, documents.map(\.imported)) }
      return plan.events
    }
    guard var report = found.withLock({ $0 }) else {
      preconditionFailure("a change is planned before it is made")
    }
    report.complete(change)
    if !keepsFile {
      for (place, document) in documents.enumerated() {
        report.documents[place].backup = try document.document.libraryFile.map(Self.moveAway)
      }
    }
    return report
  }

  /// Imports a file or a folder: a set of one.
  @discardableResult
  public func apply(
    _ path: String, metadata: (any MetadataReader)? = nil, keepsFile: Bool = false,
    wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    try await apply(
      [path], metadata: metadata, keepsFile: keepsFile, wait: wait, progress: progress)
  }

  /// What `apply` would append; nothing is.
  public func plan(
    _ paths: [String], metadata: (any MetadataReader)? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    let documents = try await Self.read(paths, metadata, progress)
    let found = Mutex<ImportReport?>(nil)
    _ = try await catalog.planned(loading: Self.tables(for: documents)) { rows in
      let plan = try ImportPlan(documents.map(\.document), rows: rows)
      found.withLock { $0 = ImportReport(plan, documents.map(\.imported)) }
      return plan.events
    }
    guard let report = found.withLock({ $0 }) else {
      preconditionFailure("a plan is made before it is handed out")
    }
    return report
  }

  /// What `apply` would append for a set of one.
  public func plan(
    _ path: String, metadata: (any MetadataReader)? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> ImportReport {
    try await plan([path], metadata: metadata, progress: progress)
  }

  /// What is read of one path.
  private struct Read: Sendable {
    let path: String
    let document: TrackDocument

    var imported: ImportedDocument {
      ImportedDocument(path: path, imported: ImportedLibrary(document))
    }
  }

  /// `import:spotify`; a set of several formats is `import`.
  private static func author(of documents: [Read]) -> String {
    let formats = Set(documents.map(\.document.format))
    return formats.count == 1 ? formats.reduce("import") { "\($0):\($1.rawValue)" } : "import"
  }

  /// A large set looks at most rows: one scan is less work than a query a row.
  private static func tables(for documents: [Read]) -> [TableDescription] {
    documents.reduce(0) { $0 + $1.document.tracks.count } > 500 ? ImportPlan.tables : []
  }

  private static func read(
    _ paths: [String], _ metadata: (any MetadataReader)?,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> [Read] {
    try await Blocking.run {
      var seen: Set<String> = []
      return try paths.map { path in
        guard seen.insert(URL(fileURLWithPath: path).standardizedFileURL.path).inserted else {
          throw DocumentError(
            code: .duplicateValue, file: path, message: "it is named twice", advice: "name it once")
        }
        return Read(
          path: path,
          document: try TrackDocumentReader.read(path, metadata: metadata, progress: progress))
      }
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
