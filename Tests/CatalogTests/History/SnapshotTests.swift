import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Projections
import Synchronization
import Testing

@testable import Catalog
@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibraryKind
@testable import SoundLibraryQueries

/// Snapshots of generated histories: what is made from them is what is made from event 1, or they are
/// not used.
@Suite struct SnapshotTests {
  /// What was said about snapshots that are not used.
  private final class Said: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func snapshots(_ history: GeneratedHistory) -> Snapshots {
    Snapshots(CatalogDirectory(history.folder.path), history.log)
  }

  private func receipt(_ path: String) throws -> Receipt {
    let projection = try ProjectionDatabase(path: path, migrations: .soundLibrary)
    defer { try? projection.close() }
    return try projection.receipt()
  }

  @Test(arguments: [601, 602, 603, 604] as [UInt64])
  func aStateFromASnapshotIsTheOneFromEventOne(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 70)
    let snapshots = snapshots(history)
    var random = SplitMix(seed: seed)
    for _ in 0..<4 {
      _ = try snapshots.make(random.pick(history.records).sequence, budget: .max)
    }
    let kept = try snapshots.list()
    #expect(!kept.isEmpty && kept.allSatisfy { $0.problem == nil })
    let states = PastStates(history.log, snapshots: snapshots)
    let earliest = try #require(kept.first?.header?.sequence)
    for index in 0..<8 {
      let sequence = random.pick(history.records).sequence
      let whole = try history.log.batch(containing: sequence).lastSequence
      let plain = history.folder.file("plain-\(index).sqlite")
      let near = history.folder.file("near-\(index).sqlite")
      let far = history.folder.file("far-\(index).sqlite")
      try ProjectionRebuild(history.log, through: whole).write(to: plain)
      let expected = try receipt(plain)
      try states.write(through: whole, to: near)
      #expect(try receipt(near) == expected, "seed \(seed), event \(whole)")
      let forced = try states.writeFromSnapshot(through: whole, to: far)
      #expect((forced != nil) == (whole >= earliest), "seed \(seed), event \(whole)")
      if let forced {
        #expect(try receipt(far) == expected, "seed \(seed), from \(forced.snapshot.sequence)")
        #expect(forced.end == expected.checkpoint)
      }
    }
  }

  @Test(arguments: [611, 612, 613] as [UInt64])
  func halvingOverSnapshotsFindsTheSameTurn(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 60)
    let snapshots = snapshots(history)
    let head = try #require(history.records.last?.sequence)
    for part in 1...5 { _ = try snapshots.make(head * UInt64(part) / 5, budget: .max) }
    let items = try history.past(head).read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM library_item") ?? 0
    }
    for threshold in Set([1, items / 2, items]).filter({ $0 > 0 }) {
      let sql = "SELECT count(*) >= \(threshold) FROM library_item"
      let plain = try Bisection(sql, in: PastStates(history.log))
        .run(good: 1, bad: head)
      let near = try Bisection(
        sql, in: PastStates(history.log, snapshots: snapshots)
      ).run(good: 1, bad: head)
      #expect(near.change.batch.lastSequence == plain.change.batch.lastSequence, "seed \(seed)")
      #expect(near.change.before == plain.change.before && near.change.after == plain.change.after)
    }
  }

  /// Whatever single bit is another one: the state is right, and the snapshot was named if it was passed
  /// over.
  @Test func aFlippedBitIsNeverBelieved() throws {
    let history = try GeneratedHistory(seed: 621, batches: 30)
    let snapshots = snapshots(history)
    let head = try #require(history.records.last?.sequence)
    let made = try snapshots.make(head, budget: .max).made
    let plain = history.folder.file("plain.sqlite")
    try ProjectionRebuild(history.log).write(to: plain)
    let expected = try receipt(plain)
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: made.path)))
    var random = SplitMix(seed: 621)
    let header = SnapshotHeader.length
    let offsets =
      (0..<40).map { _ in random.below(header) } + (0..<80).map { _ in random.below(bytes.count) }
    for (index, offset) in offsets.enumerated() {
      var broken = bytes
      broken[offset] ^= 1 << UInt8(random.below(8))
      try Data(broken).write(to: URL(filePath: made.path))
      let said = Said()
      let path = history.folder.file("\(index).sqlite")
      try PastStates(history.log, snapshots: snapshots, didPass: { said.add("\($0)") })
        .write(through: head, to: path)
      #expect(try receipt(path) == expected, "bit at \(offset)")
      #expect(
        said.all.count == 1 && said.all[0].contains(made.path), "bit at \(offset): \(said.all)")
      try FileManager.default.removeItem(atPath: path)
    }
    for count in [0, 5, header, bytes.count / 2, bytes.count - 1] {
      try Data(bytes.prefix(count)).write(to: URL(filePath: made.path))
      let said = Said()
      let path = history.folder.file("cut-\(count).sqlite")
      try PastStates(history.log, snapshots: snapshots, didPass: { said.add("\($0)") })
        .write(through: head, to: path)
      #expect(try receipt(path) == expected && said.all.count == 1, "cut to \(count): \(said.all)")
    }
    try Data(bytes + [0]).write(to: URL(filePath: made.path))
    #expect(throws: SnapshotFailure.self) {
      try SnapshotFile.extract(made.path, to: history.folder.file("longer.sqlite"))
    }
  }

  @Test func snapshotsOfAnotherHistoryAreNotUsed() throws {
    let history = try GeneratedHistory(seed: 631, batches: 20)
    let other = try GeneratedHistory(seed: 632, batches: 20)
    let snapshots = snapshots(history)
    let made = try snapshots.make(history.records[30].sequence, budget: .max).made
    // The two logs have one id and other events: only the chain hash tells them apart.
    try FileManager.default.createDirectory(
      atPath: other.folder.file("snapshots"), withIntermediateDirectories: true)
    let copy = other.folder.file("snapshots/00000000000000000031.sqlite.zst")
    try FileManager.default.copyItem(atPath: made.path, toPath: copy)
    let said = Said()
    let path = other.folder.file("state.sqlite")
    let head = try #require(other.records.last?.sequence)
    let states = PastStates(
      other.log, snapshots: self.snapshots(other), didPass: { said.add("\($0)") })
    #expect(try states.writeFromSnapshot(through: head, to: path) == nil)
    #expect(said.all.count == 1 && said.all[0].contains("different events"), "\(said.all)")
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try self.snapshots(other).list().map { $0.problem != nil } == [true])
  }

  /// Each guard by itself: what is in the file is whole, and says of itself what is not so.
  @Test func aSnapshotThatSaysWhatIsNotSoIsNotUsed() throws {
    let history = try GeneratedHistory(seed: 635, batches: 30)
    let snapshots = snapshots(history)
    let middle = history.records[history.records.count / 2].sequence
    let head = try #require(history.records.last?.sequence)
    let database = history.folder.file("middle.sqlite")
    let truth = try ProjectionRebuild(history.log, through: middle).write(to: database)
    let other = try ProjectionRebuild(history.log).write(to: history.folder.file("head.sqlite"))
    let path = snapshots.folder + "/00000000000000000001.sqlite.zst"
    try FileManager.default.createDirectory(
      atPath: snapshots.folder, withIntermediateDirectories: true)

    var lies: [(lie: Checkpoint, reason: String)] = []
    var lie = truth
    lie.logID = LogID(bytes: Array(repeating: 0x11, count: 16))
    lies.append((lie, "another log"))
    lie = truth
    lie.fingerprint = ProjectorFingerprint(recorded: String(repeating: "0", count: 64))
    lies.append((lie, "another version of the projector"))
    lie = truth
    lie.head.sequence = head + 1
    lies.append((lie, "the log ends at event \(head)"))
    lies.append((truth, "chain hash"))
    lies.append((other, "does not match its header"))
    let noDatabase = try history.folder.write("no database at all", to: "noise")
    for (lie, reason) in lies {
      try SnapshotFile.write(database, lie, to: path)
      if reason == "chain hash" {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.firstRange(of: Data(lie.head.chain.hex.utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "x")
        try bytes.write(to: URL(filePath: path))
      }
      let said = Said()
      let made = history.folder.file("made.sqlite")
      let states = PastStates(history.log, snapshots: snapshots, didPass: { said.add("\($0)") })
      #expect(try states.writeFromSnapshot(through: max(head, lie.sequence), to: made) == nil)
      #expect(said.all.count == 1 && said.all[0].contains(reason), "\(said.all)")
      #expect(!FileManager.default.fileExists(atPath: made))
      try FileManager.default.removeItem(atPath: path)
    }
    // Whole, and no database.
    try SnapshotFile.write(noDatabase, truth, to: path)
    let heard = Said()
    let states = PastStates(history.log, snapshots: snapshots, didPass: { heard.add("\($0)") })
    let none = try states.writeFromSnapshot(
      through: head, to: history.folder.file("none.sqlite"))
    #expect(none == nil && heard.all.count == 1, "\(heard.all)")

    try SnapshotFile.write(database, truth, to: path)
    let made = history.folder.file("made.sqlite")
    #expect(try states.writeFromSnapshot(through: head, to: made)?.snapshot == truth)
  }

  /// Any zstd brings back a database that any SQLite opens.
  @Test func otherToolsReadASnapshot() throws {
    let history = try GeneratedHistory(seed: 641, batches: 20)
    let made = try snapshots(history).make(history.records[40].sequence, budget: .max).made
    let path = history.folder.file("plain.sqlite")
    let zstd = try Program("bash", "-c", "zstd -dcq '\(made.path)' > '\(path)'")
    #expect(zstd.status == 0, "\(zstd.errors)")
    let rows = try Program(
      "python3", "-c",
      """
      import sqlite3
      print(sqlite3.connect("\(path)").execute("SELECT sequence FROM projection_checkpoint").fetchone()[0])
      """)
    #expect(rows.output == "\(made.header?.sequence ?? 0)\n", "\(rows.errors)")
  }

  @Test func theBudgetIsKept() throws {
    let history = try GeneratedHistory(seed: 651, batches: 60)
    let snapshots = snapshots(history)
    let head = try #require(history.records.last?.sequence)
    var sizes: [UInt64] = []
    for part in 1...6 {
      let (made, removed) = try snapshots.make(head * UInt64(part) / 6, budget: .max)
      #expect(removed.isEmpty)
      sizes.append(made.storedBytes)
    }
    let all = try snapshots.list()
    // The one whose neighbours are nearest goes first; a file that is none before all others.
    let sequences = all.compactMap { $0.header?.sequence }
    let stray = snapshots.folder + "/00000000000000000000.sqlite.zst"
    try Data([1, 2, 3]).write(to: URL(filePath: stray))
    let budget = sizes.reduce(0, +) - 1
    let (_, removed) = try snapshots.make(head, budget: budget)
    #expect(removed.first?.path == stray)
    let gaps = zip([0] + sequences, sequences.dropFirst()).map { $1 - $0 }
    let least = try #require(gaps.indices.min { gaps[$0] < gaps[$1] })
    #expect(removed.dropFirst().map { $0.header?.sequence } == [sequences[least]])
    // The latest stays, and one that alone is too large leaves all as it was.
    let (latest, others) = try snapshots.make(head, budget: sizes.max() ?? 0)
    #expect(try snapshots.list().last?.path == latest.path)
    #expect(!others.isEmpty)
    let before = try ScratchFolder.contents(snapshots.folder)
    let error = #expect(throws: CatalogError.self) { try snapshots.make(head, budget: 10) }
    #expect(error?.message.contains("budget") == true)
    #expect(try ScratchFolder.contents(snapshots.folder) == before)
  }
}
