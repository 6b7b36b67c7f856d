import EventLog
import Support
import Synchronization

/// One promise of a store under trial, in logs of its own.
final class StoreTrial: Sendable {
  private let promise: ConformanceFinding.Promise
  private let name: String
  private let open: @Sendable (String) throws -> any LogStore
  private let found = Mutex<[ConformanceFinding]>([])

  init(
    _ promise: ConformanceFinding.Promise, _ name: String,
    _ open: @escaping @Sendable (String) throws -> any LogStore
  ) {
    (self.promise, self.name, self.open) = (promise, name, open)
  }

  var findings: [ConformanceFinding] { found.withLock { $0 } }

  func note(_ message: String) {
    found.withLock { $0.append(ConformanceFinding(promise: promise, message: message)) }
  }

  private func expect(_ isKept: Bool, _ message: @autoclosure () -> String) {
    if !isKept { note(message()) }
  }

  private func expect(
    _ code: EventLogError.Code, _ message: @autoclosure () -> String, _ body: () throws -> Void
  ) throws {
    do {
      try body()
      note("\(message()) is not refused")
    } catch let error as EventLogError where error.code == code {
      return
    } catch {
      note("\(message()) is refused as \"\(error)\"")
    }
  }

  // MARK: Logs and batches

  private static let id = LogID(bytes: Array(0x20..<0x30))

  /// A log of this trial; another call gives another view of it.
  private func log(_ part: String = "") throws -> any LogStore { try open(name + part) }

  private func writer(
    of log: any LogStore, _ known: [LogHead] = [], wait: Duration? = nil, id: LogID = id
  ) throws -> any LogWriter {
    try log.writing(
      WriterOpening(
        logID: id, knownHeads: known, holder: "trial", wait: wait, patience: .seconds(5),
        acceptsLoss: true))
  }

