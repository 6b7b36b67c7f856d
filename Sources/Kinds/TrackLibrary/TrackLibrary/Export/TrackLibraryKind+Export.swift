public import CatalogEngine

/// A library is exported as a `library.json`: docs/SEEDS.md.
extension TrackLibraryKind: ExportingKind {
  public func export(_ rows: ProvedRows) throws -> CatalogExport {
    let export = try LibraryExport(rows)
    return CatalogExport(
      documents: [ExportedDocument(LibraryExport.fileName, export.json)],
      entries: [
        EntryCount("track", export.tracks.count), EntryCount("playlist", export.playlists.count),
        EntryCount("song", export.songs.count), EntryCount("tag", export.tags.count),
      ],
      omitted: export.omitted)
  }

  public func imports(from folder: String) throws -> [ImportStep<TrackEvent>] {
    let documents = try TrackDocumentReader.read(
      ["\(folder)/\(LibraryExport.fileName)"], metadata: nil
    ) { _, _ in }
    return [
      ImportStep(by: TrackImporter.author(of: documents)) { rows in
        try ImportPlan(documents, rows: rows).events
      }
    ]
  }
}
