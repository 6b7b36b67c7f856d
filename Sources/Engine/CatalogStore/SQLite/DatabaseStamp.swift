import Foundation

/// What the system says of the files of a database: which they are, how long, and when they were changed last.
///
/// If two are equal, no program wrote to the database in between. A program that changes a file cannot set its times
/// back: the second one is the system's own.
package struct DatabaseStamp: Hashable, Sendable {
  /// What the system says of a file; nil if it does not exist. Tests give file systems with other clocks.
  typealias Look = @Sendable (String) -> stat?

  /// The database's file.
  private let file: FileState
  /// Its write-ahead log; nil if that does not exist or is empty.
  private let log: FileState?
  /// Its rollback journal, which SQLite rolls back when it opens the database; nil if that does not exist or is empty.
  private let journal: FileState?

  private struct FileState: Hashable {
    let device: UInt64
    let inode: UInt64
    let length: Int64
    let written: Moment
    /// Nil of the write-ahead log: SQLite sets the owner of that at each opening by the superuser, which changes this
    /// time and no byte.
    let changed: Moment?

    init?(_ path: String, isLog: Bool = false, _ look: Look) {
      guard let info = look(path) else { return nil }
      device = UInt64(info.st_dev)
      inode = UInt64(info.st_ino)
      length = Int64(info.st_size)
      #if canImport(Glibc)
        written = Moment(info.st_mtim)
        changed = isLog ? nil : Moment(info.st_ctim)
      #else
        written = Moment(info.st_mtimespec)
        changed = isLog ? nil : Moment(info.st_ctimespec)
      #endif
    }

    fileprivate var line: String {
      "\(device) \(inode) \(length) \(written.line) \(changed?.line ?? "-")"
    }
  }

  /// A time of a file, in seconds and nanoseconds.
  struct Moment: Hashable, Comparable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) {
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }

    fileprivate var line: String { "\(seconds).\(nanoseconds)" }

    /// - Parameter more: nanoseconds, less than a second.
    fileprivate func adding(seconds: Int = 0, nanoseconds more: Int = 0) -> Moment {
      let sum = nanoseconds + more
      return Moment(
        timespec(
          tv_sec: self.seconds + seconds + sum / 1_000_000_000, tv_nsec: sum % 1_000_000_000))
    }

    static func < (one: Moment, other: Moment) -> Bool {
      (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
  }

  /// Looks at the files now; nil if the database does not exist.
  ///
  /// - Parameter path: of the database or of a link to it. SQLite keeps its other files beside the file itself.
  init?(of path: String, _ look: Look = DatabaseStamp.system) {
    guard let file = FileState(path, look) else { return nil }
    self.file = file
    let real = Self.realPath(path)
    func state(_ suffix: String, isLog: Bool = false) -> FileState? {
      FileState(real + suffix, isLog: isLog, look).flatMap { $0.length > 0 ? $0 : nil }
    }
    log = state("-wal", isLog: true)
    journal = state("-journal")
  }

  /// Looks at the files now.
  ///
  /// - Returns: nil if the database does not exist.
  package static func now(of path: String) -> DatabaseStamp? { DatabaseStamp(of: path) }

  static let system: Look = { path in
    var info = stat()
    return stat(path, &info) == 0 ? info : nil
  }

  package static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The endings of the names of the files that the database has, in this order: of the file itself, of its write-ahead log, of its
  /// rollback journal.
  package var endings: [String] {
    [""] + (log == nil ? [] : ["-wal"]) + (journal == nil ? [] : ["-journal"])
  }

  /// Bytes of the files.
  package var length: Int {
    Int([file, log, journal].compactMap { $0?.length }.reduce(0, +))
  }

  /// The time at which a program wrote to one of the files last, in milliseconds since 1970.
  package var written: Int64 {
    let last = [file, log, journal].compactMap { $0?.written }.max() ?? file.written
    return Int64(last.seconds) * 1_000 + Int64(last.nanoseconds / 1_000_000)
  }

  /// Whether the database has no byte yet.
  var isEmpty: Bool { file.length == 0 && log == nil && journal == nil }

  /// Whether opening the database has to read more than its file.
  var hasLog: Bool { log != nil || journal != nil }

  /// One line, to be kept in a file, of a database whose file has all of its write-ahead log.
  var line: String { "\(Self.version) \(file.line) \(log?.line ?? "-")" }

  /// One line, to be kept in a file, of a database whose write-ahead log has more than its file.
  var lineWithLog: String { "\(Self.version) \(file.line) with \(log?.line ?? "-")" }

  private static let version = 2

  /// Whether a line was kept of a database as it is now. If all of the write-ahead log was written into the file before, SQLite
  /// may have removed that log since. A journal is rolled back by the next opening, whatever
  /// the line says.
  func isKept(in line: String) -> Bool {
    guard journal == nil else { return false }
    let own = "\(Self.version) \(file.line) "
    guard line.hasPrefix(own) else { return false }
    return line == lineWithLog || line == self.line || log == nil && !line.hasPrefix(own + "with ")
  }

  /// Waits until whatever is written to the files from now on has another time than they have: the system's clock of
  /// files moves in steps of some milliseconds.
  ///
  /// Some file systems keep whole seconds, FAT every second one, exFAT hundredths. If all times could be such ones, the
  /// files have to be that old, as Git asks of an index that it calls racy.
  ///
  /// - Returns: false if that takes longer than 50 ms, or if a timestamp is in the future.
  package func waitForNextStep() -> Bool { waitForNextStep(now: DatabaseStamp.now) }

  func waitForNextStep(now: () -> Moment) -> Bool {
    guard var last = times.max() else { return false }
    if times.allSatisfy({ $0.nanoseconds == 0 }) {
      last = last.adding(seconds: 2)
    } else if times.allSatisfy({ $0.nanoseconds % 10_000_000 == 0 }) {
      last = last.adding(nanoseconds: 10_000_000)
    }
    for _ in 0..<50 {
      if last < now() { return true }
      usleep(1_000)
    }
    return false
  }

  /// Whether a program wrote to the files less than so many milliseconds ago.
  func isYounger(than milliseconds: Int, now: Moment = DatabaseStamp.now()) -> Bool {
    guard let last = times.max() else { return false }
    return now
      < last.adding(
        seconds: milliseconds / 1_000, nanoseconds: milliseconds % 1_000 * 1_000_000)
  }

  private var times: [Moment] {
    [file.written, file.changed, log?.written, log?.changed].compactMap { $0 }
  }

  /// The clock that the system stamps files with.
  static func now() -> Moment {
    var now = timespec()
    #if canImport(Glibc)
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
    #else
      clock_gettime(CLOCK_REALTIME, &now)
    #endif
    return Moment(now)
  }
}
