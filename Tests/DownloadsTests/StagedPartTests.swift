import CatalogModel
import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Support
import Testing

@testable import Downloads

/// The part of an asset over crashes, which leave any file and any note.
@Suite(
  .promise(
    "An installed pack is intact after a loss of power at any call, and a download resumes",
    by: "the part of an asset after any crash"),
  .promise("A download survives a kill at any moment; what was fetched is not fetched again"))
struct StagedPartTests {
  private static let name = "a.wav"
  /// No checkpoints but those that are asked for, however slow the machine.
  private static let patient: DownloadPolicy = {
    var policy = DownloadPolicy()
    policy.checkpoints.time = .seconds(3_600)
    return policy
  }()

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  }

  private func hash(_ bytes: some Collection<UInt8>) -> String {
    Hex.string(SHA256.hash(data: Array(bytes)))
  }

  @Test func theSmallerOfFileAndNoteIsTrusted() async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    let whole = bytes(10_000)
    for (file, note, expected) in [
      (5_000, 5_000, 5_000), (5_000, 3_000, 3_000), (3_000, 5_000, 3_000), (5_000, 0, 0),
      (0, 5_000, 0),
    ] {
      try Data(whole[..<file]).write(to: URL(filePath: "\(scratch.path)/a.wav.part"))
      try Data(#"{"offset":\#(note),"tag":"\"t\""}"#.utf8)
        .write(to: URL(filePath: "\(scratch.path)/a.wav.part.json"))
      let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
      #expect(StagedPart.trustedBytes(of: Self.name, in: folder) == Int64(expected))
      try await part.open(limit: 10_000)
      #expect(await part.offset == Int64(expected))
      #expect(await part.tag?.text == (expected > 0 ? "\"t\"" : nil))
      try await part.append(whole[expected...])
      #expect(await part.digest == hash(whole))
    }
  }

  @Test func afterACrashOfTheProcessAloneAllOfTheFileIsTrusted() async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    let boot = try #require(BootSession.id)
    for (session, expected) in [(boot, 5_000), ("another", 3_000)] {
      try scratch.write(bytes(5_000), to: "a.wav.part")
      try scratch.write(#"{"offset":3000,"boot":"\#(session)"}"#, to: "a.wav.part.json")
      let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
      try await part.open(limit: 10_000)
      #expect(await part.offset == Int64(expected))
    }
  }

  @Test func whatACheckpointMadeDurableIsThereAfterALossOfPower() async throws {
    var seeds = SeededGenerator("a checkpoint")
    let volume = SimulatedVolume()
    let part = StagedPart(
      Self.name, in: try FolderHandle("/", calls: volume), policy: Self.patient)
    try await part.open(limit: 10_000)
    try await part.begin(tag: StrongEntityTag("\"t\""))
    try await part.append(bytes(5_000)[...])
    try await part.checkpoint()
    try await part.append(bytes(10_000)[5_000...])
    for _ in 0..<50 {
      let left = SimulatedVolume(volume.image.afterPowerLoss(&seeds), systemRun: "another")
      let folder = try FolderHandle("/", calls: left)
      #expect(StagedPart.trustedBytes(of: Self.name, in: folder) == 5_000)
      let found = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
      try await found.open(limit: 10_000)
      #expect(await found.tag?.text == "\"t\"")
      #expect(await found.digest == hash(bytes(10_000)[..<5_000]))
    }
  }

  /// What is written behind a fresh start is not taken for what an older note speaks of.
  @Test func aNoteDoesNotComeBackBesideOtherBytes() async throws {
    var seeds = SeededGenerator("a note")
    let volume = SimulatedVolume()
    let part = StagedPart(
      Self.name, in: try FolderHandle("/", calls: volume), policy: Self.patient)
    try await part.open(limit: 10_000)
    try await part.begin(tag: nil)
    try await part.append(bytes(5_000)[...])
    try await part.checkpoint()
    try await part.startOver()
    try await part.append([UInt8](repeating: 1, count: 5_000)[...])
    for _ in 0..<50 {
      let left = SimulatedVolume(volume.image.afterPowerLoss(&seeds), systemRun: "another")
      let folder = try FolderHandle("/", calls: left)
      #expect(StagedPart.trustedBytes(of: Self.name, in: folder) == 0)
    }
  }

  /// The system drops what it could not write and forgets that it did.
  @Test func whatCouldNotBeSyncedIsWrittenAnew() async throws {
    let volume = SimulatedVolume()
    let folder = try FolderHandle("/", calls: volume)
    let first = StagedPart(Self.name, in: folder, policy: Self.patient)
    try await first.open(limit: 10_000)
    try await first.begin(tag: nil)
    try await first.append(bytes(5_000)[...])
    try await first.checkpoint()
    try await first.append(bytes(10_000)[5_000...])
    volume.failFileSync(1)
    await #expect(throws: DownloadFailure.self) { try await first.finish() }
    // As a download does that failed.
    try await first.checkpoint()
    let second = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
    try await second.open(limit: 10_000)
    #expect(await second.offset == 5_000)
  }

  @Test(arguments: ["", "{", "[]", #"{"offset":-5}"#, #"{"offset":1e99}"#, "\u{0}\u{0}\u{0}"])
  func anInvalidNoteIsIgnored(note: String) async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    try Data(bytes(500)).write(to: URL(filePath: "\(scratch.path)/a.wav.part"))
    try Data(note.utf8).write(to: URL(filePath: "\(scratch.path)/a.wav.part.json"))
    let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
    try await part.open(limit: 10_000)
    #expect(await part.offset == 0)
    try await part.append(bytes(10)[...])
    #expect(await part.digest == hash(bytes(10)))
  }

  @Test func aPartThatIsLongerThanTheAssetIsOfAnother() async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    try Data(bytes(500)).write(to: URL(filePath: "\(scratch.path)/a.wav.part"))
    try Data(#"{"offset":500}"#.utf8)
      .write(to: URL(filePath: "\(scratch.path)/a.wav.part.json"))
    let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
    try await part.open(limit: 499)
    #expect(await part.offset == 0)
  }

  @Test func whatIsFinishedHasItsNameAndLeavesNothing() async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
    try await part.open(limit: 100)
    try await part.begin(tag: StrongEntityTag("\"t\""))
    try await part.append(bytes(100)[...])
    try await part.checkpoint()
    #expect(try folder.names() == ["a.wav.part", "a.wav.part.json"])
    try await part.finish()
    #expect(try folder.names() == ["a.wav"])
    #expect(try FileDigest.digest(of: "a.wav", in: folder)?.sha256 == hash(bytes(100)))
  }

  @Test(arguments: ["a.wav.part", "a.wav.part.json"])
  func linksAreNotFollowed(name: String) async throws {
    let scratch = try ScratchFolder()
    let target = "\(scratch.path)/precious"
    try Data("precious".utf8).write(to: URL(filePath: target))
    let inner = "\(scratch.path)/staging"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(inner)/\(name)", withDestinationPath: target)
    let part = StagedPart(Self.name, in: try FolderHandle(inner), policy: DownloadPolicy())
    let failure = await #expect(throws: DownloadFailure.self) { try await part.open(limit: 100) }
    #expect(failure?.message.contains("\(name) is a symbolic link") == true)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
  }

  @Test func aHardLinkOrAPipeInItsPlaceIsRefused() async throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    try Data("precious".utf8).write(to: URL(filePath: "\(scratch.path)/precious"))
    #expect(link("\(scratch.path)/precious", "\(scratch.path)/a.wav.part") == 0)
    let part = StagedPart(Self.name, in: folder, policy: DownloadPolicy())
    await #expect(throws: DownloadFailure.self) { try await part.open(limit: 100) }
    #expect(mkfifo("\(scratch.path)/b.wav.part", 0o600) == 0)
    let piped = StagedPart("b.wav", in: folder, policy: DownloadPolicy())
    await #expect(throws: DownloadFailure.self) { try await piped.open(limit: 100) }
    #expect(
      try String(contentsOfFile: "\(scratch.path)/precious", encoding: .utf8) == "precious")
  }

  @Test func aLockIsHeldOnceAndLeavesNothing() throws {
    let scratch = try ScratchFolder()
    let folder = try FolderHandle(scratch.path)
    for _ in 0..<3 {
      let lock = try FileLock("x.lock", in: folder)
      #expect(lock != nil)
      #expect(try FileLock("x.lock", in: folder) == nil)
      withExtendedLifetime(lock) {}
    }
    #expect(try folder.names().isEmpty)
  }
}
