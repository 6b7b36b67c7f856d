import CatalogStore
import EventLog

extension EventCatalog where Kind: ExportingKind {
  /// Writes the state that is read as documents that imports of the kind read: the catalog as it is, or as it was.
  ///
  /// The documents are imported again, into no catalog, before they get their names: the report says what would not be the same,
  /// and which rows no document can have.
  ///
  /// ```swift
  /// let report = try await shelf.past(after: 3_534).export(to: folder)
  /// for rows in report.omitted { show(rows.count, rows.meaning) }
  /// ```
  ///
  /// - Parameter folder: is new or empty, and none of a catalog's own.
  /// - Throws: `CatalogError` with `directory` for another folder; `StoreError` with `drifted` if rows were changed by hand and the
  ///   catalog was opened to refuse that. No document is left then.
  public func export(to folder: some FilePlace) async throws -> ExportReport {
    let path = try folder.filePath()
    return try await Blocking.run { [kind, opened] in
      let exporter = CatalogExporter(kind)
      let places = CatalogPlaces(of: opened.directory)
      if let past = opened.past {
        return try exporter.write(
          past.rows(of: kind), at: past.receipt(of: kind).head, to: path, apartFrom: places)
      }
      return try opened.readProvedAtHead(loading: kind.schema.tables) { rows, head in
        try exporter.write(rows, at: head, to: path, apartFrom: places)
      }
    }
  }
}
