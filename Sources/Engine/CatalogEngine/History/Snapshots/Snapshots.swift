import CatalogModel
import CatalogStore
import EventLog
import Foundation
import GRDB
import Projections
import Recoveries

/// The snapshots of a catalog: projections at some sequences, compressed, from which past states are made
/// sooner than from event 1.
///
/// A cache and nothing else: each is checked against the log and its own hash before it is used, and can be
/// deleted at any moment.
package struct Snapshots: Sendable {
  package struct Snapshot: Sendable {
    package let path: String
    package let storedBytes: UInt64
    /// Nil where not even that can be read.
    package let header: SnapshotHeader?
    /// Why it is not used; nil for one whose header fits the log.
    package let problem: String?

    /// A warning that this snapshot is not used.
    func notUsed(because reason: String) -> ErrorMessage {
      "the snapshot \(path) is not used: \(reason); \(do: .removeUnfitSnapshots) removes what cannot be used"
    }
  }

  /// What is kept where nobody says otherwise.
  package static let standardBudget: UInt64 = 2 << 30

  private static let suffix = ".sqlite.zst"
  package let folder: String
  package let log: CatalogLog

  package init(_ directory: CatalogDirectory, _ log: CatalogLog) {
    folder = directory.snapshots
    self.log = log
  }

  package init(folder: String, _ log: CatalogLog) {
    self.folder = folder
    self.log = log
  }

  // MARK: - Looking

  /// How much of a snapshot is looked at.
  package enum Depth: Sendable {
    /// Its header alone.
    case header
    /// The log too, up to its sequence.
    case chain
    /// And all of its stored bytes.
    case bytes
  }

  /// All that are there, in the order of their sequences; first those whose header cannot be read.
  ///
  /// - Throws: `CatalogError` with `directory` if the folder cannot be read.
  package func list(_ depth: Depth = .chain) throws -> [Snapshot] {
    guard access(folder, F_OK) == 0 else { return [] }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw CatalogError(
        .directory, "cannot read the folder of snapshots, \(folder): \(Self.reason(error))")
    }
    let end = try LogEnd(log)
    return names.filter { $0.hasSuffix(Self.suffix) }.sorted()
      .compactMap { look($0, depth, end) }
      .sorted { ($0.header?.sequence ?? 0) < ($1.header?.sequence ?? 0) }
  }

  /// Which log it is and where it ends, read once for all snapshots.
  private struct LogEnd {
    let id: LogID?
    let sequence: UInt64

    init(_ log: CatalogLog) throws {
      id = try log.logID()
      sequence = try log.head()?.sequence ?? 0
    }
  }

  /// Nil where it was deleted meanwhile.
  private func look(_ name: String, _ depth: Depth, _ end: LogEnd) -> Snapshot? {
    let path = "\(folder)/\(name)"
    var info = stat()
    guard lstat(path, &info) == 0 else { return nil }
    // Opening a pipe would wait for ever.
    guard info.st_mode & S_IFMT == S_IFREG else {
      return Snapshot(
        path: path, storedBytes: 0, header: nil,
        problem: "it is not a regular file; remove it by hand"
      )
    }
    let size = UInt64(info.st_size)
    var header: SnapshotHeader?
    do {
      let found = try SnapshotFile.header(of: path)
      header = found
      var problem = problem(of: found, end)
      if problem == nil, depth != .header { problem = try chainProblem(of: found) }
      if problem == nil, depth == .bytes { problem = try SnapshotFile.damage(of: path) }
      return Snapshot(path: path, storedBytes: size, header: header, problem: problem)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    } catch {
      return Snapshot(
        path: path, storedBytes: size, header: header, problem: Self.reason(error))
    }
  }

  static func reason(_ error: any Error) -> String {
    (error as? CocoaError)?.words ?? "\(error)"
  }

  /// Why a snapshot does not fit this log and this program by what it says; nil if it does.
  private func problem(of header: SnapshotHeader, _ end: LogEnd) -> String? {
    guard let id = end.id else { return "there is no log" }
    if header.logId != id.description { return "it belongs to another log" }
    if header.projector != log.kind.fingerprint.description {
      return "it was made by another version of the projector"
    }
    if header.sequence > end.sequence {
      return "it is of event \(header.sequence), the log ends at event \(end.sequence)"
    }
    return nil
  }

  /// Why the log's own events are not those that a snapshot was made of; nil if they are.
  private func chainProblem(of header: SnapshotHeader) throws -> String? {
    do {
      guard let checkpoint = header.checkpoint else { return "its chain hash is invalid" }
      _ = try log.cursor(after: checkpoint.head)
      return nil
    } catch let error as EventLogError where error.code == .lostEvents {
      return "the log holds different events up to \(header.sequence)"
    }
  }

  // MARK: - Using

  /// Writes the nearest state that is not behind `sequence` to a new file.
  ///
  /// - Parameters:
  ///   - earliest: an older state is of no use.
  ///   - didPass: hears of snapshots that were nearer and are not used, with the reason.
  /// - Returns: nil if there is none.
  func extractNearest(
    _ sequence: UInt64, earliest: UInt64, to path: String,
    didPass: (Snapshot, String) -> Void
  ) throws -> Checkpoint? {
    for snapshot in try list(.header).reversed() {
      if let header = snapshot.header, header.sequence > sequence || header.sequence < earliest {
        continue
      }
      do {
        let problem = try snapshot.problem ?? snapshot.header.flatMap(chainProblem)
        guard problem == nil else {
          didPass(snapshot, problem ?? "")
          continue
        }
        let header = try SnapshotFile.extract(snapshot.path, to: path, until: log.limit)
        let file = try ProjectionFile(path: path, schema: log.kind.schema, rollsBack: false)
        let found = try file.checkpoint()
        guard found == header.checkpoint else {
          throw SnapshotFailure("its database does not match its header")
        }
        guard try file.hasDigests else {
          throw SnapshotFailure("it has no digests of this version of the program")
        }
        return found
      } catch CocoaError.fileReadNoSuchFile {
        continue
      } catch let error
        where error is SnapshotFailure || error is CocoaError || error is StoreError
        || error is DatabaseError
      {
        try? FileManager.default.removeItem(atPath: path)
        didPass(snapshot, Self.reason(error))
      }
    }
    return nil
  }

  // MARK: - Making and removing

  /// Keeps the state behind the batch that holds an event.
  ///
  /// - Parameter budget: for the bytes of all snapshots together.
  /// - Returns: the snapshot, and those that made room for it.
  /// - Throws: `CatalogError` if this one alone is larger.
  package func make(
    _ sequence: UInt64, budget: UInt64, progress: @escaping ProgressObserver = { _ in },
    didPass: @escaping @Sendable (ErrorMessage) -> Void = { _ in }
  ) throws -> (made: Snapshot, removed: [Snapshot]) {
    try requireWritable()
    // Made on from an earlier snapshot, it reads the last segments alone.
    try log.reader.checkSegments()
    Self.sweep(folder)
    let id = UUID().uuidString.lowercased()
    let unfinished = "\(folder)/\(UnfinishedFiles.name(of: id + Self.suffix))"
    let database = "\(folder)/\(UnfinishedFiles.name(of: id + ".sqlite"))"
    defer {
      for path in [unfinished, database] { try? FileManager.default.removeItem(atPath: path) }
    }
    let states = PastStates(log, snapshots: self, progress: progress, didPass: didPass)
    let checkpoint = try states.write(through: sequence, to: database)
    try SnapshotFile.write(database, checkpoint, to: unfinished)
    let size = try FileManager.default.attributesOfItem(atPath: unfinished)[.size] as? UInt64 ?? 0
    guard size <= budget else {
      throw CatalogError(
        .directory,
        "a snapshot of event \(checkpoint.sequence) takes \(size) bytes, the budget is \(budget); "
          + "raise the budget")
    }
    let digits = String(checkpoint.sequence)
    let name = String(repeating: "0", count: 20 - digits.count) + digits + Self.suffix
    guard rename(unfinished, "\(folder)/\(name)") == 0 else {
      throw CatalogError(
        .directory, "cannot create \(folder)/\(name): \(SystemError.current)")
    }
    guard let made = look(name, .chain, try LogEnd(log)) else {
      throw CatalogError(
        .directory, "\(folder)/\(name) was removed by another process while it was created")
    }
    return (made, try makeRoom(budget))
  }

  private func requireWritable() throws {
    guard !CatalogDirectory.hasSegments(folder) else {
      throw CatalogError(
        .directory,
        "the folder of snapshots, \(folder), leads to the folder of an event log, which contains nothing else; "
          + "remove the link")
    }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST, access(folder, W_OK | X_OK) == 0 else {
      throw CatalogError(
        .directory,
        "cannot write to the folder of snapshots, \(folder): \(SystemError.current)")
    }
  }

  /// Removes snapshots until the others are within the budget: first those that cannot be used, then the
  /// one whose neighbours are nearest to each other. The latest stays.
  private func makeRoom(_ budget: UInt64) throws -> [Snapshot] {
    var kept = try list().filter { $0.storedBytes > 0 }
    var removed: [Snapshot] = []
    while kept.reduce(0, { $0 + $1.storedBytes }) > budget, kept.count > 1 {
      let snapshot = kept.remove(
        at: kept.firstIndex { $0.problem != nil } ?? Self.mostCrowded(kept))
      try remove(snapshot)
      removed.append(snapshot)
    }
    return removed
  }

  private static func mostCrowded(_ snapshots: [Snapshot]) -> Int {
    let sequences = [0] + snapshots.map { $0.header?.sequence ?? 0 }
    let gaps = zip(sequences, sequences.dropFirst(2)).map { $1 - $0 }
    return gaps.indices.min { gaps[$0] < gaps[$1] } ?? 0
  }

  package func remove(_ snapshot: Snapshot) throws {
    guard unlink(snapshot.path) == 0 || errno == ENOENT else {
      throw CatalogError(
        .directory, "cannot remove \(snapshot.path): \(SystemError.current)")
    }
  }

  /// Whether a name is that of a file whose process is dead; version 0.1.0 did not put its number there.
  static func isLeft(_ name: String) -> Bool {
    UnfinishedFiles.isLeft(name) || name.hasSuffix(".unfinished")
  }

  /// Removes from a folder of snapshots what dead processes left.
  static func sweep(_ folder: String) {
    // If it cannot be listed, nothing can be made in it either, which is an error of its own.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where isLeft(name) {
      unlink("\(folder)/\(name)")
    }
  }
}
