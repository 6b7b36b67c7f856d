import CatalogModel
package import CatalogStore
package import EventLog
import Foundation
import Projections
import Support

/// Writes a state of a catalog as documents, and imports them again to see that they say it.
package struct CatalogExporter {
  private let kind: any ExportingKind

  package init(_ kind: any ExportingKind) {
    self.kind = kind
  }

  /// Writes the documents to a folder, which is new or empty.
  ///
  /// - Parameters:
  ///   - rows: all rows of the state.
  ///   - head: its last event.
  ///   - places: of the catalog that they are of.
  /// - Throws: `CatalogError` with `directory`; nothing is left then.
  package func write(
    _ rows: ProvedRows, at head: LogHead, to path: String, apartFrom places: CatalogPlaces
  ) throws -> ExportReport {
    let folder = try NewFolder(path, apartFrom: places)
    return try folder.fill { scratch in
      let export = try kind.export(rows)
      for document in export.documents { try write(document, in: scratch, for: folder.path) }
      return ExportReport(
        head: CatalogHead(head),
        documents: export.documents.map { document in
          ExportReport.Document(
            path: "\(folder.path)/\(document.path)", bytes: document.bytes.count,
            sha256: ContentHash.hex(of: document.bytes))
        }, entries: export.entries, omitted: export.omitted,
        findings: try findings(kind, export, scratch, as: folder.path))
    }
  }

  private func write(
    _ document: ExportedDocument, in scratch: String, for folder: String
  ) throws {
    let file = URL(fileURLWithPath: "\(scratch)/\(document.path)")
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(document.bytes).write(to: file)
    } catch let error as CocoaError {
      throw CatalogError(
        .directory, "cannot write \(document.path) of \(folder): \(error.words)")
    }
  }

  /// Imports the documents into rows without a catalog, and exports these rows.
  private func findings<Kind: ExportingKind>(
    _ kind: Kind, _ export: CatalogExport, _ scratch: String, as folder: String
  ) throws -> [ExportReport.Finding] {
    let rows = MemoryRowStore(schema: kind.schema)
    do {
      var sequence: UInt64 = 1
      for step in try kind.imports(from: scratch) {
        for event in try step.events(.replayed(rows)) {
          sequence += 1
          try kind.apply(
            Recorded(
              sequence: sequence, at: Timestamp(milliseconds: 0), operation: .zero, by: step.by,
              event: event),
            to: rows)
        }
      }
    } catch var error as DocumentError {
      error.file = error.file.replacing(scratch, with: folder)
      for fault in error.furtherFaults.indices {
        error.furtherFaults[fault].file = error.furtherFaults[fault].file
          .replacing(scratch, with: folder)
      }
      return [.refused(error)]
    } catch let error as ProjectionError where error.code == .contradiction {
      return [.contradiction(error)]
    }
    let again = Dictionary(
      try kind.export(.replayed(rows)).documents.map { ($0.path, $0.bytes) },
      uniquingKeysWith: { first, _ in first })
    return export.documents.compactMap { document in
      guard let line = Self.line(of: document.bytes, in: again[document.path] ?? []) else {
        return nil
      }
      return .differs(path: "\(folder)/\(document.path)", line: line)
    }
  }

  /// The first line that is not the same in another document; nil if there is none.
  private static func line(of bytes: [UInt8], in other: [UInt8]) -> Int? {
    guard bytes != other else { return nil }
    let same = zip(bytes, other).prefix { $0 == $1 }
    return 1 + same.count { $0.0 == UInt8(ascii: "\n") }
  }
}
