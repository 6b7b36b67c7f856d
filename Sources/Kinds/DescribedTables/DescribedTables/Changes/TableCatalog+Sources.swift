import CatalogEngine
import CatalogModel
package import EventLog

extension TableCatalog {
  /// The documents that were read into a catalog, in the log's order: those that changed something.
  ///
  /// - Throws: `EventLogError` if the log is damaged.
  package static func documentsRead(in log: any LogStore) throws -> [SourceRead] {
    let type = TableEventType.sourceRead.rawValue
    return try DescribingEvent.all(in: log.cursor(), of: type).compactMap { event in
      // A replay reports a payload that cannot be read.
      guard var data = try? PayloadReader(event.data, path: "$.data") else { return nil }
      return try? SourceRead.read(members: &data)
    }
  }
}
