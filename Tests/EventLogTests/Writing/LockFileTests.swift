import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct LockFileTests {
  /// The lock's text is written over what is there: a file that has another name is not ours.
  @Test func aLockThatIsAHardLinkIsRefusedAndItsFileLeftAlone() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let precious = log.parent + "/precious"
    let file = try LogFile(precious, .create, RealFileCalls())
    try file.write(Array("do not lose me".utf8), at: 0)
    try RealFileCalls().unlink(log.path + "/LOCK")
    try RealFileCalls().link(precious, to: log.path + "/LOCK")
    let error = #expect(throws: EventLogError.self) { try log.writer() }
    #expect(error?.message.contains("LOCK") == true)
    #expect(try file.read(100, at: 0) == Array("do not lose me".utf8))
  }

  @Test func aSymbolicLinkIsRefusedInPlainWords() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    try RealFileCalls().unlink(log.path + "/LOCK")
    #expect(symlink("/etc/hostname", log.path + "/LOCK") == 0)
    let error = #expect(throws: EventLogError.self) { try log.writer() }
    #expect(error?.code == .io)
    #expect(error?.message.contains("symbolic link") == true)
    #expect(error?.message.contains("Too many levels") == false)
  }
}
