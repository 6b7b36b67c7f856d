import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// Whole data frames of batches that are damaged.
@Suite(
  .promise(
    "After gaps, lines of intact frames in a damaged batch are kept, and no others",
    by: "each frame and random ones damaged, open and sealed, compared with the lines that "
      + "were appended"))
struct DamagedBatchTests {
  /// Batches of many short frames, between two of one each.
  private func log(sealing: Bool) throws -> LogFixture {
    var limits = LogLimits()
    limits.frame = 64
    limits.sealedFrame = 100
    let log = try LogFixture(limits)
    var generator = SeededGenerator("whole frames")
    let writer = try log.writer()
    for count in [1, 30, 1, 25, 1] {
      let lines = (0..<count).map { _ in
        Lines.line(1 + generator.below(90), from: &generator)
      }
      try log.append(lines, to: writer)
    }
    if sealing { try writer.seal() }
    writer.close()
    return log
  }

  /// Lines that were handed over, by their place in the batch; nil if only their order is known.
  private struct Stretch {
    var isFirst: Bool
    var isLast = false
    var lines: [[UInt8]] = []
  }

  private func stretches(of batch: DamagedBatch) throws -> [Stretch] {
    var stretches: [Stretch] = []
    try batch.forEachPiece { piece in
      switch piece {
      case .begin(let isFirst): stretches.append(Stretch(isFirst: isFirst))
      case .lines(let bytes):
        #expect(bytes.last == 0x0A)
        stretches[stretches.count - 1].lines += bytes.dropLast()
          .split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
      case .end(let isLast): stretches[stretches.count - 1].isLast = isLast
      }
    }
    return stretches
  }

  /// The frames of a batch: where each is stored, and its range of the batch's text.
  private func frames(
    _ log: LogFixture, _ info: BatchInfo
  ) throws -> [(stored: Range<Int>, plain: Range<Int>)] {
    let file = try LogFile(log.path + "/" + info.segment, .read, RealFileCalls())
    var entries: [FrameEntry]
    var offset = Int(info.offset)
    if try SealHeader.begins(file) {
      let header = try SealHeader(file, firstSequence: nil, limits: log.limits)
      var place = header.length
      entries = []
      for frame in header.frames {
        if place >= offset { entries.append(frame.entry) }
        place += Int(frame.entry.storedLength)
      }
    } else {
      let fixed = try file.read(BatchHeader.fixedLength, at: info.offset)
      var header = try BatchHeader(fixed: fixed, limits: log.limits)
      let table = try file.read(
        header.frames.count * BatchHeader.entryLength, at: info.offset + UInt64(fixed.count))
      try header.readTable(table, fixed: fixed, limits: log.limits)
      entries = header.frames
      offset += header.length
    }
    var frames: [(stored: Range<Int>, plain: Range<Int>)] = []
    var plain = 0
    for entry in entries where plain < Int(info.plainLength) {
      frames.append(
        (
          offset..<offset + Int(entry.storedLength), plain..<plain + Int(entry.plainLength)
        ))
      offset += Int(entry.storedLength)
      plain += Int(entry.plainLength)
    }
    return frames
  }

