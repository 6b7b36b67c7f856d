package import EventLog
import Foundation

/// Copies the batches of a server to a folder of segments, which `remove` deletes: a salvage reads a folder.
package final class ServerSegments: Sendable {
  private let folder: TemporaryFolder

  /// The folder of the segments.
  package let path: String
  /// How many rows and pages the server cannot read.
  package let unread: Int

  /// Copies all batches, damaged ones as they are. The server is only read.
  ///
  /// - Throws: `EventLogError` with `unavailable`, and with `io` if there is no row; `CatalogError` with `directory` if no temporary folder can be
  ///   written.
  package init(_ log: BatchStoreLog, progress: @escaping ProgressObserver = { _ in }) throws {
    folder = try TemporaryFolder()
    path = folder.file("events")
    var copied = 0
    let path = path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      unread = try log.forEachSegment { name, bytes in
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        copied += bytes.count
        progress(CatalogProgress(phase: .copying, done: copied, total: nil))
      }
      if copied == 0, unread == 0 { throw EventLogError.noLog(log.place) }
    } catch let error as CocoaError {
      throw CatalogError(.directory, "cannot write \(path): \(error.words)")
    }
  }

  package func remove() { folder.remove() }

  /// Names the rows of the server in a text about the copy, in the place of segments: by `first_seq`, the column of the first event.
  package func naming(_ log: BatchStoreLog, in text: String) -> String {
    let parts = text.components(separatedBy: "\(path)/")
    let named = parts.dropFirst().map { part in
      let name = part.prefix { $0.isNumber || $0.isLetter || $0 == "." }
      guard let first = UInt64(name.prefix { $0.isNumber }) else { return part }
      return "\(log.place), first_seq \(first)\(part[name.endIndex...])"
    }
    return ([parts[0]] + named).joined().replacing(path, with: log.place)
  }
}
