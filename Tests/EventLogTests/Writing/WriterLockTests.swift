import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "A log has one writer at a time; others wait as long as asked, or get an error that "
      + "names it"))
struct WriterLockTests {
  @Test func aSecondWriterIsRefusedWithTheHoldersName() throws {
    let log = try LogFixture()
    let writer = try log.writer()
    let error = #expect(throws: EventLogError.self) { try log.writer() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process \(getpid()) (") == true)
    writer.close()
    #expect(throws: Never.self) { try log.writer() }
    let closed = #expect(throws: EventLogError.self) {
      try writer.append([[1]], after: writer.head)
    }
    #expect(closed?.code == .poisoned)
    #expect(closed?.message.contains("closed") == true)
  }

  @Test func aWriterWaitsAsLongAsItWasTold() throws {
    let log = try LogFixture()
    let writer = try log.writer()
    let start = ContinuousClock.now
    let error = #expect(throws: EventLogError.self) { try log.writer(wait: .milliseconds(150)) }
    #expect(error?.code == .locked)
    #expect(ContinuousClock.now - start >= .milliseconds(150))
    _ = writer.head
  }

  @Test func theLockOfAKilledProcessIsFree() throws {
    let log = try LogFixture()
    try log.writer().close()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import fcntl,os,sys,time; f=os.open(sys.argv[1], os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_EX); "
        + "print('held', flush=True); time.sleep(60)", log.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    _ = pipe.fileHandleForReading.availableData
    #expect(throws: EventLogError.self) { try log.writer() }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(throws: Never.self) { try log.writer() }
  }

  enum Obstacle: CaseIterable {
    case symbolicLink, fifo, directory
  }

  @Test(arguments: Obstacle.allCases)
  func whatIsNoRegularFileIsRefused(_ obstacle: Obstacle) throws {
    var generator = SeededGenerator(seed: 61)
    let log = try LogFixture()
    try log.fill(2, from: &generator)
    let path = log.path + "/" + LogFolder.name(1)
    try FileManager.default.moveItem(atPath: path, toPath: log.path + "/elsewhere")
    switch obstacle {
    case .symbolicLink:
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: log.path + "/elsewhere")
    case .fifo: mkfifo(path, 0o600)
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let error = #expect(throws: EventLogError.self) { try log.writer() }
    #expect(error?.code == .damaged(.notAFile))
    #expect(error?.message.contains(path) == true)
    #expect(throws: EventLogError.self) { try log.reader.head() }
    let findings = try log.reader.check().findings
    #expect(findings.map(\.problem) == [.notAFile])
    #expect(findings.map(\.file) == [path])
  }

  @Test func leftoversOfADeadWriterAreSweptAndNeverRead() throws {
    var generator = SeededGenerator(seed: 62)
    let log = try LogFixture()
    try log.fill(2, from: &generator)
    let leftover = "." + LogFolder.name(log.head.sequence + 1) + ".new"
    try log.write([1, 2, 3], to: leftover)
    #expect(try log.reader.head() == log.head)
    #expect(try log.verdict("a leftover") == .whole)
    #expect(try !log.names().contains(leftover))
    #expect(try log.names() == [LogFolder.name(1)])
  }
}
