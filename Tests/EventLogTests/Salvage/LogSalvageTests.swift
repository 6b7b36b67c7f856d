import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "`check` names each damaged place, also after others, with the events that are missing",
    by: "one finding for a flipped bit anywhere"),
  .promise(
    "Salvage keeps exactly the batches before the damage; every event is salvaged, intact "
      + "after a gap, or missing",
    by: "bits flip, bytes go or come, files are cut, lost or swapped; the list of what was "
      + "appended is the judge"))
struct LogSalvageTests {
  @Test func aWholeLogIsCopied() throws {
    let trial = try SalvageTrial("whole")
    #expect(trial.segments.filter(trial.isSealed).count >= 3)
    #expect(trial.segments.count > trial.segments.filter(trial.isSealed).count)
    let salvage = try trial.salvage("whole", expecting: trial.log.batches.count)
    #expect(salvage.findings.isEmpty && salvage.behind.isEmpty && salvage.missing.isEmpty)
  }

  @Test func aFlippedBitCostsItsBatchOrFrameAndNothingBeforeIt() throws {
    let trial = try SalvageTrial("flip")
    for name in trial.segments {
      let size = trial.bytes(name).count
      for offset in stride(from: 0, to: size, by: 7) {
        var bytes = trial.bytes(name)
        bytes[offset] ^= 1 << UInt8(offset % 8)
        try trial.log.write(bytes, to: name)
        let what = "bit of \(name) at \(offset)"
        let before = trial.batches(before: offset, in: name)
        let salvage = try trial.salvage(what, expecting: before)
        #expect(salvage.findings.count == 1, "\(what): \(salvage.findings)")
        #expect(salvage.findings.first?.file.hasSuffix(name) == true, "\(what)")
        // Whatever is damaged, later segments are there.
        if name != trial.segments.last, before < trial.log.batches.count {
          #expect(salvage.behind.last?.upperBound == trial.log.head.sequence, "\(what)")
        }
      }
    }
  }

  @Test func bytesThatAreCutOutZeroedOrPutInCostWhatTheyHit() throws {
    let trial = try SalvageTrial("cut out")
    for name in trial.segments {
      let size = trial.bytes(name).count
      for offset in stride(from: 1, to: size - 40, by: 61) {
        func salvage(_ bytes: [UInt8], _ what: String) throws {
          // By chance what moves up may be what was there: a batch that keeps its bytes is whole.
          let first = zip(bytes, trial.bytes(name)).enumerated().first { $1.0 != $1.1 }?.offset
          var before = trial.batches(before: first ?? bytes.count, in: name)
          // What is put between two batches of an open segment hits neither.
          let isBetween = trial.places.contains {
            $0.info.segment == name && $0.info.storedLength != nil
              && $0.info.offset == UInt64(first ?? 0)
          }
          if isBetween, bytes.count > size { before = trial.log.batches.count }
          try trial.log.write(bytes, to: name)
          try trial.salvage("\(what) \(name) at \(offset)", expecting: before)
        }
        var cut = trial.bytes(name)
        cut.removeSubrange(offset..<offset + 9)
        try salvage(cut, "nine bytes cut out of")
        var more = trial.bytes(name)
        more.insert(contentsOf: [1, 2, 3], at: offset)
        try salvage(more, "three bytes put into")
        var zeroed = trial.bytes(name)
        zeroed.replaceSubrange(offset..<offset + 40, with: repeatElement(0xFF, count: 40))
        try salvage(zeroed, "forty bytes spoiled of")
      }
    }
  }

  @Test func aFileThatIsCutShortKeepsWhatIsBeforeTheCut() throws {
    let trial = try SalvageTrial("cut short")
    for name in trial.segments {
      for size in stride(from: 0, to: trial.bytes(name).count, by: 37) {
        try trial.log.write(Array(trial.bytes(name).prefix(size)), to: name)
        let before = trial.batches(before: size, in: name)
        let salvage = try trial.salvage("\(name) cut at \(size)", expecting: before)
        if name != trial.segments.last, before < trial.log.batches.count {
          #expect(salvage.behind.last?.upperBound == trial.log.head.sequence)
        }
      }
    }
  }

  @Test func segmentsThatAreGoneSwappedOrMisnamedArePutInOrder() throws {
    let trial = try SalvageTrial("segments")
    let all = trial.log.batches.count
    for (index, name) in trial.segments.enumerated() {
      try trial.log.remove(name)
      let before = trial.places.prefix { $0.info.segment < name }.count
      let salvage = try trial.salvage("without \(name)", expecting: before)
      #expect(salvage.missing.count == (name == trial.segments.last ? 0 : 1))
      guard index > 0 else { continue }
      let other = trial.segments[index - 1]
      try trial.log.write(trial.bytes(name), to: other)
      try trial.log.write(trial.bytes(other), to: name)
      // The chain tells where they belong, whatever they are called.
      let swapped = try trial.salvage("\(name) and \(other) swapped", expecting: all)
      #expect(!swapped.findings.isEmpty)
    }
  }

