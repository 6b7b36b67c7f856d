import CatalogModel

/// The faults of the files of a package.
struct PackageFaults {
  private var errors: [DocumentError] = []

  mutating func note(_ error: DocumentError) {
    errors.append(error)
  }

  /// Reads something; if it has faults, notes them and returns nil.
  mutating func noting<Value>(_ read: () throws(DocumentError) -> Value) -> Value? {
    do throws(DocumentError) {
      return try read()
    } catch {
      note(error)
      return nil
    }
  }

  /// In the order of the files' names; nil if there are none.
  var error: DocumentError? {
    DocumentError(joining: errors.sorted { $0.file.isBefore($1.file) })
  }
}
