import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(
  .promise(
    "Links, FIFOs and folders in the place of the log's files make no process wait and "
      + "change no other file; the error names the path"),
  .promise(
    "A log has one writer at a time; others wait as long as asked, or get an error that "
      + "names it",
    by: "file systems that do not lock folders"))
struct LockFileTests {
  /// Earlier versions of the program wrote it at each append.
  @Test func aLockFileOfAnEarlierVersionIsHonouredAndThenRemoved() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    var earlier: WriterLock? = try WriterLock(directory: log.path, holder: "earlier")
    let error = #expect(throws: EventLogError.self) { try log.writer() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process \(getpid()) (earlier)") == true)
    #expect(try log.names().contains("LOCK") && earlier != nil)
    earlier = nil
    try log.append([["two"]])
    #expect(try !log.names().contains("LOCK"))
  }

  /// Linux locks a folder of NFS for this machine alone; other systems refuse it.
  @Test(arguments: [EBADF, ENOTSUP, ENOLCK])
  func aFileSystemThatLocksNoFoldersHasALockFile(errno: Int32) throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    func calls() -> ScriptedFileCalls {
      let calls = ScriptedFileCalls()
      let folder = LogFolder.fileName(log.path)
      calls.follow { call, name in
        if call == "lock", name == folder { throw FileFailure("flock", nil, errno) }
      }
      return calls
    }
    let writer = try log.writer(files: calls())
    let error = #expect(throws: EventLogError.self) { try log.writer(files: calls()) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process \(getpid()) (") == true)
    #expect(try log.names().contains("LOCK"))
    try ScratchLog.append(["two"], to: writer)
    writer.close()
    #expect(throws: Never.self) { try log.writer(files: calls()).close() }
    #expect(try log.names().contains("LOCK"))
  }

  /// The holder writes its name into the file, so that a file with a second name would change under both.
  @Test func aLockThatIsAHardLinkIsRefusedAndItsFileLeftAlone() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let precious = log.parent + "/precious"
    let file = try LogFile(precious, .create, RealFileCalls())
    try file.write(Array("do not lose me".utf8), at: 0)
    try RealFileCalls().link(precious, to: log.path + "/LOCK")
    let error = #expect(throws: EventLogError.self) {
      try WriterLock(directory: log.path, holder: "a test")
    }
    #expect(error?.message.contains("LOCK") == true)
    #expect(try file.read(100, at: 0) == Array("do not lose me".utf8))
  }

  /// A folder of this machine has a lock that all its users see.
  @Test func noFileSystemOfThisMachineIsShared() throws {
    let log = try ScratchLog()
    for path in [ScratchFolder.repository, log.parent] {
      let folder = try LogFile(path, .directory, RealFileCalls())
      #expect(!SharedFileSystem.has(folder.descriptor), "\(path)")
    }
    let nfs: UInt32 = 0x6969
    #expect(SharedFileSystem.magicNumbers.contains(nfs))
  }

  @Test func aSymbolicLinkIsRefusedInPlainWords() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    #expect(symlink("/etc/hostname", log.path + "/LOCK") == 0)
    let error = #expect(throws: EventLogError.self) {
      try WriterLock(directory: log.path, holder: "a test")
    }
    #expect(error?.code == .io)
    #expect(error?.message.contains("symbolic link") == true)
    #expect(error?.message.contains("Too many levels") == false)
  }
}
