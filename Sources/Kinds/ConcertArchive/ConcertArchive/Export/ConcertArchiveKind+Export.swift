public import CatalogEngine
import CatalogModel

/// An archive is exported as a package of metadata: docs/SEEDS.md.
extension ConcertArchiveKind: ExportingKind {
  public func export(_ rows: ProvedRows) throws -> CatalogExport {
    let export = try PackageExport(rows)
    var entries = [
      EntryCount("show", export.shows.count), EntryCount("recording", export.recordings.count),
      EntryCount("collection", export.collections.count),
    ]
    // They have a document only if there are some.
    if !export.library.isEmpty { entries.append(EntryCount("saved show", export.library.count)) }
    return CatalogExport(
      documents: export.documents, entries: entries, omitted: export.omitted)
  }

  public func imports(from folder: String) throws -> [ImportStep<ConcertEvent>] {
    guard PackageListing.exists("\(folder)/manifest.json") else { return [] }
    let package = try PackageFolder(folder).read()
    var steps = [
      ImportStep(by: package.source) { rows in
        try PackagePlan(package, removesShows: false, rows: rows).events
      }
    ]
    let library = "\(folder)/\(SavedShowsDocument.name)"
    if PackageListing.exists(library) {
      let document = try SavedShowsDocument(DocumentFile.load(library), file: library)
      steps.append(ImportStep(by: "person") { try document.events(over: $0) })
    }
    return steps
  }
}