  @Test func batchesThatWereMovedOrDoubledAreFoundByTheirChain() throws {
    let trial = try SalvageTrial("moved", batches: 12, .standard)
    let name = try #require(trial.segments.last)
    let bytes = trial.bytes(name)
    let own = trial.places.filter { $0.info.segment == name }
    try #require(own.count == 12)
    let pieces = own.map { Array(bytes[Int($0.info.offset)..<Int($0.end)]) }
    let all = trial.log.batches.count
    for index in pieces.indices {
      var doubled = pieces
      doubled.insert(pieces[index], at: pieces.count / 2)
      try trial.log.write(doubled.flatMap(\.self), to: name)
      #expect(try !trial.salvage("batch \(index) twice", expecting: all).findings.isEmpty)
      guard index > 0 else { continue }
      var swapped = pieces
      swapped.swapAt(index - 1, index)
      try trial.log.write(swapped.flatMap(\.self), to: name)
      #expect(try !trial.salvage("batch \(index) swapped", expecting: all).findings.isEmpty)
      var without = pieces
      without.remove(at: index)
      try trial.log.write(without.flatMap(\.self), to: name)
      let first = all - pieces.count + index
      let salvage = try trial.salvage("without batch \(index)", expecting: first)
      if index < pieces.count - 1 {
        #expect(salvage.missing == [own[index].info.firstSequence...own[index].info.lastSequence])
      }
    }
  }

  @Test(arguments: 1...30)
  func manyDamagesAtOnceAreAllAccountedFor(_ round: Int) throws {
    let trial = try SalvageTrial("many \(round)")
    var generator = SeededGenerator("places \(round)")
    for _ in 0..<1 + generator.below(6) {
      let name = trial.segments[generator.below(trial.segments.count)]
      var bytes = try trial.log.bytes(name)
      guard bytes.count > 60 else { continue }
      let offset = generator.below(bytes.count - 50)
      switch generator.below(3) {
      case 0: bytes[offset] ^= 0x20
      case 1: bytes.removeSubrange(offset..<offset + 1 + generator.below(40))
      default: bytes.replaceSubrange(offset..<offset + 30, with: repeatElement(0, count: 30))
      }
      try trial.log.write(bytes, to: name)
    }
    let readable = try trial.segments.filter { name in
      let end = trial.places.first { $0.info.segment == name }?.end
      let first = trial.bytes(name).prefix(Int(try #require(end)))
      return try trial.log.bytes(name).starts(with: first)
    }
    do {
      try trial.salvage("round \(round)")
    } catch let error as EventLogError
      where error.code == .io && error.message.hasPrefix("no part of the log")
    {
      // So many damages can leave nothing at all; but a segment can be read whose beginning, up to the end of
      // its first batch, none of them hit.
      #expect(readable.isEmpty, "\(error), seed \(generator.seed)")
    }
  }

  @Test func theSecondReaderReadsASalvagedLog() throws {
    let trial = try SalvageTrial("second reader")
    let name = trial.segments[2]
    var bytes = trial.bytes(name)
    bytes[bytes.count / 2] ^= 1
    try trial.log.write(bytes, to: name)
    let salvage = try trial.log.reader.salvage()
    let out = try ScratchFolder(inMemory: true)
    // Sizes as the format page has them.
    let standard = try EventLogReader(directory: trial.log.path).salvage()
    #expect(standard.prefix == salvage.prefix)
    try standard.writePrefix(to: out.file("events"))
    let second = try Tools.secondReader(out.file("events"))
    #expect(second?.sequence == salvage.prefix.sequence)
    #expect(second?.chain == salvage.prefix.chain.hex)
  }

  @Test func aFolderThatCannotBeWrittenIsEnough() throws {
    let trial = try SalvageTrial("read-only")
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: trial.log.path)
    defer {
      try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: trial.log.path)
    }
    let salvage = try trial.log.reader.salvage()
    #expect(salvage.prefix == trial.log.head)
  }

  @Test func aLockedLogIsReadAllTheSame() throws {
    let trial = try SalvageTrial("locked")
    let writer = try trial.log.writer()
    defer { writer.close() }
    #expect(try trial.log.reader.salvage().prefix == trial.log.head)
  }

  @Test func tornTailsAreListedAndNotUsed() throws {
    let trial = try SalvageTrial("torn", batches: 12, .standard)
    let name = try #require(trial.segments.last)
    let last = try #require(trial.places.last)
    try trial.log.write(Array(trial.bytes(name).dropLast(5)), to: name)
    try trial.log.write([1, 2, 3, 4], to: name + ".torn-77")
    let salvage = try trial.salvage("torn", expecting: trial.log.batches.count - 1)
    #expect(salvage.torn?.offset == last.info.offset)
    #expect(salvage.findings.isEmpty && salvage.missing.isEmpty && !salvage.isEndUnknown)
    #expect(salvage.kept.map(\.name) == [name + ".torn-77"])
    #expect(salvage.kept.map(\.bytes) == [4])
  }

  @Test func nothingThatIsGoodIsSaid() throws {
    let trial = try SalvageTrial("nothing", batches: 3)
    for name in trial.segments { try trial.log.write(Array(repeating: 9, count: 400), to: name) }
    let error = #expect(throws: EventLogError.self) { try trial.log.reader.salvage() }
    #expect(error?.message.contains("no part of the log") == true)
  }
}
