import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// Power is lost at each call that changes something, three or twenty times with other chances: in appends, at
/// the beginning of a segment, in sealing, and in the recovery of a torn tail.
///
/// Of what was not synced, chance decides sector by sector and name by name. `PowerLossTests` has long
/// random histories; here no point is left out.
@Suite(
  .promise(
    "What was acknowledged survives a loss of power at any write, sync or change of a "
      + "name, in recovery and sealing too",
    by: "three chances at each point, twenty with `TEST_ALL=1`; recoveries of recoveries "
      + "end with the same bytes"))
struct PowerLossAtEveryPointTests {
  private static let seeds = Sample.count(3, of: 20)

  @Test(arguments: SimulatedDisk.Loss.allCases)
  func whatWasAcknowledgedSurvives(_ loss: SimulatedDisk.Loss) throws {
    var generator = SeededGenerator("power loss at every point, \(loss)")
    var points = 0
    var refused = 0
    var runs = 0
    var isInterrupted = true
    while isInterrupted {
      points += 1
      isInterrupted = false
      for _ in 0..<Self.seeds {
        var life = try DiskLife(
          seed: generator.next(), "\(loss), point \(points), TEST_SEED=\(generator.seed)")
        let reached = try life.live(until: points)
        isInterrupted = isInterrupted || reached
        guard reached else { continue }
        runs += 1
        if try !life.losePower(loss) { refused += 1 }
      }
    }
    // Of each kind of call: appends, three segments, sealing, recovery.
    #expect(points > 40, "\(points) points")
    #expect(runs > Self.seeds * 40, "\(runs) runs")
    // Where sectors that were partly filled may go too, a refusal can be right; it is no rule.
    #expect(loss == .mixed ? refused * 4 < runs : refused == 0, "\(refused) of \(runs) refused")
  }

  /// The process dies, or the power goes, at each call of a recovery; and again at each call of the
  /// recovery of that; and again. In the end the same bytes stand in the segment as after one that
  /// nobody interrupted, and a further one changes nothing.
  @Test(arguments: [true, false])
  func aRecoveryThatCrashesIsRecoveredFrom(_ isKilled: Bool) throws {
    var generator = SeededGenerator("recovery of recovery, killed: \(isKilled)")
    let whole = try TornDisk()
    let recovered = try whole.recover()
    #expect(recovered.tail?.sequence == whole.due.sequence + 1)
    let bytes = try whole.segmentBytes()
    #expect(bytes == whole.whole)
    #expect(try whole.recover().tail == nil)
    #expect(try whole.segmentBytes() == bytes)
    var points = 0
    for first in 1...20 {
      var isReached = false
      for second in 1...20 {
        let disk = try TornDisk()
        let what = "points \(first) and \(second), TEST_SEED=\(generator.seed)"
        isReached = try disk.crash(at: first, isKilled, &generator)
        // A third time anywhere.
        if isReached, try disk.crash(at: second, isKilled, &generator) {
          points += 1
          _ = try disk.crash(at: 1 + generator.below(12), isKilled, &generator)
        }
        let last = try disk.recover()
        #expect(last.head == disk.due, "\(what)")
        #expect(try disk.segmentBytes() == bytes, "\(what)")
        // The torn bytes are aside, once at least; a copy that was cut short itself may be there too.
        #expect(try disk.keptBytes().contains(disk.torn), "\(what)")
        let files = try disk.files()
        #expect(try disk.recover().tail == nil, "\(what)")
        #expect(try disk.files() == files, "\(what): a second recovery changed something")
      }
      if !isReached { break }
    }
    #expect(points > 20, "\(points) pairs of points")
  }
}

/// One life of a log on a simulated disk, the same up to the point where it is interrupted.
private struct DiskLife {
  private static let path = "/catalog/events"
  private static let limits = TornDisk.limits

  let name: String
  private let disk = SimulatedDisk()
  private var dice: SeededGenerator
  private var batches: [[String]] = []
  private var heads: [LogHead] = [.empty(ScratchLog.id)]
  private var pending: [String]?

  private var head: LogHead { heads[heads.count - 1] }

  init(seed: UInt64, _ name: String) throws {
    self.name = name
    dice = SeededGenerator(seed: seed)
  }

  /// - Returns: whether so many changes happened.
  mutating func live(until point: Int) throws -> Bool {
    disk.interrupt(afterChanges: point, partial: dice.below(101))
    do {
      try append(4)
      try tear()
      // This one recovers, goes on, rolls over and seals.
      try append(9, sealing: true)
      try append(2)
    } catch let error as EventLogError {
      #expect(!error.isDamage, "\(name): \(error)")
      if error.code == .io, pending != nil, !disk.isInterrupted { pending = nil }
    }
    return disk.isInterrupted
  }

