import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A log on a real file system of its own, which is full with 0, 4, 8 … KiB to go; then there is room
/// again.
@Suite(
  .promise(
    "A failed write or sync leaves the last good head, or the error says that the outcome "
      + "is unknown",
    by: "a real file system that fills up page by page"),
  .promise(
    "A full segment is closed and sealed while its writer does other things; no event is "
      + "lost, and readers see complete batches",
    by: "on a full disk too"),
  .serialized)
struct FullDiskTests {
  private static let pages = 64

  @Test(.enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"))
  func aFullDiskLosesNothingAndLaterThereIsRoomAgain() throws {
    var generator = SeededGenerator("full disk")
    var limits = LogLimits()
    limits.segment = 30_000
    limits.sealedFrame = 10_000
    var refusals = 0
    var sealingFailures = 0
    for free in 0..<Self.pages {
      let log = try LogFixture(limits)
      let volume = try MemoryVolume(at: log.path, size: "1m")
      do {
        let what = "\(free) pages free, seed \(generator.seed)"
        let seen = try fillUp(log, on: volume, free: free, what, &generator)
        refusals += seen.refusals
        sealingFailures += seen.sealingFailures
      } catch {
        Issue.record(error)
      }
      try volume.unmount()
    }
    // Each of them met the end, in an append or in the beginning of a segment; some in sealing.
    #expect(refusals >= Self.pages)
    #expect(sealingFailures > 0)
  }

  private func fillUp(
    _ log: LogFixture, on volume: MemoryVolume, free: Int, _ what: String,
    _ generator: inout SeededGenerator
  ) throws -> (refusals: Int, sealingFailures: Int) {
    var refusals = 0
    var sealingFailures = 0
    let writer = try log.writer()
    try log.append([Lines.line(100, from: &generator)], to: writer)
    try volume.fill(leaving: free)
    var refused: [[UInt8]] = []
    while refused.isEmpty {
      let batch = (0..<4).map { _ in Lines.line(1_500, from: &generator) }
      do {
        try log.append(batch, to: writer)
        if Bool.random(using: &generator) {
          writer.beginSealing()
          writer.finishSealing()
        }
        if writer.sealingFailure != nil { sealingFailures += 1 }
      } catch let error as EventLogError {
        #expect(error.code == .io && error.errno == ENOSPC, "\(what): \(error)")
        refused = batch
        refusals += 1
      }
    }
    let read = try log.reader.delivered()
    #expect(read.lines == log.batches && read.error == nil && read.torn == nil, "\(what)")
    #expect(try log.names().allSatisfy { !$0.hasSuffix(".new") }, "\(what)")

    // Sealing makes room or fails, and changes nothing.
    do {
      try writer.seal()
    } catch let error as EventLogError {
      #expect(error.errno == ENOSPC, "\(what): \(error)")
    }
    #expect(try log.reader.delivered().lines == log.batches, "\(what)")
    #expect(try log.names().allSatisfy { !$0.hasSuffix(".new") }, "\(what)")

    try volume.empty()
    try log.append(refused, to: writer)
    try writer.seal()
    writer.close()
    let again = try log.writer(knownHeads: log.heads)
    #expect(again.recovery == nil && again.head == log.head, "\(what)")
    again.close()
    #expect(try log.reader.check().damage.isEmpty, "\(what)")
    #expect(try log.reader.delivered().lines == log.batches, "\(what)")
    return (refusals, sealingFailures)
  }

  /// A torn tail on a disk that has no room for its copy: nothing is cut, nothing is left behind.
  @Test(.enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"))
  func aTornTailIsNotCutWhereItsCopyHasNoRoom() throws {
    var generator = SeededGenerator(seed: 62)
    let log = try LogFixture()
    let volume = try MemoryVolume(at: log.path, size: "1m")
    do {
      let writer = try log.writer()
      for _ in 0..<2 { try log.append([Lines.line(40_000, from: &generator)], to: writer) }
      writer.close()
      let name = LogFolder.name(1)
      let cut = Array(try log.bytes(name).dropLast(9))
      try log.write(cut, to: name)
      try volume.fill(leaving: 3)
      let names = try log.names()
      for _ in 0..<3 {
        let error = #expect(throws: EventLogError.self) { try log.writer() }
        #expect(error?.errno == ENOSPC, "\(error as Any)")
        #expect(try log.bytes(name) == cut)
        #expect(try log.names() == names)
      }
      try volume.empty()
      let again = try log.writer(knownHeads: [log.heads[1]])
      #expect(again.recovery != nil)
      #expect(try again.append(log.batches[1], after: log.heads[1]) == .appended(log.head))
    } catch {
      Issue.record(error)
    }
    try volume.unmount()
  }
}
