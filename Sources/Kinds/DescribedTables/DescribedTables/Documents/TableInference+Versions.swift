import CatalogModel

extension TableInference {
  /// Makes up a table that fits all versions of a document that can be read.
  ///
  /// The columns are those of all versions, with the widest types; a column that a version lacks may be missing. A column is a
  /// key if it is one in each version. The form of the document, such as the separator, is named if no version has another one.
  ///
  /// - Parameter next: gives the versions, oldest first, and nil at the end. After a `DocumentError` it gives the next one.
  /// - Returns: nil if there is no version.
  /// - Throws: `DocumentError` of the newest version if none can be read; each other error of `next`.
  package static func ofVersions(
    table name: String, key: [String]? = nil, csv: CSVOptions? = nil,
    words: DocumentWords = DocumentWords(), _ next: () throws -> SourceFile?
  ) throws -> TableInference? {
    var merged: TableInference?
    var unreadable: [DocumentError] = []
    while true {
      do {
        guard let source = try next() else { break }
        let version = try TableInference(source, table: name, key: key, csv: csv, words: words)
        merged = merged.map { $0.merged(with: version, words) } ?? version
      } catch let error as DocumentError {
        unreadable.append(error)
      }
    }
    guard merged != nil else {
      if let error = unreadable.last { throw error }
      return nil
    }
    if let first = unreadable.first {
      merged?.notes.append(
        "\(unreadable.count == 1 ? "a version" : "\(unreadable.count) versions") cannot be read, and an import stops there: \(first)"
      )
    }
    return merged
  }

  /// - Parameter newer: a newer version, whose columns are first.
  private func merged(with newer: TableInference, _ words: DocumentWords) -> TableInference {
    var all = newer.evidence
    for place in all.columns.indices {
      all.columns[place].merge(evidence.column(all.columns[place].name))
    }
    for var column in evidence.columns where newer.evidence.column(column.name) == nil {
      column.merge(nil)
      all.columns.append(column)
    }
    all.rows = max(evidence.rows, all.rows)
    all.pairs = all.pairs.filter(evidence.pairs.contains)
    var merged = TableInference(table.name, all, words: words)
    merged.versions = versions + 1
    merged.document = document(with: newer, merged.sources)
    return merged
  }

  /// The document of the description that two versions have.
  private func document(
    with newer: TableInference, _ sources: [DescribedDocument.Source]
  ) -> DescribedDocument? {
    var document = newer.document ?? self.document
    guard !evidence.hasTypes, !newer.evidence.hasTypes else {
      for place in document?.rows.indices ?? 0..<0 {
        document?.rows[place].columns = sources
      }
      for name in self.document?.ignored ?? [] where document?.ignored.contains(name) == false {
        document?.ignored.append(name)
      }
      return document
    }
    func form(_ document: DescribedDocument?) -> DescribedDocument.CSV {
      if case .csv(let csv)? = document?.format { csv } else { DescribedDocument.CSV() }
    }
    let (older, form) = (form(self.document), form(newer.document))
    var csv = form
    if older.separator != form.separator { csv.separator = nil }
    if older.encoding != form.encoding { csv.encoding = nil }
    guard csv != DescribedDocument.CSV() || !sources.isEmpty else { return nil }
    return DescribedDocument(
      table.name, format: .csv(csv),
      rows: sources.isEmpty ? [] : [DescribedDocument.Rows(table.name, columns: sources)])
  }
}

extension TableInference.Evidence {
  /// The evidence of a column.
  fileprivate func column(_ name: String) -> ColumnEvidence? {
    columns.first { $0.name.hasBytes(of: name) }
  }
}