  @Test(arguments: [false, true])
  func linesOfWholeFramesAreHandedOverAndNoOthers(sealing: Bool) throws {
    let log = try log(sealing: sealing)
    let name = try #require(try log.segments().first)
    let whole = try log.bytes(name)
    let infos = try log.reader.delivered().batches
    var generator = SeededGenerator("damage")
    for index in [1, 3] {
      let info = infos[index]
      let frames = try frames(log, info)
      try #require(frames.count > 6)
      let lines = log.batches[index]
      for round in 0..<40 {
        let damaged =
          round < frames.count
          ? [round] : (0..<3).map { _ in generator.below(frames.count) }.sorted()
        var bytes = whole
        for frame in Set(damaged) {
          bytes[frames[frame].stored.lowerBound + generator.below(frames[frame].stored.count)] ^= 4
        }
        try log.write(bytes, to: name)
        let what = "batch \(index), frames \(damaged)"

        // Lines all of whose bytes are in whole frames, and behind damage not the first that begins there.
        var expected: [[UInt8]] = []
        var start = 0
        for line in lines {
          let range = start..<start + line.count + 1
          start = range.upperBound
          let own = frames.indices.filter { frames[$0].plain.overlaps(range) }
          let isAtStart = own.first.map {
            $0 > 0 && damaged.contains($0 - 1) && frames[$0].plain.lowerBound == range.lowerBound
          }
          if !own.contains(where: damaged.contains), isAtStart != true { expected.append(line) }
        }
        var found: [DamagedBatch] = []
        var before: [UInt64] = []
        let salvage = try log.reader.salvage()
        try salvage.forEachBatch(
          pastGaps: true, damaged: { found.append($0) }, { before.append($0.info.lastSequence) })
        #expect(before.count == infos.count - 1, "\(what)")
        let batch = try #require(found.first, "\(what)")
        #expect(found.count == 1 && batch.firstSequence == info.firstSequence, "\(what)")
        #expect(batch.lastSequence == info.lastSequence, "\(what)")
        let stretches = try stretches(of: batch)
        #expect(stretches.flatMap(\.lines) == expected, "\(what)")
        for (place, stretch) in stretches.enumerated() {
          #expect(stretch.isFirst == (place == 0 && !damaged.contains(0)), "\(what)")
          if stretch.isFirst { #expect(Array(lines.prefix(stretch.lines.count)) == stretch.lines) }
          let isLast = place == stretches.count - 1 && !damaged.contains(frames.count - 1)
          #expect(stretch.isLast == isLast, "\(what)")
          if stretch.isLast { #expect(Array(lines.suffix(stretch.lines.count)) == stretch.lines) }
        }
        // Without being asked to, salvage does not go there.
        try salvage.forEachBatch(
          pastGaps: false, damaged: { _ in Issue.record("\(what): handed over") },
          { #expect($0.info.firstSequence < info.firstSequence) })
      }
    }
  }

  /// Where the tables are damaged nobody knows where a frame begins.
  @Test func ofABatchWithoutItsTablesNothingIsHandedOver() throws {
    let log = try log(sealing: false)
    let name = try #require(try log.segments().first)
    let whole = try log.bytes(name)
    let info = try log.reader.delivered().batches[1]
    for place in [20, 60, 130, BatchHeader.fixedLength + 13] {
      var bytes = whole
      bytes[Int(info.offset) + place] ^= 1
      try log.write(bytes, to: name)
      let salvage = try log.reader.salvage()
      try salvage.forEachBatch(
        pastGaps: true, damaged: { _ in Issue.record("byte \(place): handed over") }, { _ in })
      #expect(salvage.findings.count == 1)
    }
  }

  @Test func aHeadThatWasAcknowledgedIsHeldMissingOrReplaced() throws {
    let log = try log(sealing: false)
    let name = try #require(try log.segments().first)
    let whole = try log.bytes(name)
    let last = try #require(try log.reader.delivered().batches.last)
    func salvage(_ known: LogHead) throws -> LogSalvage { try log.reader.salvage(known: known) }
    for head in log.heads {
      let found = try salvage(head)
      #expect(found.acknowledged == .held && found.missing.isEmpty)
    }
    let beyond = LogHead(sequence: log.head.sequence + 5, chain: log.heads[1].chain)
    // Of the number and the hash one was changed by hand: a hash is of one head alone.
    #expect(try salvage(beyond).missing.isEmpty)
    let gone = LogHead(
      sequence: log.head.sequence + 5, chain: ChainHash(bytes: Array(repeating: 7, count: 32)))
    #expect(try salvage(gone).acknowledged == .missing)
    #expect(try salvage(gone).missing == [log.head.sequence + 1...log.head.sequence + 5])
    let other = LogHead(sequence: log.head.sequence, chain: gone.chain)
    #expect(try salvage(other).acknowledged == .replaced && salvage(other).missing.isEmpty)
    try log.write(Array(whole.prefix(Int(last.offset))), to: name)
    #expect(try salvage(log.head).acknowledged == .missing)
    #expect(try salvage(log.head).missing == [last.firstSequence...last.lastSequence])
    var bytes = whole
    bytes[Int(last.offset) + 150] ^= 1
    try log.write(bytes, to: name)
    #expect(try salvage(log.head).acknowledged == .missing)
    #expect(try salvage(log.head).missing == [last.firstSequence...last.lastSequence])
  }
}
