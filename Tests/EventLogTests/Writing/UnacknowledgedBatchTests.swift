import Promises
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What was written and not acknowledged, and what may be said of it.
@Suite(
  .promise(
    "What was acknowledged survives a loss of power at any write, sync or change of a "
      + "name, in recovery and sealing too",
    by: "what a killed writer left, failed syncs, a full disk"))
struct UnacknowledgedBatchTests {
  @Test func whatAKilledWriterLeftIsMadeDurableBeforeItCountsAsAppended() throws {
    let log = try ScratchLog()
    let start = try log.append([["one"]])[0]
    let failing = ScriptedFileCalls()
    let writer = try log.writer(files: failing)
    failing.follow { call, _ in
      if call == "syncData" || call == "sync" { throw FileFailure(call, nil, EIO) }
    }
    let error = #expect(throws: EventLogError.self) { try ScratchLog.append(["two"], to: writer) }
    #expect(error?.code == .outcomeUnknown)
    let poisoned = #expect(throws: EventLogError.self) { try ScratchLog.append(["x"], to: writer) }
    #expect(poisoned?.code == .poisoned)
    writer.close()

    let noting = ScriptedFileCalls()
    let again = try log.writer(files: noting)
    let segment = try log.segments()[0]
    #expect(
      noting.calls.contains("syncData \(segment)") || noting.calls.contains("sync \(segment)"))
    #expect(noting.calls.contains("syncDirectory events"))
    guard case .already(let head) = try ScratchLog.append(["two"], to: again, after: start) else {
      Issue.record("the batch is there")
      return
    }
    #expect(head == again.head)
  }

  @Test func aCutThatFailsLeavesTheOutcomeUnknown() throws {
    let log = try ScratchLog()
    let heads = try log.append([["one"]])
    let files = ScriptedFileCalls()
    let writer = try log.writer(files: files)
    files.follow { call, _ in
      if call == "write" { throw FileFailure(call, nil, ENOSPC) }
      if call == "truncate" { throw FileFailure(call, nil, EIO) }
    }
    let error = #expect(throws: EventLogError.self) { try ScratchLog.append(["two"], to: writer) }
    #expect(error?.code == .outcomeUnknown)
    #expect(error?.message.contains("No space left") == true)
    writer.close()
    let again = try log.writer()
    #expect(again.head == heads[0])
    #expect(again.recovery != nil)
  }

  @Test func aFullDiskLeavesTheLogAsItWasAndTheWriterUsable() throws {
    let log = try ScratchLog()
    let heads = try log.append([["one"]])
    let before = try log.bytes(try log.segments()[0])
    let files = ScriptedFileCalls()
    let writer = try log.writer(files: files)
    files.follow { call, _ in if call == "write" { throw FileFailure(call, nil, ENOSPC) } }
    let error = #expect(throws: EventLogError.self) { try ScratchLog.append(["two"], to: writer) }
    #expect(error?.code == .io)
    #expect(error?.errno == ENOSPC)
    #expect(try log.bytes(try log.segments()[0]) == before)
    files.follow { _, _ in }
    #expect(try ScratchLog.append(["two"], to: writer, after: heads[0]).head.sequence == 2)
  }

  @Test func aFailedSyncOfANewSegmentPoisonsTheWriter() throws {
    let log = try ScratchLog()
    let files = ScriptedFileCalls()
    let writer = try log.writer(files: files)
    files.follow { call, _ in if call == "sync" { throw FileFailure(call, nil, EIO) } }
    #expect(throws: EventLogError.self) { try ScratchLog.append(["one"], to: writer) }
    files.follow { _, _ in }
    let error = #expect(throws: EventLogError.self) { try ScratchLog.append(["one"], to: writer) }
    #expect(error?.code == .poisoned)
    #expect(try log.segments().isEmpty)
    writer.close()
    #expect(try log.writer().head == .empty(ScratchLog.id))
  }

  @Test func aFullDiskWhileASegmentIsMadeLeavesNothingAndTheNextAppendMakesIt() throws {
    let log = try ScratchLog()
    let files = ScriptedFileCalls()
    let writer = try log.writer(files: files)
    // Not even the half-made file can be removed.
    files.follow { call, _ in
      if call == "write" || call == "unlink" { throw FileFailure(call, nil, ENOSPC) }
    }
    let error = #expect(throws: EventLogError.self) { try ScratchLog.append(["one"], to: writer) }
    #expect(error?.errno == ENOSPC)
    files.follow { _, _ in }
    #expect(try ScratchLog.append(["one"], to: writer).head.sequence == 1)
    #expect(try log.names() == [LogFolder.name(1)])
  }

  @Test func theFolderOfANewLogIsMadeDurableWithItsFirstBatch() throws {
    let log = try ScratchLog()
    let files = ScriptedFileCalls()
    let writer = try log.writer(files: files)
    try ScratchLog.append(["one"], to: writer)
    let parent = LogFolder.fileName(log.parent)
    #expect(files.calls.contains("syncDirectory \(parent)"))
    #expect(files.calls.last { $0.hasPrefix("syncDirectory") } != nil)
  }

  @Test func aBatchOfAnotherLogIsRefused() throws {
    let log = try ScratchLog()
    let writer = try log.writer()
    let other = try EventLogWriter(
      directory: log.parent + "/other", logID: LogID(bytes: Array(repeating: 7, count: 16)),
      holder: "test")
    var batch = try other.makeBatch(expecting: writer.head)
    try Array("{}".utf8).withUnsafeBytes { try batch.append(line: $0) }
    do {
      _ = try writer.append(batch)
      Issue.record("a batch of another log was appended")
    } catch let error as EventLogError {
      #expect(error.code == .invalidBatch)
    }
  }

  @Test func theEmptyHeadOfAnotherLogIsNotInThisOne() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let foreign = LogHead.empty(LogID(bytes: Array(repeating: 7, count: 16)))
    let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [foreign]) }
    #expect(error?.code == .lostEvents)
    #expect(try log.writer(knownHeads: [.empty(ScratchLog.id)]).head.sequence == 1)
  }
}
