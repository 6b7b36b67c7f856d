package import CatalogStore
package import EventLog
import Logging
package import Projections
import Support

// Proved rows for callers that write nothing.
extension OpenedCatalog {
  /// Reads proved rows at the log's head. If the database is not at the head, the log is
  /// replayed in memory: catching up and rebuilding would write.
  ///
  /// - Throws: what `body` throws; `StoreError` with `drifted` if a row that `body` asks for was changed by hand and the
  ///   catalog was opened to refuse that.
  package func readProvedAtHead<Result>(
    loading tables: [TableDescription], _ body: (ProvedRows, LogHead) throws -> Result
  ) throws -> Result {
    try requirePresent()
    let head = try requireHead()
    let isCurrent = try projection.checkpoint().map {
      $0.head == head && $0.fingerprint == kind.fingerprint
    }
    return try Self.readProved(
      isCurrent == true ? projection : nil, at: head, of: log, options, loading: tables, body)
  }

  /// Reads proved rows of a database, or of a replay in memory if there is none, or if rows were changed by hand and the
  /// options let them be rebuilt.
  ///
  /// - Parameter head: that the database is at.
  private static func readProved<Result>(
    _ database: (any ProvedRowsSource)?, at head: LogHead, of log: CatalogLog,
    _ options: OpeningOptions, loading tables: [TableDescription],
    _ body: (ProvedRows, LogHead) throws -> Result
  ) throws -> Result {
    if let database {
      do {
        return try database.readProved(loading: tables) { try body($0, head) }
      } catch let error as StoreError where error.code == .drifted && options.drift == .rebuild {
        options.logger.warning("the log is replayed in memory: \(error)")
      }
    }
    let folded = try ProjectionRebuild(log, progress: options.progress).fold()
    return try body(.replayed(folded.rows), folded.checkpoint.head)
  }

  /// Reads proved rows at the head of a catalog that is not opened. No file in its folder is created or changed.
  ///
  /// - Returns: the result of `body`, and the head; nil if the log does not exist or has no event, and the rows are none.
  package static func readProvedAtHead<Result>(
    of directory: CatalogDirectory, _ kind: any CatalogKind, options: OpeningOptions,
    loading tables: [TableDescription] = [], _ body: (ProvedRows) throws -> Result
  ) throws -> (result: Result, head: LogHead?) {
    try directory.requireFolderOrNothing()
    let log = CatalogLog(try directory.store().atEnd(), kind)
    guard let head = try log.head() else { return (try body(.none(kind.schema)), nil) }
    try CatalogBeginning.require(kind, log.reader)
    func read(_ database: (any ProvedRowsSource)?) throws -> (result: Result, head: LogHead?) {
      try readProved(database, at: head, of: log, options, loading: tables) {
        (result: try body($0), head: $1)
      }
    }
    // Read as a file that does not change, if it has no write-ahead log: nothing is left beside it.
    let standing =
      try HeadEvidence.peek(directory.database).map {
        try ProjectionStanding($0, in: log.reader, for: kind.fingerprint)
      } ?? .untouched
    switch standing {
    case .untouched where !DatabaseFile.isTaken(directory.database): return try read(nil)
    case .stale: return try read(nil)
    case .within(let checkpoint) where checkpoint.sequence < head.sequence: return try read(nil)
    case .within: break
    case .untouched, .unmarked, .withoutLog, .edited, .ahead:
      // Opening it says what is wrong with it.
      var refusing = options
      (refusing.stale, refusing.drift, refusing.readers) = (.refuse, .refuse, .one)
      try open(directory, kind, options: refusing).close()
    }
    let view = try ProjectionView(
      path: directory.database, migrations: kind.migrations, .settled)
    defer { try? view.close() }
    return try read(view)
  }
}
