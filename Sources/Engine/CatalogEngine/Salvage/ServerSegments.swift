package import EventLog
import Foundation

/// Copies the batches of a server to a folder of segments, which `remove` deletes: a salvage reads a folder.
package final class ServerSegments {
  private let folder: TemporaryFolder

  /// The folder of the segments.
  package let path: String

  /// Copies all batches, damaged ones as they are. The server is only read.
  ///
  /// - Throws: `EventLogError` with `unavailable`, and with `io` if no row can be read; `CatalogError` with `directory` if no temporary folder can be
  ///   written.
  package init(_ log: BatchStoreLog, progress: @escaping ProgressObserver = { _ in }) throws {
    folder = try TemporaryFolder()
    path = folder.file("events")
    var copied = 0
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try log.forEachSegment { name, bytes in
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        copied += bytes.count
        progress(CatalogProgress(phase: .copying, done: copied, total: nil))
      }
      if copied == 0 { throw EventLogError.noLog(log.place) }
    } catch let error as CocoaError {
      throw CatalogError(.directory, "cannot write \(path): \(error.words)")
    }
  }

  package func remove() { folder.remove() }
}
