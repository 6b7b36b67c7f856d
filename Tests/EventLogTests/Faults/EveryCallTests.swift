import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Each call with which the log touches files fails, in its whole life: the first one, the second, and
/// so on until a life passes without reaching that many.
@Suite(
  .promise(
    "A failed write or sync leaves the last good head, or the error says that the outcome "
      + "is unknown",
    by: "each call of the seam fails, once, for ever, or after its work, through a whole "
      + "life of a log; short writes of every length"))
struct EveryCallTests {
  enum Fault: String, CaseIterable, CustomStringConvertible {
    /// The Nth call fails, and the next one does not.
    case once
    /// The Nth call and all later ones of its kind.
    case forEver
    /// The Nth call does its work and says that it failed.
    case done

    var description: String { rawValue }
  }

  @Test(arguments: FaultyFileCalls.Call.allCases, Fault.allCases)
  func aFailureLosesNothing(_ call: FaultyFileCalls.Call, _ fault: Fault) throws {
    let lives = try Self.atEach(call) { number in
      // Of a write, another part gets through each time.
      .init(
        call, number: number, errno: EIO, isForEver: fault == .forEver,
        partial: number * 37 % 250, isDone: fault == .done)
    } life: { number, files in
      try LogLife(
        files, "\(call) \(number), \(fault)", isSync: LogLife.syncs.contains(call))
    }
    // More than one segment is begun and sealed, three writers are made, and one torn tail is cut off.
    let few: [FaultyFileCalls.Call: Int] = [.makeDirectory: 3, .lock: 3, .truncate: 1]
    #expect(lives >= few[call] ?? 4, "\(call) happened \(lives) times")
  }

  /// The disk is full at each write, with nothing, a byte, a part or all but a byte written; then there
  /// is room again, and the same batch gets in with the same writer.
  @Test(arguments: [0, 1, 100, 131, 132, 180], [ENOSPC, EDQUOT, EFBIG])
  func aFullDiskIsAnErrorAndNoMore(_ partial: Int, _ errno: Int32) throws {
    let lives = try Self.atEach(.write) { number in
      .init(.write, number: number, errno: errno, partial: partial)
    } life: { number, files in
      try LogLife(files, "write \(number), \(partial) bytes of it", hasRoomAgain: true)
    }
    #expect(lives > 20)
  }

  /// Writes that stop short after each possible number of bytes, and are gone on with.
  @Test func shortWritesOfEveryLengthChangeNothing() throws {
    let plain = try LogLife(FaultyFileCalls(), "whole writes")
    try plain.live()
    let longest = try plain.log.segments().map { try plain.log.bytes($0).count }.max() ?? 0
    #expect(longest > 300)
    for length in 1...longest {
      let files = FaultyFileCalls()
      files.limitWrites(to: length)
      let life = try LogLife(files, "writes of \(length) bytes")
      try life.live()
      #expect(life.errors.isEmpty)
      let names = try life.log.segments()
      #expect(try names == plain.log.segments())
      for name in names {
        // One program, one libzstd: the bytes are the same too.
        #expect(try life.log.bytes(name) == plain.log.bytes(name), "writes of \(length) bytes")
      }
    }
  }

  /// - Returns: how many lives the fault was met in.
  private static func atEach(
    _ call: FaultyFileCalls.Call, fault: (Int) -> FaultyFileCalls.Fault,
    life: (Int, FaultyFileCalls) throws -> LogLife
  ) throws -> Int {
    var number = 1
    while true {
      let files = FaultyFileCalls()
      files.set(fault(number))
      let life = try life(number, files)
      try life.live()
      try life.expectNothingLost()
      guard files.count(call) >= number else { return number - 1 }
      number += 1
    }
  }
}
