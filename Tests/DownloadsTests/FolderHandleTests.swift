import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Testing

/// Small files that take the place of others: whole or not at all.
@Suite(
  .promise("A small file that replaces another does it as a whole or not at all"))
struct FolderHandleTests {
  private static let name = "note"
  private let scratch: ScratchFolder
  private let calls = FaultyFolderCalls()
  private let folder: FolderHandle

  init() throws {
    scratch = try ScratchFolder()
    folder = try FolderHandle(scratch.path, calls: calls)
  }

  @Test(arguments: 1...41)
  func aSmallFileIsWrittenWholeInShortWrites(of length: Int) throws {
    let bytes = [UInt8]((0..<40).map { UInt8($0) })
    calls.limitWrites(to: length)
    try folder.write(bytes, to: Self.name, isSynced: true)
    #expect(try scratch.bytes(Self.name) == bytes)
    #expect(try folder.read(Self.name, limit: 100) == bytes)
    #expect(try folder.read(Self.name, limit: 7) == Array(bytes[..<7]))
    #expect(try folder.names() == [Self.name])
  }

  /// A file system that takes nothing, without an error, is one.
  @Test func aWriteOfNothingIsAnError() throws {
    calls.limitWrites(to: 0)
    let failure = #expect(throws: DownloadFailure.self) {
      try folder.write([1], to: Self.name, isSynced: false)
    }
    #expect(failure?.message.contains("cannot write \(scratch.path)/note.new") == true)
    #expect(!scratch.exists(Self.name))
  }

  @Test(arguments: [FaultyFolderCalls.Call.write, .sync, .move, .openFile, .status])
  func theOlderFileStaysWhereTheNewerFails(_ call: FaultyFolderCalls.Call) throws {
    try folder.write([1, 2, 3], to: Self.name, isSynced: true)
    for errno in [EIO, ENOSPC] {
      calls.set(.init(call, number: 1, errno: errno, isForEver: true))
      let failure = #expect(throws: DownloadFailure.self) {
        try folder.write([4, 5, 6, 7], to: Self.name, isSynced: true)
      }
      #expect(failure?.code == (errno == EIO ? .file : .noSpace))
      #expect(failure?.message.contains("\(scratch.path)/note") == true)
      calls.set(nil)
      #expect(try folder.read(Self.name, limit: 10) == [1, 2, 3])
    }
    try folder.write([4], to: Self.name, isSynced: true)
    #expect(try folder.names() == [Self.name])
  }

  /// A loss of power leaves the older file or the newer one, and no part of either.
  @Test func aSyncedFileIsWholeAfterALossOfPower() throws {
    var seeds = SeededGenerator("a small file")
    let volume = SimulatedVolume()
    let folder = try FolderHandle("/", calls: volume)
    let (old, new) = ([UInt8](repeating: 1, count: 700), [UInt8](repeating: 2, count: 1_500))
    try folder.write(old, to: Self.name, isSynced: true)
    try folder.sync()
    try folder.write(new, to: Self.name, isSynced: true)
    for _ in 0..<50 {
      let left = SimulatedVolume(volume.image.afterPowerLoss(&seeds))
      let found = try FolderHandle("/", calls: left).read(Self.name, limit: 2_000)
      #expect(found == old || found == new)
    }
  }
}
