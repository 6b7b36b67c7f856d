import CatalogEngine
import CatalogModel
import Foundation

/// The files of the cache.
struct CacheFiles {
  let folder: String

  /// Larger files were not written here.
  private static let sizeLimit = 64 << 20

  private func path(_ part: RecordingPart, of recording: String) -> String {
    "\(folder)/\(recording).\(part.rawValue).json"
  }

  /// A document; nil if there is none, or none that is JSON: a write that was cut, a link.
  func read(_ part: RecordingPart, of recording: String) throws -> CachedDocument? {
    let path = path(part, of: recording)
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard let bytes = try? DocumentFile.load(path, limit: Self.sizeLimit),
      bytes.withUnsafeBytes({ (try? JSONReader($0).validate()) != nil })
    else { return nil }
    let time = status.written
    return CachedDocument(
      bytes: bytes,
      fetchedAt: Timestamp(
        milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000))
  }

  /// Writes all documents of a recording, each of them complete or not at all.
  func write(_ documents: [RecordingPart: [UInt8]], of recording: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for part in RecordingPart.allCases {
        guard let bytes = documents[part] else { continue }
        // A new name first: whoever reads meanwhile has the old file, and a link is replaced, not followed.
        let path = path(part, of: recording)
        let new = "\(folder)/.\(UUID().uuidString)"
        defer { unlink(new) }
        try Data(bytes).write(to: URL(filePath: new))
        guard rename(new, path) == 0 else {
          throw ArchiveCacheError.file(path, reason: String(cString: strerror(errno)))
        }
      }
    } catch let error as CocoaError {
      throw ArchiveCacheError.file(folder, reason: error.words)
    }
  }

  /// Removes what is too old, and what an interrupted write left.
  func removeExpired(at now: Timestamp) throws -> Int {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return 0 }
    var count = 0
    for name in names {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let isOwn =
        name.hasPrefix(".") && UUID(uuidString: String(name.dropFirst())) != nil
        || RecordingPart.allCases.contains { name.hasSuffix(".\($0.rawValue).json") }
      let age = now.milliseconds / 1_000 - Int64(status.written.tv_sec)
      guard isOwn, age >= ArchiveCache.lifetime.components.seconds, unlink(path) == 0 else {
        continue
      }
      count += 1
    }
    return count
  }
}

extension stat {
  /// The time of the last write.
  fileprivate var written: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
