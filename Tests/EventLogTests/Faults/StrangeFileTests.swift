import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Symbolic links, FIFOs, folders and hard links where the log has its files: nobody waits for ever,
/// nothing is written to a file elsewhere, and the error names the path.
@Suite(
  .promise(
    "Links, FIFOs and folders in the place of the log's files make no process wait and "
      + "change no other file; the error names the path"))
struct StrangeFileTests {
  enum Kind: String, CaseIterable, CustomStringConvertible {
    case symbolicLink = "symbolic link"
    case danglingLink = "dangling link"
    case fifo = "FIFO"
    case folder = "folder"
    case hardLink = "hard link"

    var description: String { rawValue }
  }

  private static let precious = Array("do not lose me".utf8)

  private let shaped: ShapedLog
  private var log: LogFixture { shaped.log }
  private var elsewhere: String { log.directory.path + "/precious" }
  private var missing: String { log.directory.path + "/missing" }

  init() throws {
    var generator = SeededGenerator(seed: 61)
    shaped = try ShapedLog(.segments, from: &generator)
  }

  /// Puts something strange in the place of a file; a link leads to these bytes elsewhere.
  private func put(_ kind: Kind, at path: String, leadingTo bytes: [UInt8]) throws {
    let files = FileManager.default
    if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(filePath: elsewhere))
    switch kind {
    case .symbolicLink:
      try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    case .danglingLink:
      try files.createSymbolicLink(atPath: path, withDestinationPath: missing)
    case .fifo: try #require(mkfifo(path, 0o600) == 0)
    case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .hardLink: try RealFileCalls().link(elsewhere, to: path)
    }
  }

  private func expectNothingElsewhereChanged(_ bytes: [UInt8], _ what: String) throws {
    #expect(try [UInt8](Data(contentsOf: URL(filePath: elsewhere))) == bytes, "\(what)")
    #expect(!FileManager.default.fileExists(atPath: missing), "\(what)")
  }

  private func expectRefusal(
    _ kind: Kind, naming path: String, _ body: () throws -> Void
  ) throws {
    let error = #expect(throws: EventLogError.self, "\(kind)") { try body() }
    #expect(error?.message.contains(path) == true, "\(kind): \(error as Any)")
    #expect(error?.message.contains("Too many levels") == false)
  }

  @Test(arguments: Kind.allCases)
  func inPlaceOfALockFile(_ kind: Kind) throws {
    let lock = log.path + "/LOCK"
    try put(kind, at: lock, leadingTo: Self.precious)
    try expectRefusal(kind, naming: lock) {
      _ = try WriterLock(directory: log.path, holder: "a test")
    }
    try expectNothingElsewhereChanged(Self.precious, "\(kind)")
    // A log is locked by its folder: it is none of its files.
    try log.writer().close()
    #expect(try log.names().contains("LOCK"))
    try expectNothingElsewhereChanged(Self.precious, "\(kind)")
    // Readers need no lock.
    #expect(try log.reader.delivered().lines == log.batches)
  }

  /// The file elsewhere is the very segment: only the name in the folder is strange.
  @Test(arguments: Kind.allCases, [false, true])
  func inPlaceOfASegment(_ kind: Kind, _ isLast: Bool) throws {
    let segment = isLast ? shaped.segments[shaped.segments.count - 1] : shaped.segments[0]
    let path = log.path + "/" + segment.name
    try put(kind, at: path, leadingTo: segment.bytes)
    if kind == .hardLink {
      // As good as any file to read. To go on in it would change the other file.
      #expect(try log.reader.delivered().lines == log.batches)
      if isLast {
        try expectRefusal(kind, naming: path) { _ = try log.writer() }
      } else {
        let writer = try log.writer()
        try log.append([Array("more".utf8)], to: writer)
        try writer.seal()
      }
    } else {
      try expectRefusal(kind, naming: path) { _ = try log.writer() }
      // `check` goes on, and tells of it with what else it finds.
      try expectRefusal(kind, naming: path) {
        for error in try log.reader.check().damage { throw error }
      }
      try expectRefusal(kind, naming: path) { _ = try log.reader.cursor().rest() }
      if isLast { try expectRefusal(kind, naming: path) { _ = try log.reader.head() } }
    }
    try expectNothingElsewhereChanged(segment.bytes, "\(kind)")
  }

  /// A torn tail in a file with another name: neither is cut.
  @Test func aTornTailOfAHardLinkIsLeftAlone() throws {
    let segment = shaped.segments[shaped.segments.count - 1]
    let path = log.path + "/" + segment.name
    let torn = Array(segment.bytes.dropLast(3))
    try put(.hardLink, at: path, leadingTo: torn)
    let names = try log.names()
    try expectRefusal(.hardLink, naming: path) { _ = try log.writer() }
    try expectNothingElsewhereChanged(torn, "hard link")
    #expect(try log.names() == names)
    #expect(try log.reader.delivered().torn != nil)
  }

  /// Where the next segment is made, and where a segment is sealed: a link is taken away, never followed.
  @Test(arguments: Kind.allCases, [false, true])
  func inPlaceOfATemporaryFile(_ kind: Kind, _ isBeforeOpening: Bool) throws {
    for isOfSeal in [true, false] {
      let last = try #require(try log.segments().last)
      let name = isOfSeal ? last : LogFolder.name(log.head.sequence + 1)
      let path = LogFolder(path: log.path, calls: RealFileCalls()).newPath(name)
      var writer: EventLogWriter?
      if !isBeforeOpening { writer = try log.writer() }
      try put(kind, at: path, leadingTo: Self.precious)
      if kind == .folder {
        // Not what any writer left: it is not taken away.
        try expectRefusal(kind, naming: path) {
          let writer = try writer ?? log.writer()
          try writer.seal()
          _ = try writer.append([Array("more".utf8)], after: writer.head)
        }
        writer?.close()
        try FileManager.default.removeItem(atPath: path)
      } else {
        let usable = try writer ?? log.writer()
        try usable.seal()
        try log.append([Array("more".utf8)], to: usable)
        usable.close()
        #expect(try log.names().allSatisfy { !$0.hasSuffix(".new") })
      }
      try expectNothingElsewhereChanged(Self.precious, "\(kind)")
      let read = try log.reader.delivered()
      #expect(read.error == nil && read.lines == log.batches, "\(kind)")
    }
  }

  /// Where recovery keeps torn bytes: a name that is taken, by whatever, is left alone.
  @Test(arguments: Kind.allCases)
  func inPlaceOfTheKeptBytes(_ kind: Kind) throws {
    let segment = shaped.segments[shaped.segments.count - 1]
    let start = try #require(segment.ends.dropLast().last)
    try put(kind, at: log.path + "/\(segment.name).torn-\(start)", leadingTo: Self.precious)
    try log.write(Array(segment.bytes.dropLast(3)), to: segment.name)
    let recovery = try #require(try log.writer().recovery)
    #expect(recovery.keptAt?.hasSuffix(".torn-\(start)-2") == true)
    try expectNothingElsewhereChanged(Self.precious, "\(kind)")
  }

  @Test(arguments: [Kind.symbolicLink, .danglingLink, .fifo])
  func inPlaceOfTheFolder(_ kind: Kind) throws {
    let path = log.directory.path + "/other"
    try put(kind, at: path, leadingTo: Self.precious)
    try expectRefusal(kind, naming: path) {
      _ = try EventLogWriter(directory: path, logID: LogFixture.id, holder: "test")
    }
    if kind != .danglingLink {
      try expectRefusal(kind, naming: path) {
        _ = try EventLogReader(directory: path).delivered().error.map { throw $0 }
      }
    }
    try expectNothingElsewhereChanged(Self.precious, "\(kind)")
  }
}