  private func append(
    _ lines: [String], to writer: any LogWriter, after head: LogHead? = nil
  ) throws -> AppendOutcome {
    var batch = try writer.makeBatch(expecting: head ?? writer.head)
    for line in lines { try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) } }
    return try writer.append(batch)
  }

  private func lines(of cursor: any BatchCursor) throws -> [String] {
    var text = ""
    while let block = try cursor.nextLines() {
      text += String(decoding: block.bytes, as: UTF8.self)
    }
    return text.split(separator: "\n").map(String.init)
  }

  private typealias Read = [(head: LogHead, lines: [String])]

  private func batches(
    of log: any LogStore, after head: LogHead? = nil, readsAhead: Bool = false
  ) throws -> Read {
    let cursor = try log.reading(after: head, readsAhead: readsAhead)
    var found: Read = []
    while let batch = try cursor.nextBatch() { found.append((batch.head, try lines(of: cursor))) }
    return found
  }

  /// Batches of one line to eight, now and then with a long line.
  private static func someLines(_ number: Int) -> [String] {
    (0...number * 5 % 8).map { line in
      let count = (number + line) % 7 == 0 ? 60_000 : 40
      return "{\"n\":\"\(number)-\(line)-\(digits(count, number * 31 + line))\"}"
    }
  }

  // MARK: Promises

  func whatIsAppendedIsRead() throws {
    let log = try log()
    expect(
      try !log.exists() && log.end() == nil && log.logID() == nil,
      "a new log is not empty; each name must be that of a log of its own")
    expect(try batches(of: log).isEmpty, "an empty log gives batches")
    let writer = try writer(of: log)
    expect(
      writer.logID == Self.id && writer.head == .empty(Self.id),
      "the writer of an empty log is not at its beginning")
    // A plain twin: the same lines in memory.
    let twin = MemoryLog()
    let plain = try self.writer(of: twin)
    var heads: [LogHead] = [.empty(Self.id)]
    var written: [[String]] = []
    for number in 0..<25 {
      let lines = Self.someLines(number)
      let outcome = try append(lines, to: writer)
      // A store whose answer was lost can only say that the batch is there already.
      expect(
        try outcome.head == append(lines, to: plain).head,
        "the head after batch \(number + 1) differs from that of the same batch in memory")
      heads.append(outcome.head)
      written.append(lines)
    }
    writer.close()
    for log in [log, try self.log()] {
      let end = try log.end()?.head
      expect(
        try end == heads.last && log.logID() == Self.id,
        "the end is at \(end?.sequence ?? 0) and not at \(heads[25].sequence), or of another log")
      for readsAhead in [false, true] {
        expect(
          try batches(of: log, readsAhead: readsAhead).map(\.lines) == written,
          "other lines are read than were appended")
      }
      for (place, head) in heads.enumerated() {
        expect(
          try batches(of: log, after: head).map(\.lines) == Array(written[place...]),
          "other batches are read after event \(head.sequence) than were appended")
        expect(
          try log.compare(at: head) == .same, "the log does not know its head at \(head.sequence)")
      }
      for sequence in 1...heads[25].sequence {
        let batch = try log.batch(containing: sequence)
        expect(
          batch.firstSequence <= sequence && sequence <= batch.lastSequence,
          "event \(sequence) is looked for in the batch \(batch.firstSequence) to \(batch.lastSequence)"
        )
      }
      let report = try log.check()
      expect(
        report.findings.isEmpty && report.head == heads.last && report.logID == Self.id,
        "a check finds \(report.findings.count) faults and the head \(report.head.sequence)")
    }
  }

  /// A cursor at the end continues after something was appended.
  func aReaderGoesOn() throws {
    let other = try log()
    let cursor = try other.reading(after: nil, readsAhead: false)
    expect(try cursor.nextBatch() == nil, "an empty log gives a batch")
    let writer = try writer(of: log())
    for number in 0..<5 {
      _ = try append(["\(number)", "x"], to: writer)
      expect(
        try cursor.nextBatch()?.firstSequence == UInt64(2 * number + 1),
        "a reader does not see the batch that was acknowledged")
      expect(try lines(of: cursor) == ["\(number)", "x"], "a reader sees other lines")
      expect(
        try cursor.nextBatch() == nil, "a reader sees a batch twice, or one that nobody appended")
    }
    writer.close()
  }

  func whatTheLogLacksIsRefused() throws {
    let log = try log()
    let lost = LogHead(sequence: 3, chain: LogHead.empty(Self.id).chain)
    try expect(.lostEvents, "a reader after event 3 of an empty log") {
      _ = try log.reading(after: lost, readsAhead: false)
    }
    let writer = try writer(of: log)
    let first = try append(["a"], to: writer).head
    _ = try append(["b", "c"], to: writer)
    writer.close()
    let foreign = LogHead(sequence: 2, chain: first.chain)
    let beyond = LogHead(sequence: 9, chain: first.chain)
    for head in [foreign, beyond, LogHead(sequence: 0, chain: first.chain)] {
      try expect(.lostEvents, "a reader after the unknown head \(head.sequence)") {
        _ = try log.reading(after: head, readsAhead: false)
      }
      try expect(.lostEvents, "a writer that knows the unknown head \(head.sequence)") {
        _ = try self.writer(of: log, [head])
      }
    }
    expect(
      try log.compare(at: foreign) == .differs,
      "a comparison takes a head that no batch has for one of the log")
    expect(
      try log.compare(at: beyond) == .beyond,
      "a comparison does not say that a head is beyond the end")
    try expect(.lostEvents, "event 4 of 3") { _ = try log.batch(containing: 4) }
    expect(
      try batches(of: log).map(\.lines) == [["a"], ["b", "c"]], "the refused calls changed the log")
  }

  func aRetryIsTold() throws {
    let log = try log()
    let writer = try writer(of: log)
    let start = writer.head
    let first = try append(["a"], to: writer).head
    expect(
      try append(["a"], to: writer, after: start) == .already(first),
      "a batch that is appended again is not recognised")
    let second = try append(["b"], to: writer, after: first).head
    for (lines, head, wanted) in [(["a"], start, first), (["b"], first, second)] {
      expect(
        try append(lines, to: writer, after: head) == .already(wanted),
        "an earlier batch that is appended again is not recognised")
    }
    expect(writer.head == second, "an earlier batch that is appended again moves the head back")
    try expect(.headMoved, "another batch in the place of one") {
      _ = try append(["x"], to: writer, after: first)
    }
    try expect(.headMoved, "a longer batch in the place of one") {
      _ = try append(["a", "b"], to: writer, after: start)
    }
    do {
      _ = try append(["z"], to: writer, after: LogHead(sequence: 7, chain: second.chain))
      note("a batch beyond the end is not refused")
    } catch let error as EventLogError where [.headMoved, .lostEvents].contains(error.code) {
      // Both are true.
    }
    try expect(.invalidBatch, "an empty batch") { _ = try append([], to: writer, after: second) }
    try writer.confirm()
    writer.close()
    expect(
      try batches(of: log).map(\.lines) == [["a"], ["b"]], "the refused calls changed the log")
  }

  private static let writers = 8

  /// One of eight writers with one head appends. Each has a view of its own.
  func oneOfSeveralWritersAppends() throws {
    let first = try log()
    // A folder has one writer at a time, by a lock.
    guard !first.keepsOthersOut else { return }
    for round in 0..<4 {
      let logs = try (0..<Self.writers).map { _ in try log() }
      let writers = try logs.map { BorrowedWriter(writer: try writer(of: $0)) }
      let appended = Mutex<[LogHead]>([])
      try Self.atOnce { name in
        let writer = writers[name].writer
        defer { writer.close() }
        do {
          let head = try self.append(["\(round)-\(name)"], to: writer).head
          appended.withLock { $0.append(head) }
        } catch let error as EventLogError where error.code == .headMoved {
          return
        }
      }
      let heads = appended.withLock { $0 }
      expect(
        heads.count == 1,
        "\(heads.count) of \(Self.writers) writers report that they appended after one head; one of them can"
      )
      expect(
        try log().end()?.head == heads.first, "the end is not the batch of the writer that appended"
      )
    }
  }

  /// Only the thread that has it uses it.
  private struct BorrowedWriter: @unchecked Sendable {
    let writer: any LogWriter
  }

  /// Calls a body with the number of each writer, on threads of their own.
  private static func atOnce(_ body: @escaping @Sendable (Int) throws -> Void) throws {
    let threads = try (0..<writers).map { name in try BackgroundWork { try body(name) } }
    let results = threads.map { thread in Result { try thread.value() } }
    for result in results { try result.get() }
  }

  /// Eight writers, each with a view of its own, append until all is there: each batch once, in one chain.
  func writersRace() throws {
    try writer(of: log()).close()
    let rounds = 12
    let acknowledged = Mutex<[LogHead]>([])
    try Self.atOnce { name in
      let log = try self.log()
      for round in 0..<rounds {
        // No lock of the trial's own: the store alone decides what is appended.
        while true {
          let writer = try self.writer(of: log, wait: .seconds(60))
          defer { writer.close() }
          do {
            let head = try self.append(["\(name)-\(round)"], to: writer).head
            acknowledged.withLock { $0.append(head) }
            break
          } catch let error as EventLogError where error.code == .headMoved {
            continue
          }
        }
      }
    }
    let found = try batches(of: log())
    let wanted = (0..<Self.writers).flatMap { name in (0..<rounds).map { "\(name)-\($0)" } }
    let heads = acknowledged.withLock { $0 }
    expect(
      found.flatMap(\.lines).sorted() == wanted.sorted(),
      "\(Self.writers) writers appended \(wanted.count) batches, and the log has \(found.count): some are lost, or in it twice"
    )
    expect(
      heads.count == Set(heads).count && Set(heads) == Set(found.map(\.head)),
      "the heads that the writers received are not those of the log")
  }

  func aCopyHasTheSameChain() throws {
    let (source, target) = (MemoryLog(), try log("-to"))
    let writer = try writer(of: source)
    for number in 0..<6 { _ = try append(Self.someLines(number), to: writer) }
    expect(
      try LogCopy(from: source, to: target, acceptsLoss: true).after == writer.head,
      "a copy of six batches has another head")
    for number in 6..<9 { _ = try append(Self.someLines(number), to: writer) }
    expect(
      try LogCopy(from: source, to: target, acceptsLoss: true).batches == 3,
      "a copy does not continue at its end")
    let back = MemoryLog()
    _ = try LogCopy(from: target, to: back, acceptsLoss: true)
    expect(
      try batches(of: back).map(\.head) == batches(of: source).map(\.head),
      "a copy there and back has other heads")
    // Each has events of its own now.
    let ahead = try self.writer(of: target)
    _ = try append(["ahead"], to: ahead)
    ahead.close()
    _ = try append(["other"], to: writer)
    let before = try target.end()?.head
    try expect(.lostEvents, "a copy to a log with other events") {
      _ = try LogCopy(from: source, to: target, acceptsLoss: true)
    }
    expect(try target.end()?.head == before, "the refused copy changed the log")
    let stranger = try log("-stranger")
    let third = try self.writer(of: stranger, id: LogID(bytes: Array(0..<16)))
    _ = try append(["z"], to: third)
    third.close()
    try expect(.lostEvents, "a copy to another log") {
      _ = try LogCopy(from: source, to: stranger, acceptsLoss: true)
    }
  }

  /// A batch of some megabytes, or of about the size that the store names.
  func aBatchAtTheLimitIsTaken() throws {
    let log = try log()
    let writer = try writer(of: log)
    _ = try append(["a"], to: writer)
    let limit = log.largestBatch ?? .max
    // Digits take half a byte each as they are stored.
    let lines = (0..<64).map { Self.digits(65_536, $0) }
    let taken = limit > 8 << 20 ? lines : [Self.digits(limit / 2, 1)]
    expect(
      try append(taken, to: writer).head == writer.head, "a batch below the limit is not taken")
    expect(
      try batches(of: self.log()).last?.lines == taken, "a long batch is read with other lines")
    guard limit < 1 << 20 else { return }
    let head = writer.head
    try expect(.tooLarge, "a batch beyond the limit of \(limit) bytes") {
      _ = try append([Self.digits(limit * 4, 2)], to: writer)
    }
    expect(try log.end()?.head == head, "the refused batch changed the log")
  }

  private static func digits(_ count: Int, _ seed: Int) -> String {
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    var text: [UInt8] = []
    for _ in 0..<count {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      text.append(UInt8(0x30 + state % 10))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
