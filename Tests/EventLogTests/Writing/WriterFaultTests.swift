import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "A failed write or sync leaves the last good head, or the error says that the outcome "
      + "is unknown"))
struct WriterFaultTests {
  let log: LogFixture
  let files = FaultyFileCalls()
  let line = Array(#"{"seq":1}"#.utf8)

  init() throws {
    log = try LogFixture()
  }

  @Test(arguments: [ENOSPC, EIO], [0, 1, 100, 131, 132, 200])
  func aFailedWriteLeavesNothing(_ errno: Int32, _ partial: Int) throws {
    let writer = try log.writer(files: files)
    try log.append([line], to: writer)
    let before = try log.bytes(LogFolder.name(1))
    files.set(.init(.write, errno: errno, partial: partial))
    let error = #expect(throws: EventLogError.self) { try writer.append([line], after: log.head) }
    #expect(error?.code == .io && error?.errno == errno)
    #expect(writer.head == log.head)
    #expect(try log.bytes(LogFolder.name(1)) == before)
    try log.append([line], to: writer)
    try log.append([line], to: writer)
    #expect(try log.reader.delivered().lines == log.batches)
  }

  @Test(arguments: 1...160)
  func shortWritesOfAnyLengthAreContinued(_ length: Int) throws {
    files.limitWrites(to: length)
    let writer = try log.writer(files: files)
    for _ in 0..<2 { try log.append([line], to: writer) }
    try writer.seal()
    try log.append([line], to: writer)
    #expect(try log.reader.delivered().lines == log.batches)
  }

  @Test(arguments: [false, true])
  func aFailedSyncPoisonsTheWriter(_ isDone: Bool) throws {
    let writer = try log.writer(files: files)
    try log.append([line], to: writer)
    files.set(.init(.syncData, errno: EIO, isDone: isDone))
    let error = #expect(throws: EventLogError.self) { try writer.append([line], after: log.head) }
    #expect(error?.code == .outcomeUnknown)
    #expect(writer.head == log.head)
    // A second sync would succeed: it must not be asked.
    let second = #expect(throws: EventLogError.self) { try writer.append([line], after: log.head) }
    #expect(second?.code == .poisoned)
    #expect(throws: EventLogError.self) { try writer.seal() }
    writer.close()
    let next = try log.writer(knownHeads: [log.head])
    guard case .already(let head) = try next.append([line], after: log.head) else {
      Issue.record("the batch was written before its sync failed")
      return
    }
    #expect(head == next.head)
  }

  @Test(arguments: [FaultyFileCalls.Call.truncate, .syncData])
  func aWriteThatCannotBeTakenBackIsUnknown(_ call: FaultyFileCalls.Call) throws {
    let writer = try log.writer(files: files)
    try log.append([line], to: writer)
    files.set(.init(.write, errno: ENOSPC, partial: 50), .init(call, errno: EIO))
    let error = #expect(throws: EventLogError.self) { try writer.append([line], after: log.head) }
    #expect(error?.code == .outcomeUnknown)
    #expect(throws: EventLogError.self) { try writer.append([line], after: log.head) }
    writer.close()
    let next = try log.writer(knownHeads: [log.head])
    #expect(try next.append([line], after: log.head) != .already(log.head))
    #expect(try log.reader.delivered().lines == [[line], [line]])
  }

  /// Every call of a first append, of a further one, of a rollover with its sealing, and of a seal.
  @Test(arguments: FaultyFileCalls.Call.allCases, [false, true])
  func anyCallThatFailsLosesNothing(_ call: FaultyFileCalls.Call, _ isForEver: Bool) throws {
    for number in 1...12 {
      let log = try LogFixture(RoundTripTests.small(segment: 60))
      let files = FaultyFileCalls()
      files.set(.init(call, number: number, errno: EIO, isForEver: isForEver))
      var acknowledged = LogHead.empty(LogFixture.id)
      do {
        let writer = try log.writer(files: files)
        for round in 0..<8 {
          do {
            acknowledged = try log.append([Array("{\"n\":\(round)}".utf8)], to: writer)
            if round == 5 { try writer.seal() }
          } catch let error as EventLogError where error.code == .io {}
        }
        writer.close()
      } catch let error as EventLogError {
        #expect(!error.isDamage, "\(call) \(number): \(error)")
      }
      let next = try log.writer(knownHeads: [acknowledged])
      #expect(next.head.sequence - acknowledged.sequence <= 1, "\(call) \(number)")
      let read = try log.reader.delivered()
      #expect(read.error == nil && read.torn == nil, "\(call) \(number)")
      #expect(Array(read.lines.prefix(log.batches.count)) == log.batches, "\(call) \(number)")
      try next.seal()
      #expect(try log.names().allSatisfy { !$0.hasSuffix(".new") }, "\(call) \(number)")
    }
  }

  @Test func theSyncsStandWhereDurabilityNeedsThem() throws {
    let writer = try log.writer(files: files)
    files.set()
    try log.append([line], to: writer)
    #expect(files.count(.sync) == 1 && files.count(.link) == 1)
    #expect(files.count(.syncDirectory) == 1)
    files.set()
    try log.append([line], to: writer)
    #expect(files.count(.syncData) == 1 && files.count(.write) == 1)
    files.set()
    try writer.seal()
    #expect(files.count(.sync) == 1 && files.count(.rename) == 1)
    #expect(files.count(.syncDirectory) == 1)
  }
}
