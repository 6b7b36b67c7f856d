import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the system says of the files of a database: which they are, how long, and when they were changed last.
///
/// Two that are equal are of a database that nobody wrote to in between. The times cannot be set back by who changes a
/// file: the second one is the system's own.
struct DatabaseStamp: Hashable, Sendable {
  /// Of the database's file.
  private let file: FileState
  /// Of its write-ahead log; nil where there is none, or an empty one.
  private let log: FileState?

  private struct FileState: Hashable {
    let device: UInt64
    let inode: UInt64
    let length: Int64
    let written: Moment
    let changed: Moment

    init?(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      device = UInt64(info.st_dev)
      inode = UInt64(info.st_ino)
      length = Int64(info.st_size)
      #if canImport(Glibc)
        written = Moment(info.st_mtim)
        changed = Moment(info.st_ctim)
      #else
        written = Moment(info.st_mtimespec)
        changed = Moment(info.st_ctimespec)
      #endif
    }

    fileprivate var line: String {
      "\(device) \(inode) \(length) \(written.line) \(changed.line)"
    }
  }

  /// A time of a file, in seconds and nanoseconds.
  private struct Moment: Hashable, Comparable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) {
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }

    fileprivate var line: String { "\(seconds).\(nanoseconds)" }

    static func < (one: Moment, other: Moment) -> Bool {
      (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
  }

  /// Looks at the files now; nil if the database does not exist.
  init?(of path: String) {
    guard let file = FileState(path) else { return nil }
    self.file = file
    log = FileState(path + "-wal").flatMap { $0.length > 0 ? $0 : nil }
  }

  /// Whether the database has no byte yet.
  var isEmpty: Bool { file.length == 0 && log == nil }

  /// One line, to be kept in a file.
  var line: String { "\(Self.version) \(file.line) \(log?.line ?? "-")" }

  private static let version = 1

  /// Whether a line was kept of a database as it is now. Where all of its write-ahead log was carried into the file,
  /// which is when a line is kept, SQLite may have removed that log since.
  func isKept(in line: String) -> Bool {
    let own = "\(Self.version) \(file.line) "
    guard line.hasPrefix(own) else { return false }
    return log == nil || line == self.line
  }

  /// Waits until whatever is written to the files from now on has another time than they have: the system's clock of
  /// files moves in steps of some milliseconds.
  ///
  /// - Returns: false where that does not come to pass; a file may have a time that is to come.
  func waitForNextStep() -> Bool {
    let last = [file.written, file.changed, log?.written, log?.changed].compactMap { $0 }.max()
    for _ in 0..<50 {
      var now = timespec()
      #if canImport(Glibc)
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
      #else
        clock_gettime(CLOCK_REALTIME, &now)
      #endif
      if let last, last < Moment(now) { return true }
      usleep(1_000)
    }
    return false
  }
}
