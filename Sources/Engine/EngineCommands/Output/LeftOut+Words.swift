import CatalogEngine

extension Console {
  /// Says on standard error what a comparison did not show, and how to see it; nothing if it showed everything.
  ///
  /// - Parameters:
  ///   - values: how many values were cut.
  ///   - option: what shows everything.
  func write(_ leftOut: LeftOut, cutValues values: Int, option: String = "--all") {
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
    if leftOut.ownRows > 0 {
      parts.append(
        "\(Count.of(leftOut.ownRows, "row")) of the program's own "
          + (leftOut.ownTables.count == 1 ? "table " : "tables ")
          + leftOut.ownTables.joined(separator: ", "))
    }
    if values > 0 { parts.append("the rest of \(Count.of(values, "long value"))") }
    guard !parts.isEmpty else { return }
    note("left out: \(parts.joined(separator: "; ")); \(option) shows everything")
  }
}
