public import CatalogEngine
import CatalogModel
import Downloads
public import Foundation
import Synchronization

/// What an archive on the web says of recordings, kept as files for a day: the brief's section 1.7.
///
/// Three files a recording: `{cache}/archive/{recording}.metadata.json`, `.tracks.json` and `.reviews.json`. They are no
/// part of the catalog: they may be deleted at any time.
public final class ArchiveCache: Sendable {
  /// How long a file is good.
  public static let lifetime = Duration.seconds(24 * 60 * 60)

  private let files: CacheFiles
  private let service: ArchiveService
  private let clock: CatalogClock
  /// Requests under way: nobody asks twice for the same recording at once.
  private let running = Mutex<[String: Task<Void, any Error>]>([:])

  /// - Parameters:
  ///   - folder: gets a folder `archive`.
  ///   - service: what to ask.
  ///   - clock: says whether a file is too old.
  /// - Throws: `DocumentError` for a URL that is not a file URL.
  public convenience init(
    folder: URL, service: ArchiveService, clock: CatalogClock = .system
  ) throws {
    self.init(folder: try folder.filePath(), service: service, clock: clock)
  }

  /// Keeps the files below the folder of a path.
  public init(folder: String, service: ArchiveService, clock: CatalogClock = .system) {
    files = CacheFiles(folder: folder + "/archive")
    self.service = service
    self.clock = clock
  }

  /// A document of a recording, from the cache where it is younger than `lifetime`, else from the service.
  ///
  /// Where the service cannot be reached, an older document is better than none: `isStale` says so.
  ///
  /// - Throws: `ArchiveCacheError`; `DownloadFailure` if the service fails and no document is kept.
  public func document(
    _ part: RecordingPart, of recording: String, refreshing: Bool = false
  ) async throws -> CachedDocument {
    guard RecordingIdentifier.isFileName(recording) else {
      throw ArchiveCacheError.notAnIdentifier(recording)
    }
    let now = clock.now()
    let kept = try files.read(part, of: recording)
    if let kept, !refreshing, kept.isFresh(at: now) { return kept }
    do {
      try await fetch(recording)
    } catch let failure as DownloadFailure {
      guard var kept else { throw failure }
      kept.isStale = true
      return kept
    }
    guard let fetched = try files.read(part, of: recording) else {
      throw ArchiveCacheError.unknownRecording(recording)
    }
    return fetched
  }

  /// The tracks of a recording.
  public func tracks(of recording: String, refreshing: Bool = false) async throws -> [ArchiveTrack]
  {
    try ArchiveTrack.all(in: await document(.tracks, of: recording, refreshing: refreshing).bytes)
  }

  /// Brings recordings into the cache that are not in it, two at a time. One that fails hinders none.
  ///
  /// - Returns: those that failed, with the reason.
  @discardableResult
  public func prefetch(_ recordings: [String]) async -> [String: String] {
    await withTaskGroup(of: (String, String?).self) { group in
      var failures: [String: String] = [:]
      for (place, recording) in recordings.enumerated() {
        if place >= 2, case (let failed, let reason?)? = await group.next() {
          failures[failed] = reason
        }
        group.addTask {
          do {
            _ = try await self.document(.tracks, of: recording)
            return (recording, nil)
          } catch {
            return (recording, "\(error)")
          }
        }
      }
      for await case (let failed, let reason?) in group { failures[failed] = reason }
      return failures
    }
  }

  /// Removes files that are older than `lifetime`.
  ///
  /// - Returns: how many.
  @discardableResult
  public func removeExpired() throws -> Int { try files.removeExpired(at: clock.now()) }

  private func fetch(_ recording: String) async throws {
    let task = running.withLock { running in
      if let task = running[recording] { return task }
      let task = Task { [files, service] in
        try files.write(try await service.recording(recording), of: recording)
      }
      running[recording] = task
      return task
    }
    defer {
      running.withLock { running in
        if running[recording] == task { running[recording] = nil }
      }
    }
    // Who is cancelled leaves it to others that wait for the same recording.
    try await task.value
  }
}

/// What is kept of a recording, in a file each.
public enum RecordingPart: String, CaseIterable, Sendable {
  case metadata
  case tracks
  case reviews
}

/// A document of the cache.
public struct CachedDocument: Sendable {
  /// JSON.
  public let bytes: [UInt8]
  public let fetchedAt: Timestamp
  /// Whether it is older than it should be, because the service could not be reached.
  public internal(set) var isStale = false

  /// A file from the future says that a clock was wrong: it is not trusted.
  func isFresh(at now: Timestamp) -> Bool {
    let age = now.milliseconds - fetchedAt.milliseconds
    // File systems round to two seconds at the worst.
    return age > -2_000 && age < ArchiveCache.lifetime.components.seconds * 1_000
  }
}

/// Why the cache has no document.
public enum ArchiveCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A text that is not the name of a file.
  case notAnIdentifier(String)
  /// The service knows no such recording.
  case unknownRecording(String)
  /// What the service sent is not what it should send.
  case unexpected(recording: String, reason: String)
  /// A file of the cache cannot be used.
  case file(String, reason: String)

  public var description: String {
    switch self {
    case .notAnIdentifier(let text):
      "\(JSONExcerpt.printable(text)) is not an identifier of a recording"
    case .unknownRecording(let recording): "the archive has no recording \(recording)"
    case .unexpected(let recording, let reason):
      "what the archive sent of \(recording) cannot be used: \(reason)"
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }
}
