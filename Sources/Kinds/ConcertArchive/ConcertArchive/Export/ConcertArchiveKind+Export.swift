public import CatalogEngine

/// An archive is exported as a package of metadata: docs/SEEDS.md.
extension ConcertArchiveKind: ExportingKind {
  public func export(_ rows: ProvedRows) throws -> CatalogExport {
    let export = try PackageExport(rows)
    return CatalogExport(
      documents: export.documents,
      entries: [
        EntryCount("show", export.shows.count), EntryCount("recording", export.recordings.count),
        EntryCount("collection", export.collections.count),
      ],
      omitted: export.omitted)
  }

  public func imports(from folder: String) throws -> [ImportStep<ConcertEvent>] {
    guard PackageListing.exists("\(folder)/manifest.json") else { return [] }
    let package = try PackageFolder(folder).read()
    return [
      ImportStep(by: package.source) { rows in
        try PackagePlan(package, removesShows: false, rows: rows).events
      }
    ]
  }
}
