import CatalogEngine
import Foundation

/// Brings documents of other programs into a library: appends what they say differently.
public struct TrackImporter: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// Imports files and folders, all of them as one batch.
  ///
  /// They are applied in an order of their own, whatever the order in which they are named: `library.json`, iTunes,
  /// Spotify, Apple Music, folders of audio files, M3U. So playlists find the tracks that another document describes,
  /// and the name of a file is a title only where nobody knows a better one.
  ///
  /// The files stay as they are; `migrate` renames a `library.json`.
  ///
  /// - Parameters:
  ///   - places: one or more; `-` is standard input.
  ///   - metadata: reads the tags of audio files; nil if they are called by their names.
  ///   - allowsLosses: whether a known playlist may lose all its tracks.
  ///   - takesReverted: whether the import brings back what reverts took of these documents. Otherwise that stays reverted, and
  ///     `TrackImportReport.differing` says how many of its values differ.
  ///   - wait: for another writer; nil for what the library was opened with.
  ///   - progress: called with how many files were read, of how many; of several documents, for each anew.
  /// - Throws: `DocumentError` if anything in a document is wrong; `LostPlaylists` unless losses are allowed; what
  ///   `EventCatalog.change` throws. Nothing is appended then.
  @discardableResult
  public func apply(
    _ places: [any FilePlace], metadata: (any MetadataReader)? = nil, allowsLosses: Bool = false,
    takesReverted: Bool = false, wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    try await apply(Self.read(places, metadata, progress), allowsLosses, takesReverted, wait)
  }

  /// Imports files and folders, and renames each file called `library.json` to `library.json.backup` once its events are
  /// durable: how an app leaves its old store.
  ///
  /// A process that ends between both leaves the file, and the next call appends nothing and renames it. Files of another
  /// name stay, whatever their content.
  ///
  /// - Parameters: as those of `apply`.
  /// - Throws: as `apply`; `DocumentError` for a file that is imported and cannot be renamed.
  @discardableResult
  public func migrate(
    _ places: [any FilePlace], metadata: (any MetadataReader)? = nil, allowsLosses: Bool = false,
    takesReverted: Bool = false, wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    try await migrate(
      Self.read(places, metadata, progress), allowsLosses, takesReverted, wait)
  }

  /// Imports files and folders into the library of a folder, which is made if there is none. A document that is refused leaves no
  /// trace.
  ///
  /// - Parameters:
  ///   - moves: whether it is done as `migrate` does it.
  ///   - others: as those of the other `apply`.
  public static func apply(
    _ places: [any FilePlace], to directory: CatalogDirectory,
    options: OpeningOptions = OpeningOptions(),
    metadata: (any MetadataReader)? = nil, allowsLosses: Bool = false, takesReverted: Bool = false,
    moves: Bool = false, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    let documents = try await read(places, metadata, progress)
    let catalog = try await EventCatalog.open(directory, TrackLibraryKind(), options: options)
    defer { catalog.close() }
    let importer = TrackImporter(catalog: catalog)
    return moves
      ? try await importer.migrate(documents, allowsLosses, takesReverted, nil)
      : try await importer.apply(documents, allowsLosses, takesReverted, nil)
  }

  private func migrate(
    _ documents: [TrackDocument], _ allowsLosses: Bool, _ takesReverted: Bool, _ wait: Duration?
  ) async throws -> TrackImportReport {
    var report = try await apply(documents, allowsLosses, takesReverted, wait)
    for (place, document) in documents.enumerated() {
      guard let file = document.libraryFile,
        URL(fileURLWithPath: file).lastPathComponent == Self.libraryName
      else { continue }
      report.report.documents[place].backup = try Self.moveAway(file)
    }
    return report
  }

  /// The name that the app gives to its store.
  private static let libraryName = "library.json"

  private func apply(
    _ documents: [TrackDocument], _ allowsLosses: Bool, _ takesReverted: Bool, _ wait: Duration?
  ) async throws -> TrackImportReport {
    try await catalog.importing(
      by: Self.author(of: documents), document: Array(documents.map(\.sha256).joined().utf8),
      wait: wait, loading: Self.tables(for: documents)
    ) { rows in
      let planned = try Self.planned(documents, rows, takesReverted: takesReverted)
      if !allowsLosses, let lost = LostPlaylists(planned.value.lostPlaylists) { throw lost }
      return planned
    }
  }

  /// Imports a file or a folder: a set of one.
  @discardableResult
  public func apply(
    _ place: some FilePlace, metadata: (any MetadataReader)? = nil, allowsLosses: Bool = false,
    wait: Duration? = nil, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    try await apply(
      [place], metadata: metadata, allowsLosses: allowsLosses, wait: wait, progress: progress)
  }

  /// What `apply` would append; nothing is.
  public func plan(
    _ places: [any FilePlace], metadata: (any MetadataReader)? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    let documents = try await Self.read(places, metadata, progress)
    var report = try await catalog.readProved(loading: Self.tables(for: documents)) { rows in
      try Self.planned(documents, rows, takesReverted: false).value
    }
    if report.reverted != nil {
      report.report.differing = try await catalog.differingValues {
        try Self.planned(documents, $0, takesReverted: false)
      }
    }
    return report
  }

  /// Finds what `apply` would append to a library that is not opened: no file in its folder is created or changed.
  public static func plan(
    _ places: [any FilePlace], in directory: CatalogDirectory,
    options: OpeningOptions = OpeningOptions(),
    metadata: (any MetadataReader)? = nil, takesReverted: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    let documents = try await read(places, metadata, progress)
    return try await EventCatalog.plannedImport(
      in: directory, TrackLibraryKind(), options: options, loading: tables(for: documents)
    ) { try Self.planned(documents, $0, takesReverted: takesReverted) }
  }

  private static func planned(
    _ documents: [TrackDocument], _ rows: ProvedRows, takesReverted: Bool
  ) throws -> PlannedChange<TrackEvent, TrackImportReport> {
    let plan = try ImportPlan(documents, takesReverted: takesReverted, rows: rows)
    var change = PlannedChange(plan.events, value: TrackImportReport(plan, documents))
    change.alternative = plan.alternative
    return change
  }

  /// What `apply` would append for a set of one.
  public func plan(
    _ place: some FilePlace, metadata: (any MetadataReader)? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> TrackImportReport {
    try await plan([place], metadata: metadata, progress: progress)
  }

  /// `import:spotify`; a set of several formats is `import`.
  static func author(of documents: [TrackDocument]) -> String {
    let formats = Set(documents.map(\.format))
    return formats.count == 1 ? formats.reduce("import") { "\($0):\($1.rawValue)" } : "import"
  }

  /// A large set looks at most rows: one scan is less work than a query a row.
  private static func tables(for documents: [TrackDocument]) -> [TableDescription] {
    documents.reduce(0) { $0 + $1.tracks.count } > 500 ? ImportPlan.tables(for: documents) : []
  }

  private static func read(
    _ places: [any FilePlace], _ metadata: (any MetadataReader)?,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> [TrackDocument] {
    let paths = try places.map { try $0.filePath() }
    return try await Blocking.run {
      var seen: Set<String> = []
      for path in paths
      where !seen.insert(URL(fileURLWithPath: path).standardizedFileURL.path).inserted {
        throw DocumentError(
          code: .duplicateValue, file: path, message: "it is named twice", advice: "name it once")
      }
      return try TrackDocumentReader.read(paths, metadata: metadata, progress: progress)
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
