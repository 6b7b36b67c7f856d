package import CatalogEngine
import CatalogModel
import EventLog

extension TableImportReport {
  /// Bytes of a log up to which it is searched for earlier imports, which takes a tenth of a second then.
  private static let searched = 4 << 20

  /// Adds a remark for each document that changes rows and was imported before: an old file may have been taken for a new one, and
  /// what came since is overwritten. A log over 4 MiB, and one on a server, are not searched.
  package mutating func noteEarlierImports(in directory: CatalogDirectory) throws {
    guard [.planned, .imported, .appended].contains(report.outcome), let last = report.sequence,
      1...Self.searched ~= directory.logBytes
    else { return }
    let before = last - (report.outcome == .planned ? 0 : UInt64(report.eventCount))
    let reads = try DescribingEvent.all(
      in: directory.store().cursor(), of: TableEventType.sourceRead.rawValue
    ).filter { $0.sequence <= before }
    for document in report.documents
    where !document.isKnown && document.format != TableDocument.databaseFormat
      && document.tables.contains(where: { $0.changed + $0.removed > 0 })
    {
      let earlier = reads.last { $0.data["sha256"] == .string(document.sha256) }
      guard let earlier else { continue }
      let later = reads.count { $0.sequence > earlier.sequence }
      remarks.append(
        "\(document.file) was imported before, by event \(earlier.sequence)"
          + (later > 0 ? ", and \(CountWords.of(later, "import")) came after it" : "")
          + ": rows that changed since are as they were then")
    }
  }
}
