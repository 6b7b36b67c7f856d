import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Synchronization
import Testing

@testable import SoundLibrary

/// Power is lost before any call that changes something, in downloads, updates and deletions: what the log
/// says is installed is there when the catalog is opened again, and the download can be gone on with.
///
/// Files of packs are on a simulated volume, which forgets what was not synced; the log is on a real disk,
/// and is as it was at that moment.
@Suite(
  .promise(
    "An installed pack is intact after a loss of power at any call, and a download resumes",
    by: "a simulated volume that keeps what was synced and some of the rest; a missing "
      + "sync makes it fail, and one that failed does not count as done"))
struct DownloadPowerLossTests {
  enum Story: CaseIterable, Sendable {
    case download
    /// The manifests have no hashes.
    case unhashed
    /// A second version, over an installed first one.
    case update
    /// A second version, over a first one that was not installed.
    case replacement
    case deletion
  }

  /// Seeds for each moment. Those that leave the same are tried once.
  private static let seeds = Sample.count(1, of: 20)

  @Test(arguments: Story.allCases)
  func whatIsInstalledIsThere(in story: Story) async throws {
    var seeds = SeededGenerator("power loss, \(story)")
    let recording = try await record(story)
    #expect(recording.moments.count > 5)
    var tried: Set<LaidOut> = []
    for (index, moment) in recording.moments.enumerated() {
      for _ in 0..<Self.seeds {
        let seed = seeds.next()
        var dice = SeededGenerator(seed: seed)
        let left = LaidOut(contents: moment.image.afterPowerLoss(&dice), log: moment.log)
        guard tried.insert(left).inserted else { continue }
        try await expectRecovery(
          left, recording.start, "\(story), before \(moment.call) (\(index)), seed \(seed)")
      }
    }
    print("power loss, \(story): \(recording.moments.count) moments, \(tried.count) volumes")
  }

  /// Power is lost again while the catalog is opened, and the download gone on with.
  @Test func itMayBeLostAgainAndAgain() async throws {
    var seeds = SeededGenerator("power loss, again and again")
    for story in [Story.update, .unhashed] {
      let recording = try await record(story)
      for _ in 0..<Sample.count(1, of: 6) {
        let seed = seeds.next()
        var dice = SeededGenerator(seed: seed)
        var moments = recording.moments
        for round in 0..<4 {
          let moment = moments[dice.below(moments.count)]
          let left = LaidOut(contents: moment.image.afterPowerLoss(&dice), log: moment.log)
          let note: Comment = "\(story), seed \(seed), loss \(round)"
          try await expectRecovery(left, recording.start, note)
          let bench = try laidOut(left, recording.start, isOnDisk: false)
          let volume = SimulatedVolume(left.contents, systemRun: "run \(round)")
          let recorder = MomentRecorder(volume, bench)
          try await bench.open(over: volume) { try await bench.download($0) }
          moments = try recorder.end()
        }
      }
    }
  }

  /// A sync that fails may have lost what it was to write, and the next one says nothing of it.
  @Test func aSyncThatFailedIsNotMadeGoodByTheNext() async throws {
    let start = try await PackBench([Self.versions[0]])
    for number in 1... {
      let bench = try start.copy()
      let volume = SimulatedVolume()
      volume.failFileSync(number)
      let isDone = try await bench.open(over: volume) { catalog in
        do {
          try await bench.download(catalog)
          return true
        } catch is DownloadFailure {
          try await bench.download(catalog)
          return false
        }
      }
      if isDone {
        #expect(number > 5)
        break
      }
      var dice = SeededGenerator(seed: 1)
      let left = LaidOut(
        contents: volume.image.afterPowerLoss(&dice), log: try MomentRecorder.log(of: bench))
      try await expectRecovery(left, start, "sync \(number) failed")
    }
  }

  // MARK: Stories

  private static let versions: [ServedPack] = {
    let first = ServedPack(sizes: [2_500, 900, 600])
    var second = first
    second.version = 2
    // Of the same length, so that nothing but the bytes tells one from the other.
    var random = SeededGenerator(seed: 77)
    for index in 0...1 {
      let count = second.assets[index].bytes.count
      second.assets[index].bytes = ServedPack.bytes(count, &random)
      second.assets[index].sha256 = ServedPack.hash(second.assets[index].bytes)
    }
    return [first, second]
  }()

