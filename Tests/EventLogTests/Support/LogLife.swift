import CatalogTestSupport
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The whole life of a log: made, appended to, rolled over, sealed, reopened with a torn tail, closed.
///
/// It goes on after errors as a caller should: the batch again where nothing was written, the log
/// opened anew where its writer says that it cannot know. What it was told is noted, and at the end
/// the log is held against that.
final class LogLife {
  /// A sync of these may have lost what it was to make durable.
  static let syncs: Set<FaultyFileCalls.Call> = [.sync, .syncData, .syncDirectory]

  let log: LogFixture
  private let files: any FileCalls
  private let what: String
  /// Whether a failed write is followed by one that works: then the batch must get in at once.
  private let hasRoomAgain: Bool
  /// Whether the call that fails is a sync: then the writer must be unusable afterwards.
  private let isSync: Bool
  private var round = 0
  /// A batch of which nobody knows whether it is there.
  private var pending: [[UInt8]]?
  /// Errors that appends gave.
  private(set) var errors: [EventLogError] = []

  init(
    _ files: any FileCalls, _ what: String, hasRoomAgain: Bool = false, isSync: Bool = false
  ) throws {
    log = try LogFixture(RoundTripTests.small(segment: 60))
    self.files = files
    self.what = what
    self.hasRoomAgain = hasRoomAgain
    self.isSync = isSync
  }

  /// Lives through all of it with the faulty calls.
  func live() throws {
    for stage in 0..<3 {
      var writer = open()
      for _ in 0..<5 {
        guard let usable = writer else { break }
        if try !append(to: usable) {
          usable.close()
          writer = open()
        }
      }
      if stage == 1, let writer { seal(writer) }
      if stage == 1, let writer { _ = try append(to: writer) }
      writer?.close()
      if stage == 0 { try tear() }
    }
  }

  /// Nothing that was acknowledged is lost, nothing else is there, and the log goes on.
  func expectNothingLost() throws {
    let before = try log.reader.delivered()
    expectWhatWasSaid(before)
    let writer = try log.writer(knownHeads: log.heads)
    let after = try log.reader.delivered()
    expectWhatWasSaid(after)
    #expect(before.lines == after.lines && after.torn == nil, "\(what): recovery lost a batch")
    if let pending {
      let outcome = try writer.append(pending, after: log.head)
      #expect(
        (outcome == .already(outcome.head)) == (after.lines.count > log.batches.count), "\(what)")
    }
    _ = try writer.append([Array("the last one".utf8)], after: writer.head)
    try writer.seal()
    writer.close()
    let report = try log.reader.check()
    #expect(report.damage.isEmpty && report.torn == nil, "\(what)")
    #expect(!report.segments.contains { !$0.isSealed }, "\(what)")
    let left = try log.names().filter { $0.hasSuffix(".new") }
    #expect(left.isEmpty, "\(what): \(left)")
  }

  /// The log is what was acknowledged, with or without the batch whose outcome is not known.
  private func expectWhatWasSaid(_ read: Delivered) {
    #expect(read.error == nil, "\(what): \(read.error as Any)")
    let isSaid =
      read.lines == log.batches || pending.map { read.lines == log.batches + [$0] } == true
    #expect(isSaid, "\(what): \(read.lines.count) batches after \(log.batches.count)")
  }

  /// - Returns: nil if the faults forbid it.
  private func open() -> EventLogWriter? {
    do {
      let writer = try log.writer(knownHeads: [log.head], files: files)
      guard let batch = pending else {
        #expect(writer.head == log.head, "\(what): there is a batch that was not appended")
        return writer
      }
      let isThere = writer.head != log.head
      // It is known from here on, as nobody may lose what this writer built upon.
      pending = nil
      do {
        let head = try log.append(batch, to: writer)
        #expect(!isThere, "\(what): \(head) was appended twice")
      } catch let error as UnexpectedOutcome {
        #expect(isThere && error.outcome == .already(writer.head), "\(what): \(error)")
        log.note(batch, writer.head)
      } catch let error as EventLogError {
        pending = batch
        expectNoDamage(error)
        writer.close()
        return nil
      }
      return writer
    } catch {
      expectNoDamage(error)
      return nil
    }
  }

  /// - Returns: whether the writer is usable afterwards.
  private func append(to writer: EventLogWriter) throws -> Bool {
    round += 1
    let batch = [Array("{\"n\":\(round)}".utf8), Array("{\"m\":\(round)}".utf8)]
    do {
      try log.append(batch, to: writer)
      return true
    } catch let error as EventLogError {
      errors.append(error)
      expectNoDamage(error)
      #expect([.io, .outcomeUnknown].contains(error.code), "\(what): \(error)")
      if error.code == .outcomeUnknown { pending = batch }
      if error.code == .io {
        // Said that nothing was written: whoever looks now sees nothing of it.
        let read = try log.reader.delivered()
        #expect(read.error == nil && read.torn == nil && read.lines == log.batches, "\(what)")
      }
      let isPoisoned = isSync || error.code == .outcomeUnknown
      do {
        try log.append(batch, to: writer)
        #expect(!isPoisoned, "\(what): a writer that cannot know went on")
        return true
      } catch let second as EventLogError {
        #expect(second.code == .poisoned || !isPoisoned, "\(what): \(second)")
        #expect(!hasRoomAgain, "\(what): there was room again, and yet: \(second)")
        if second.code == .outcomeUnknown { pending = batch }
        return second.code == .io
      }
    }
  }

  private func seal(_ writer: EventLogWriter) {
    do {
      try writer.seal()
    } catch {
      expectNoDamage(error)
    }
  }

  private func expectNoDamage(_ error: any Error) {
    #expect((error as? EventLogError)?.isDamage == false, "\(what): \(error)")
  }

  /// A writer dies within a batch: a part of it stands at the end of the open segment.
  private func tear() throws {
    guard let head = try log.reader.head(), let name = try log.segments().last else { return }
    let bytes = try log.bytes(name)
    guard bytes.number(UInt32.self, at: 0) == BatchHeader.magic else { return }
    let header = BatchHeader(
      logID: LogFixture.id, firstSequence: head.sequence + 1, eventCount: 1, plainLength: 10,
      previousChain: head.chain, chain: head.chain,
      frames: [FrameEntry(storedLength: 20, plainLength: 10, crc: 0)])
    try log.write(bytes + header.encoded().dropLast(20), to: name)
  }
}
