import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// Damage within the events of a segment that another one follows.
@Suite(
  .promise("Damage in any segment stops `import` and `seal` before anything is written"))
struct EarlierSegmentTests {
  /// Segments of two batches: all but the last are sealed, or stay open where sealing fails.
  private func log(sealing: Bool) throws -> ScratchLog {
    var limits = LogLimits()
    limits.batches = 2
    let log = try ScratchLog(limits)
    let files = FaultyFileCalls()
    if !sealing { files.set(FaultyFileCalls.Fault(.rename, errno: 5, isForEver: true)) }
    let writer = try log.writer(files: files)
    for number in 1...6 { try ScratchLog.append(["event \(number)"], to: writer) }
    writer.close()
    return log
  }

  private func open(_ log: ScratchLog, checksEarlier: Bool) throws -> EventLogWriter {
    try EventLogWriter(
      directory: log.path, checksEarlier: checksEarlier, holder: "test", limits: log.limits)
  }

  @Test(arguments: [true, false])
  func aWriterThatIsAskedToLookRefusesIt(sealing: Bool) throws {
    let log = try log(sealing: sealing)
    try open(log, checksEarlier: true).close()
    for name in try log.segments().dropLast() {
      let bytes = try log.bytes(name)
      #expect((bytes.first == 0x52) == sealing)
      let batch = try #require(
        try log.reader.delivered().batches.first { $0.segment == name })
      let frame = Int(batch.offset) + (sealing ? 12 : 150)
      try log.change(name) { $0[frame] ^= 1 }
      let error = #expect(throws: EventLogError.self) { try open(log, checksEarlier: true) }
      #expect(error?.code == .damaged(.frameCRC) && error?.file?.hasSuffix(name) == true)
      // Headers do not show it.
      let writer = try open(log, checksEarlier: false)
      defer { writer.close() }
      let names = try log.names()
      let stored = try names.map { try log.bytes($0) }
      let refused = #expect(throws: EventLogError.self) { try writer.seal() }
      #expect(refused?.isDamage == true && refused?.file?.hasSuffix(name) == true)
      #expect(try log.names() == names && names.map { try log.bytes($0) } == stored)
      try log.write(bytes, to: name)
    }
    let writer = try open(log, checksEarlier: true)
    #expect(try writer.seal().count == (sealing ? 1 : 3))
    writer.close()
  }
}
