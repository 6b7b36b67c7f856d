import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// Each call with which files of packs are touched fails, once and for ever. What comes of it is an error
/// that names the file, or success; what is told to be installed is there; and when the fault is gone,
/// another attempt does what was wanted.
@Suite(
  .promise(
    "Whichever call on a file of a pack fails, the error names the file, nothing is "
      + "installed in part, and the next attempt succeeds",
    by: "EIO or a full volume at each call, once and for ever; short writes"))
struct DownloadFaultTests {
  /// What is going on when the call fails.
  enum Story: CaseIterable, Sendable {
    case download
    /// Parts of an earlier attempt are there.
    case resume
    /// An installation that was committed and whose files are still staged.
    case recovery
    case deletion
  }

  private static let pack = ServedPack(sizes: [2_500, 900])

  @Test(arguments: Story.allCases, FaultyFolderCalls.Call.allCases)
  func anyCallFails(in story: Story, _ call: FaultyFolderCalls.Call) async throws {
    let start = try await prepared(story)
    let count = try await calls(of: start, story, call)
    for errno in call.takesRoom ? [EIO, ENOSPC] : [EIO] {
      for isForEver in [false, true] {
        let numbers = Sample.of(
          Array(0..<count), atMost: max(1, count / 24), "DownloadFaultTests \(story) \(call)")
        for number in numbers {
          let fault = FaultyFolderCalls.Fault(
            call, number: number + 1, errno: errno, isForEver: isForEver)
          try await run(story, from: start.copy(), fault)
        }
      }
    }
  }

  /// Whatever a file system takes at once, notes and parts come out whole.
  @Test(arguments: Array(1...24) + [63, 64, 65, 511, 512, 513, 899])
  func writesMayBeShort(by length: Int) async throws {
    let bench = try await PackBench([Self.pack])
    let calls = FaultyFolderCalls()
    calls.limitWrites(to: length)
    try await bench.open(over: calls) { catalog in
      try await bench.download(catalog)
      try await bench.expectInstalled(catalog, "\(length) bytes a write")
    }
  }

  /// Staged files of a committed installation are the only ones: neither cancelling nor a deletion that
  /// fails takes them.
  @Test func cancellingKeepsWhatIsCommitted() async throws {
    let bench = try await prepared(.recovery).copy()
    let calls = FaultyFolderCalls()
    calls.set(.init(.move, number: 1, errno: EIO, isForEver: true))
    try await bench.open(over: calls) { catalog in
      let manager = try bench.manager(catalog)
      await #expect(throws: DownloadFailure.self) {
        try await manager.cancelDownload(packId: bench.uuid)
      }
      await #expect(throws: DownloadFailure.self) {
        try await manager.deletePack(packId: bench.uuid)
      }
      try await bench.expectSound(catalog, isPending: true, "moves fail")
      calls.set(nil)
      try await manager.cancelDownload(packId: bench.uuid)
      try await bench.expectInstalled(catalog, "moves succeed")
    }
  }

  // MARK: Parts

  /// A catalog at the beginning of a story.
  private func prepared(_ story: Story) async throws -> PackBench {
    let bench = try await PackBench([Self.pack])
    let calls = FaultyFolderCalls()
    switch story {
    case .download: break
    case .resume:
      try await bench.open(over: calls) { catalog in
        calls.set(.init(.write, number: 6, errno: EIO, isForEver: true))
        await #expect(throws: DownloadFailure.self) { try await bench.download(catalog) }
      }
      #expect(try bench.files().keys.contains { $0.hasSuffix(".part") })
    case .recovery:
      let counted = FaultyFolderCalls()
      let other = try bench.copy()
      try await other.open(over: counted) { try await other.download($0) }
      let installs = counted.count(.move) - Self.pack.assets.count
      try await bench.open(over: calls) { catalog in
        calls.set(.init(.move, number: installs + 1, errno: EIO, isForEver: true))
        await #expect(throws: DownloadFailure.self) { try await bench.download(catalog) }
        try await bench.expectSound(catalog, isPending: true, "committed")
      }
      #expect(try bench.files().keys.count { $0.hasSuffix(".wav") } == Self.pack.assets.count)
    case .deletion:
      try await bench.open(over: calls) { try await bench.download($0) }
    }
    return bench
  }

  /// How many calls of a kind the story makes where nothing fails.
  private func calls(
    of start: PackBench, _ story: Story, _ call: FaultyFolderCalls.Call
  ) async throws -> Int {
    let calls = FaultyFolderCalls()
    let bench = try start.copy()
    try await bench.open(over: calls) { catalog in
      calls.set(nil)
      try await act(story, bench, catalog)
    }
    return calls.count(call)
  }

  private func act(_ story: Story, _ bench: PackBench, _ catalog: SoundLibrary) async throws {
    switch story {
    case .download, .resume: try await bench.download(catalog)
    case .recovery: try await bench.manager(catalog).recover()
    case .deletion: try await bench.manager(catalog).deletePack(packId: bench.uuid)
    }
  }

  private func run(
    _ story: Story, from bench: PackBench, _ fault: FaultyFolderCalls.Fault
  ) async throws {
    let note: Comment = "\(story), \(fault)"
    let calls = FaultyFolderCalls()
    try await bench.open(over: calls) { catalog in
      calls.set(fault)
      // What cannot be recovered is a warning.
      var isDone = story != .recovery
      do {
        try await act(story, bench, catalog)
      } catch let failure as DownloadFailure {
        isDone = false
        #expect(failure.message.contains(bench.directory.path), "\(note): \(failure)")
        #expect([.file, .noSpace].contains(failure.code), note)
      }
      calls.set(nil)
      try await bench.expectSound(catalog, isPending: !isDone, note)
      try await act(story, bench, catalog)
      try await expectEnd(story, bench, catalog, note)
    }
  }

  private func expectEnd(
    _ story: Story, _ bench: PackBench, _ catalog: SoundLibrary, _ note: Comment
  ) async throws {
    guard story == .deletion else { return try await bench.expectInstalled(catalog, note) }
    try bench.expectNothing(note)
    #expect(try await !catalog.packs.isPackInstalled(packId: bench.uuid), note)
  }
}