  /// Loses the power, and once more while the log is recovered; then holds it against what was told.
  ///
  /// - Returns: false if the log was refused.
  mutating func losePower(_ loss: SimulatedDisk.Loss) throws -> Bool {
    do {
      disk.losePower(loss, &dice)
      disk.interrupt(afterChanges: 1 + dice.below(12), partial: dice.below(101))
      do {
        try writer().close()
      } catch let error as EventLogError where !error.isDamage {}
      if disk.isInterrupted { disk.losePower(loss, &dice) } else { disk.killProcess() }
      let writer = try writer()
      let found = try EventLogReader(directory: Self.path, files: disk, limits: Self.limits)
        .cursor().rest()
      let isSaid = found == batches || pending.map { found == batches + [$0] } == true
      #expect(isSaid, "\(name): \(found.count) batches after \(batches.count)")
      guard isSaid else { return true }
      if let pending {
        let outcome = try ScratchLog.append(pending, to: writer, after: head)
        #expect((outcome == .already(writer.head)) == (found.count > batches.count), "\(name)")
      }
      try ScratchLog.append(["after it"], to: writer)
      return true
    } catch let error as EventLogError {
      #expect(error.isDamage && loss == .mixed, "\(name): \(error)")
      return false
    }
  }

  private func writer() throws -> EventLogWriter {
    try EventLogWriter(
      directory: Self.path, logID: ScratchLog.id, knownHeads: heads, holder: "test", files: disk,
      limits: Self.limits)
  }

  private mutating func append(_ count: Int, sealing: Bool = false) throws {
    let writer = try writer()
    defer { writer.close() }
    for _ in 0..<count {
      // About 600 bytes each that do not compress: more than a sector.
      let lines = (0...dice.below(2)).map { _ in
        (0..<48).map { _ in String(dice.next(), radix: 36) }.joined()
      }
      pending = lines
      heads.append(try ScratchLog.append(lines, to: writer).head)
      batches.append(lines)
      pending = nil
    }
    if sealing { try writer.seal() }
  }

  /// Half a batch at the end, as a writer leaves it that dies.
  private func tear() throws {
    let folder = LogFolder(path: Self.path, calls: disk)
    guard let last = try folder.segments()?.last else { return }
    let file = try LogFile(folder.path(LogFolder.name(last)), .readWrite, disk)
    try file.write(TornDisk.half(after: head), at: file.size())
    try file.sync()
  }
}

/// A simulated disk with a log whose last batch is torn.
private struct TornDisk {
  static let limits: LogLimits = {
    var limits = LogLimits()
    limits.frame = 512
    limits.sealedFrame = 4096
    limits.segment = 3000
    return limits
  }()

  private static let path = "/catalog/events"
  private let disk = SimulatedDisk()
  private let segment = "/catalog/events/" + LogFolder.name(1)
  /// The head before the torn batch.
  let due: LogHead
  /// The segment without the torn batch.
  let whole: [UInt8]
  /// The bytes of the torn batch that are there.
  let torn: [UInt8]

  init() throws {
    let writer = try EventLogWriter(
      directory: Self.path, logID: ScratchLog.id, holder: "test", files: disk, limits: Self.limits)
    for text in ["one", "two"] { try ScratchLog.append([text], to: writer) }
    due = writer.head
    writer.close()
    whole = try Self.bytes(segment, disk)
    torn = Self.half(after: due)
    let file = try LogFile(segment, .readWrite, disk)
    try file.write(torn, at: UInt64(whole.count))
    try file.sync()
  }

  /// The first part of the batch that is due.
  static func half(after head: LogHead) -> [UInt8] {
    let header = BatchHeader(
      logID: ScratchLog.id, firstSequence: head.sequence + 1, eventCount: 3, plainLength: 2048,
      previousChain: head.chain, chain: head.chain,
      frames: Array(repeating: FrameEntry(storedLength: 480, plainLength: 512, crc: 1), count: 4))
    return header.encoded() + Array(repeating: 0x5A, count: 1000)
  }

  func recover() throws -> (head: LogHead, tail: TornTail?) {
    let writer = try EventLogWriter(
      directory: Self.path, knownHeads: [due], holder: "test", files: disk, limits: Self.limits)
    defer { writer.close() }
    return (writer.head, writer.recovery)
  }

  /// Begins a recovery and ends it at its Nth change.
  ///
  /// - Returns: whether it had so many.
  func crash(at point: Int, _ isKilled: Bool, _ generator: inout SeededGenerator) throws -> Bool {
    disk.interrupt(afterChanges: point, partial: generator.below(101))
    do {
      _ = try recover()
    } catch let error as EventLogError {
      #expect(!error.isDamage, "\(error)")
    }
    let isReached = disk.isInterrupted
    if isKilled {
      disk.killProcess()
    } else {
      disk.losePower(generator.below(2) == 0 ? .cut : .zeroed, &generator)
    }
    return isReached
  }

  func segmentBytes() throws -> [UInt8] { try Self.bytes(segment, disk) }

  func keptBytes() throws -> [[UInt8]] {
    try files().filter { $0.key.contains(".torn-") }.map(\.value)
  }

  /// All files but the lock, whose text names the process.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try disk.names(in: Self.path) ?? [] {
      files[name] = try Self.bytes(Self.path + "/" + name, disk)
    }
    return files
  }

  private static func bytes(_ path: String, _ disk: SimulatedDisk) throws -> [UInt8] {
    let file = try LogFile(path, .read, disk)
    return try file.read(Int(try file.size()), at: 0)
  }
}