  private static var unhashed: [ServedPack] {
    versions.map { version in
      var version = version
      for index in version.assets.indices { version.assets[index].sha256 = nil }
      return version
    }
  }

  private struct Recording {
    /// The catalog with its database at the beginning.
    var start: PackBench
    var moments: [LostMoment]
  }

  private func record(_ story: Story) async throws -> Recording {
    let versions =
      switch story {
      case .download, .deletion: Array(Self.versions.prefix(1))
      case .unhashed, .replacement: Self.unhashed
      case .update: Self.versions
      }
    let start = try await PackBench(versions)
    let bench = try start.copy()
    let volume = SimulatedVolume()
    var moments: [LostMoment] = []
    try await bench.open(over: volume) { catalog in
      switch story {
      case .download, .unhashed: break
      case .update, .deletion: try await bench.download(catalog, serving: 1)
      case .replacement:
        // All is staged but for the last, and nothing installed.
        volume.failFileSync(6)
        await #expect(throws: DownloadFailure.self) {
          try await bench.download(catalog, serving: 1)
        }
        volume.failFileSync(0)
        #expect(volume.image.contents.entries.keys.contains { $0.hasSuffix(".wav") })
      }
      let recorder = MomentRecorder(volume, bench)
      if story == .deletion {
        try await bench.manager(catalog).deletePack(packId: bench.uuid)
      } else {
        try await bench.download(catalog)
      }
      moments = try recorder.end()
    }
    return Recording(start: start, moments: moments)
  }

  // MARK: After the loss

  private func laidOut(
    _ left: LaidOut, _ start: PackBench, isOnDisk: Bool = true
  ) throws -> PackBench {
    let bench = try start.copy()
    for (name, bytes) in left.log {
      try Data(bytes).write(to: URL(filePath: "\(bench.directory.path)/events/\(name)"))
    }
    if isOnDisk { try left.contents.write(to: bench.directory.path) }
    return bench
  }

  /// The system comes up again, the catalog is opened, the download gone on with.
  private func expectRecovery(
    _ left: LaidOut, _ start: PackBench, _ note: Comment
  ) async throws {
    let bench = try laidOut(left, start)
    let calls = FaultyFolderCalls(systemRun: "after the loss")
    try await bench.open(over: calls) { catalog in
      try await bench.manager(catalog).recover()
      try await bench.expectSound(catalog, isPending: false, note)
      let state = try await catalog.packs.packDetail(packId: bench.uuid).pack
      if state.state == .notDownloaded { try bench.expectNothing(note) }
      try await bench.download(catalog)
      try await bench.expectInstalled(catalog, note)
    }
  }
}

/// What a loss of power left.
private struct LaidOut: Hashable {
  var contents: VolumeContents
  var log: [String: [UInt8]]
}

/// A moment at which power may be lost.
private struct LostMoment: Sendable {
  let call: String
  let image: VolumeImage
  /// Files of the event log.
  let log: [String: [UInt8]]
}

/// Keeps every moment of a volume, with the log as it was.
private final class MomentRecorder: Sendable {
  private let volume: SimulatedVolume
  private let bench: PackBench
  private let moments = Mutex<[LostMoment]>([])
  private let failures = Mutex<[any Error]>([])

  init(_ volume: SimulatedVolume, _ bench: PackBench) {
    self.volume = volume
    self.bench = bench
    volume.observe { [self] moment in keep(moment.call, moment.image) }
  }

  static func log(of bench: PackBench) throws -> [String: [UInt8]] {
    try ScratchFolder.contents(bench.directory.events)
  }

  private func keep(_ call: String, _ image: VolumeImage) {
    do {
      let moment = LostMoment(call: call, image: image, log: try Self.log(of: bench))
      moments.withLock { $0.append(moment) }
    } catch {
      failures.withLock { $0.append(error) }
    }
  }

  /// All moments up to now, and now.
  func end() throws -> [LostMoment] {
    volume.observe(nil)
    keep("the end", volume.image)
    if let failure = failures.withLock({ $0.first }) { throw failure }
    return moments.withLock { $0 }
  }
}
