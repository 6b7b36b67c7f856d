package import CatalogEngine

extension OmittedChanges {
  /// `2 rows of the program's own tables projection_digest, projection_checkpoint`.
  package var ownWords: String {
    "\(Count.of(ownRows, "row")) of the program's own \(ownTables.count == 1 ? "table" : "tables") "
      + ownTables.joined(separator: ", ")
  }
}

extension Console {
  /// Says on standard error what a comparison did not show, and how to see it; nothing if it showed everything.
  ///
  /// - Parameters:
  ///   - values: how many values were cut.
  ///   - option: what shows everything.
  func write(_ leftOut: OmittedChanges, cutValues values: Int, option: String = "--all") {
    var parts: [String] = []
    if leftOut.stampedRows > 0 {
      let alone = leftOut.rowsOfStampsAlone
      parts.append(
        "\(leftOut.stamps.joined(separator: ", ")) of \(Count.of(leftOut.stampedRows, "row"))"
          + (alone == 0
            ? ""
            : alone == leftOut.stampedRows
              ? " with no other change" : ", \(Count.grouped(alone)) with no other change"))
    }
    if leftOut.ownRows > 0 { parts.append(leftOut.ownWords) }
    if values > 0 { parts.append("the rest of \(Count.of(values, "long value"))") }
    guard !parts.isEmpty else { return }
    note("left out: \(parts.joined(separator: "; ")); \(option) shows everything")
  }
}
