/// All versions of the rows of one table, in key order, those of a row in the order of time.
///
/// Not Sendable: one bulk write owns it.
package final class TableVersions {
  private let table: PackedTable
  private let versions: [(row: UnsafeRawPointer, start: VersionStart, to: UInt64)]

  init(_ table: PackedTable) {
    self.table = table
    versions = table.versionsInKeyOrder()
  }

  /// The versions that the moments of a generation have, as rows of the table that has them.
  ///
  /// - Parameters:
  ///   - start: the last event of the batch with which it begins; 0 for the first generation.
  ///   - next: the first and the last event of the batch with which the next one begins; nil if it is the last.
  package func rows(
    from start: UInt64, before next: (first: UInt64, last: UInt64)?,
    as description: TableDescription
  ) -> PackedRows {
    guard start > 0 || next != nil else { return PackedRows(versions, of: table, as: description) }
    var kept: [(row: UnsafeRawPointer, start: VersionStart, to: UInt64)] = []
    for version in versions where version.to == 0 || version.to > start {
      guard let next else {
        kept.append(version)
        continue
      }
      guard version.start.sequence < next.first else { continue }
      kept.append((version.row, version.start, version.to > next.last ? 0 : version.to))
    }
    return PackedRows(kept, of: table, as: description)
  }
}
