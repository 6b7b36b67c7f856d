package import CatalogEngine
import CatalogModel
import EventLog

/// Catalogs of described kinds as a whole.
package enum TableCatalog {
  /// Creates a catalog whose log begins with the description of its kind.
  ///
  /// A folder whose log was begun for the kind and has no description yet, because a process ended between the two, gets it.
  ///
  /// - Parameter by: what does it: `person`, `cli`.
  /// - Returns: whether there was none.
  package static func create(
    in directory: CatalogDirectory, _ kind: DescribedKind, by: String = "cli",
    options: OpeningOptions
  ) throws -> Bool {
    try kind.requireCarriedOut()
    // To open the catalog of other tables would rebuild its database for these.
    if let head = try? directory.existingLog().head(), head.sequence > 1 { return false }
    let catalog = EventCatalog(kind, try OpenedCatalog.open(directory, kind, options: options))
    defer { catalog.close() }
    let isNew = try catalog.opened.create(by: by)
    guard try isNew || catalog.opened.log.head()?.sequence == 1 else { return false }
    try catalog.changeNow(by: by) { _ in [.described(DescribedMoment(kind.description))] }
    return true
  }
}
