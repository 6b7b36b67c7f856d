import CatalogStore
import GRDB
import Synchronization

/// The index that the reads of one process share.
///
/// Made when first asked for, and carried on by what the journal says has changed since. Every use is
/// bound to the checkpoint of the snapshot that the caller reads.
///
/// One read at a time makes or carries on. The others are told so and let go of their connections while
/// they wait (`waitForMaking`): a pool has five of them, and who wants no index is not to wait for one.
final class IndexCache: Sendable {
  /// What a read gets.
  enum Access {
    /// The index at the state that the snapshot shows; nil if SQL is to answer.
    case answer(SoundIndex?)
    /// Another read is making it.
    case isBeingMade
  }

  fileprivate struct State {
    var index: SoundIndex?
    /// Whether the catalog was below the threshold when it was asked for last.
    var isSmall = false
    var isBeingMade = false
    /// How often everything was forgotten.
    var clearings = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiting = 0
  }

  /// From how many items on there is an index: fewer are as quickly found by SQL.
  private let threshold: Int
  private let state = Mutex(State())

  init(threshold: Int) {
    self.threshold = threshold
  }

  /// The index at the state that a snapshot shows.
  ///
  /// - Parameter parts: what the index must have beside tags.
  func access(of database: Database, with parts: SoundIndex.Parts) throws -> Access {
    guard threshold < .max, let mark = try IndexMark.read(database) else { return .answer(nil) }
    let start = state.withLock { $0.start(mark, parts) }
    switch start {
    case .known(let access): return access
    case .make(let known, let clearings):
      var made: SoundIndex?
      var isSmall: Bool?
      defer { end(made, isSmall: isSmall, clearings: clearings) }
      if let known, known.mark == mark {
        made = known
      } else {
        let isBelow = try self.isSmall(database)
        isSmall = isBelow
        if isBelow { return .answer(nil) }
        made = try Self.index(at: mark, after: known, database)
      }
      try made?.make(parts, database)
      return .answer(made)
    }
  }

  /// Returns when no read makes the index; at once where its task is cancelled.
  func waitForMaking() async {
    let number = state.withLock { state in
      state.nextWaiting += 1
      return state.nextWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isToWait = state.withLock { state in
          guard state.isBeingMade, !Task.isCancelled else { return false }
          state.waiting[number] = continuation
          return true
        }
        if !isToWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  /// How many reads wait until another one has made the index.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Whether a question would have to make parts that take their time.
  func lacks(_ parts: SoundIndex.Parts) -> Bool {
    guard threshold < .max, parts.isMade else { return false }
    return state.withLock { !$0.isSmall && !($0.index?.has(parts) ?? false) }
  }

  private func end(_ made: SoundIndex?, isSmall: Bool?, clearings: Int) {
    let waiting = state.withLock { state in
      state.isBeingMade = false
      if state.clearings == clearings {
        if let isSmall { state.isSmall = isSmall }
        if let made { state.index = made } else if isSmall == true { state.index = nil }
      }
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  private static func index(
    at mark: IndexMark, after known: SoundIndex?, _ database: Database
  ) throws -> SoundIndex {
    if let known, mark.follows(known.mark),
      let changes = try ChangeJournal.read(
        from: known.mark.checkpoint, to: mark.checkpoint, database)
    {
      return try known.advanced(to: mark, changes, database)
    }
    return try SoundIndex(mark, database)
  }

  private func isSmall(_ database: Database) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT max(number) FROM projection_item")
    let greatest = try statement.firstRow(of: StoredRow.Origin("projection_item")) { row in
      try row.isNull(0) ? 0 : row.integer(0)
    }
    return greatest ?? 0 < threshold
  }

  /// Forgets everything.
  func clear() {
    state.withLock { state in
      state.index = nil
      state.isSmall = false
      state.clearings += 1
    }
  }
}

extension IndexCache.State {
  fileprivate enum Start {
    case known(IndexCache.Access)
    /// From the index that is known, if any.
    case make(SoundIndex?, clearings: Int)
  }

  /// What to do for a snapshot; where the index is to be made, nobody else makes it from now on.
  fileprivate mutating func start(_ mark: IndexMark, _ parts: SoundIndex.Parts) -> Start {
    if let index, index.mark == mark {
      if index.has(parts) || !parts.isMade { return .known(.answer(index)) }
    } else if let index, index.mark.follows(mark) || index.mark.epoch > mark.epoch {
      // This snapshot is older than what others have seen already: there is no way back.
      return .known(.answer(nil))
    } else if !parts.isMade {
      return .known(.answer(nil))
    }
    if isBeingMade { return .known(.isBeingMade) }
    isBeingMade = true
    return .make(index, clearings: clearings)
  }
}
