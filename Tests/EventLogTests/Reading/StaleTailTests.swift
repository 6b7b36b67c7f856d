import Promises
import Testing

@testable import EventLog

/// What a reader saw of a tail is not what stands there after a recovery.
@Suite(
  .promise("A reader beside a writer sees each batch once, over recovery, rollover and sealing"))
struct StaleTailTests {
  /// Two logs with the same beginning; bytes of the batch that only the second has.
  private func interrupted() throws -> (log: ScratchLog, name: String, tail: [UInt8]) {
    let log = try ScratchLog()
    let other = try ScratchLog()
    for log in [log, other] { try log.append([["one"], ["two"]]) }
    let name = try log.segments()[0]
    let length = try log.bytes(name).count
    try other.append([[String(repeating: "never acknowledged ", count: 20)]])
    return (log, name, Array(try other.bytes(name)[length...]))
  }

  @Test(arguments: [1, 60, 131, 140, 150])
  func aReaderThatSawATornTailReadsWhatReplacedIt(_ length: Int) throws {
    let (log, name, tail) = try interrupted()
    let cursor = try log.reader.cursor()
    #expect(try cursor.rest().count == 2)
    try log.change(name) { $0 += tail[..<length] }
    #expect(try cursor.nextBatch() == nil)
    #expect(cursor.torn != nil)
    try log.append([["three", "and more of it"], ["four"]])
    #expect(try cursor.rest() == [["three", "and more of it"], ["four"]])
    #expect(cursor.torn == nil)
  }

  @Test func aReaderThatLookedAwayMeanwhileReadsWhatReplacedIt() throws {
    let (log, name, tail) = try interrupted()
    try log.change(name) { $0 += tail.dropLast(2) }
    let cursor = try log.reader.cursor()
    #expect(try cursor.nextLinesOfBatch() == ["one"])
    #expect(try cursor.nextLinesOfBatch() == ["two"])
    try log.append([["three", "and more of it"]])
    #expect(try cursor.rest() == [["three", "and more of it"]])
  }

  /// The header alone says how far the batch goes: read from memory it would hide the next one.
  @Test func aReaderThatSawTheHeaderOfALongBatchReadsWhatReplacedIt() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let cursor = try log.reader.cursor()
    #expect(try cursor.rest().count == 1)
    let header = try Self.headerDue(in: log, storedLength: 200_000)
    try log.change(try log.segments()[0]) { $0 += header }
    #expect(try cursor.nextBatch() == nil)
    #expect(cursor.torn != nil)
    try log.append([["two"]])
    #expect(try cursor.rest() == [["two"]])
  }

  @Test func aTailThatCameBetweenTwoCallsIsLookedAtTwice() throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let segment = try log.segments()[0]
    let header = try Self.headerDue(in: log, storedLength: 200_000)
    let whole = try log.bytes(segment)
    let files = ScriptedFileCalls()
    let path = log.path + "/" + segment
    files.follow { [unowned files] call, name in
      // Behind the second look at the size: the first is made when the file is opened.
      guard call == "read", files.calls.count(where: { $0 == "status \(name)" }) == 2 else {
        return
      }
      let file = try LogFile(path, .readWrite, RealFileCalls())
      try file.write(header, at: UInt64(whole.count))
    }
    let cursor = try EventLogReader(directory: log.path, files: files).cursor()
    #expect(try cursor.nextLinesOfBatch() == ["one"])
    files.follow { _, _ in }
    try log.append([["two"]])
    #expect(try cursor.rest() == [["two"]])
  }

  @Test(.timeLimit(.minutes(10)))
  func aFollowerSeesEachBatchOnceOverRecoveryRolloverAndSealing() async throws {
    var limits = LogLimits()
    limits.segment = 300
    let log = try ScratchLog(limits)
    try log.append([["batch 0"]])
    let follower = log.reader.follow(every: .milliseconds(1))
    async let seen = Task {
      var seen: [String] = []
      for try await batch in follower {
        seen += batch.lines.map { String(decoding: $0, as: UTF8.self) }
        if seen.count == 61 { break }
      }
      return seen
    }.value
    for number in 1...60 {
      if number % 7 == 0, let last = try log.segments().last,
        try log.bytes(last).starts(with: [0x51])
      {
        let due = try Self.headerDue(in: log)
        try log.extend(last, by: due[..<(20 + number)])
      }
      try log.append([["batch \(number)"]], sealing: number % 11 == 0)
      if number % 5 == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    #expect(try await seen == (0...60).map { "batch \($0)" })
  }

  /// The header of a batch that would come next.
  private static func headerDue(
    in log: ScratchLog, storedLength: UInt32 = 40
  ) throws -> [UInt8] {
    let head = try #require(try log.reader.head())
    return BatchHeader(
      logID: ScratchLog.id, firstSequence: head.sequence + 1, eventCount: 1, plainLength: 9,
      previousChain: head.chain, chain: head.chain,
      frames: [FrameEntry(storedLength: storedLength, plainLength: 9, crc: 0)]
    ).encoded()
  }

  @Test func aFollowerThatIsCancelledEnds() async throws {
    let log = try ScratchLog()
    try log.append([["one"]])
    let follower = log.reader.follow(every: .seconds(60))
    let (firsts, first) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in follower {
        count += 1
        first.yield()
      }
      return count
    }
    for await _ in firsts { break }
    task.cancel()
    #expect(try await task.value == 1)
  }
}
