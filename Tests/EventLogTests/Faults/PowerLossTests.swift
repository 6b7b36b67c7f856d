import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// Power is lost, or the process killed, at any call that changes something; again and again, in
/// recovery and while sealing too. What was acknowledged is there afterwards.
@Suite(
  .promise(
    "A batch is in the log as a whole or not at all, wherever the process dies",
    by: "a simulated disk that forgets what was not synced"),
  .promise(
    "What was acknowledged survives a loss of power at any write, sync or change of a "
      + "name, in recovery and sealing too",
    by: "long random histories; a missing sync makes it fail"))
struct PowerLossTests {
  /// Losses after which the log must open: the unfinished batch is whole, absent or torn.
  @Test(arguments: [SimulatedDisk.Loss.cut, .zeroed])
  func whatWasAcknowledgedSurvives(_ loss: SimulatedDisk.Loss) throws {
    var seeds = SeededGenerator("power loss, \(loss)")
    for _ in 0..<16 {
      var history = LossyHistory(seed: seeds.next(), loss)
      for _ in 0..<12 { try history.runUntilLoss() }
    }
  }

  /// Sectors that were partly filled may be lost as well: then a refusal is right, another history
  /// is not.
  @Test func nothingElseIsDeliveredWhateverIsLost() throws {
    var seeds = SeededGenerator("power loss, mixed")
    var refused = 0
    for _ in 0..<16 {
      var history = LossyHistory(seed: seeds.next(), .mixed)
      for _ in 0..<12 where !history.isRefused { try history.runUntilLoss() }
      if history.isRefused { refused += 1 }
    }
    #expect(refused < 16, "some of them end well")
  }
}

/// A log on a disk that loses power, and what its callers were told.
private struct LossyHistory {
  private static let path = "/catalog/events"
  private static let limits: LogLimits = {
    var limits = LogLimits()
    limits.frame = 512
    limits.sealedFrame = 4096
    limits.segment = 5000
    return limits
  }()

  let name: String
  private let loss: SimulatedDisk.Loss
  private let disk = SimulatedDisk()
  private var dice: SeededGenerator
  /// Batches that were acknowledged, and the heads that were told.
  private var batches: [[String]] = []
  private var heads: [LogHead] = [.empty(ScratchLog.id)]
  /// The batch whose fate was not told.
  private var pending: [String]?
  private(set) var isRefused = false

  private var head: LogHead { heads[heads.count - 1] }

  init(seed: UInt64, _ loss: SimulatedDisk.Loss) {
    name = "history \(seed), \(loss)"
    self.loss = loss
    dice = SeededGenerator(seed: seed)
  }

  /// Opens the log, appends and seals until it is interrupted, and then reads what is left.
  mutating func runUntilLoss() throws {
    disk.interrupt(afterChanges: 1 + dice.below(70), partial: dice.below(101))
    do {
      try work()
    } catch let error as EventLogError {
      if error.isDamage, loss == .mixed {
        isRefused = true
        return
      }
      #expect(disk.isInterrupted, "\(name): \(error)")
      // Told that nothing was written: it may not turn up later.
      if error.code == .io { pending = nil }
    }
    if dice.below(3) == 0 { disk.killProcess() } else { disk.losePower(loss, &dice) }
    try expectWhatWasAcknowledged()
  }

  private mutating func work() throws {
    let writer = try openWriter()
    while true {
      if dice.below(8) == 0 { try writer.seal() }
      let lines = (0...dice.below(3)).map { _ in
        String(
          (0...dice.below(900)).map { _ in Character(Unicode.Scalar(97 + UInt8(dice.below(26)))) })
      }
      pending = lines
      note(try ScratchLog.append(lines, to: writer).head)
    }
  }

  /// A batch whose fate was not told is there or not; appending it again tells.
  private mutating func openWriter() throws -> EventLogWriter {
    let interrupted = pending
    pending = nil
    let writer: EventLogWriter
    do {
      writer = try EventLogWriter(
        directory: Self.path, logID: ScratchLog.id, knownHeads: heads, holder: "test", files: disk,
        limits: Self.limits)
    } catch {
      pending = interrupted
      if let error = error as? EventLogError, error.code == .io {
        // It was the opening that failed: nothing new is known of the batch.
        throw EventLogError(.outcomeUnknown, error.explanation)
      }
      throw error
    }
    guard let interrupted else {
      #expect(writer.head == head, "\(name): a batch that was not appended is there")
      return writer
    }
    let before = head
    let isThere = writer.head != before
    pending = interrupted
    // Whoever opens the log may build on what it found there: from here on it is known.
    if isThere { note(writer.head) }
    let outcome = try ScratchLog.append(interrupted, to: writer, after: before)
    if isThere {
      #expect(outcome == .already(writer.head), "\(name)")
    } else {
      note(outcome.head)
    }
    return writer
  }

  private mutating func note(_ head: LogHead) {
    if let pending { batches.append(pending) }
    heads.append(head)
    pending = nil
  }

  private mutating func expectWhatWasAcknowledged() throws {
    let reader = EventLogReader(directory: Self.path, files: disk, limits: Self.limits)
    let found: [[String]]
    do {
      found = try reader.cursor(after: head.sequence == 0 ? nil : heads[heads.count / 2]).rest()
    } catch let error as EventLogError {
      #expect(error.isDamage && loss == .mixed, "\(name): \(error)")
      isRefused = true
      return
    }
    let expected = head.sequence == 0 ? batches : Array(batches[(heads.count / 2)...])
    #expect(
      found == expected || pending.map { found == expected + [$0] } == true,
      "\(name): \(found.count) batches after \(expected.count)")
  }
}
