import CatalogModel

/// The conflicts of a document with the catalog, in the order in which a plan finds them.
struct DocumentConflicts {
  private var error: DocumentError?

  mutating func note(_ conflict: DocumentError) {
    if error == nil { error = conflict } else { error?.append(conflict) }
  }

  /// - Throws: what was noted, as one error.
  func check() throws(DocumentError) {
    if let error { throw error }
  }
}
