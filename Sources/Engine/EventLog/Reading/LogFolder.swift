import LibC

/// The folder of a log and the names in it.
struct LogFolder: Sendable {
  let path: String
  let calls: any FileCalls
  /// Where walks to the log's end may begin; nil for a program that looks for it once.
  var places: VerifiedOffsets?

  static let suffix = ".jsonl.zst"

  var lockPath: String { path + "/LOCK" }

  /// The name of the segment that begins with this sequence.
  static func name(_ firstSequence: UInt64) -> String {
    let digits = String(firstSequence)
    return String(repeating: "0", count: 20 - digits.count) + digits + suffix
  }

  /// The last component of a path.
  static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  func path(_ name: String) -> String {
    path + "/" + name
  }

  /// The path of the segment that begins with a sequence.
  func path(of segment: UInt64) -> String {
    path(Self.name(segment))
  }

  /// Where a segment is made before it gets its name.
  func newPath(_ name: String) -> String {
    path + "/." + name + ".new"
  }

  /// Opens a segment for reading.
  ///
  /// - Throws: damage where something else than a regular file has the segment's name.
  func open(segment first: UInt64) throws -> LogFile {
    let path = path(of: first)
    do {
      return try LogFile(path, .read, calls)
    } catch let error as EventLogError
      where error.code == .io && (error.errno == nil || error.errno == Self.symbolicLink)
    {
      throw EventLogError.damaged(.notAFile, "it is not a regular file", path, 0, first)
    }
  }

  /// The number of the error of opening a symbolic link.
  private static var symbolicLink: Int32 { ELOOP }

  /// First sequences of all segments, ascending; nil if there is no such folder.
  func segments() throws -> [UInt64]? {
    // A listing may hold a name twice that was replaced while it was made.
    let segments = try names().map { Set($0.compactMap(Self.firstSequence)).sorted() }
    guard segments?.first != 0 else {
      throw EventLogError.damaged(
        .segments, "no segment begins with event 0", path(of: 0), 0, 0)
    }
    return segments
  }

  /// Names of segments that were being made when a writer died.
  static func leftovers(among names: [String]) -> [String] {
    names.filter { $0.hasPrefix(".") && $0.hasSuffix(suffix + ".new") }
  }

  func names() throws -> [String]? {
    try EventLogError.doing("list", path) { try calls.names(in: path) }
  }

  /// The first sequence in a segment's name; nil if it is no such name.
  static func firstSequence(_ name: String) -> UInt64? {
    guard name.hasSuffix(suffix) else { return nil }
    let digits = name.dropLast(suffix.count)
    guard digits.count == 20, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return UInt64(digits)
  }
}
