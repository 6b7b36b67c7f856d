/// What brings a catalog out of the state that an error tells of.
///
/// A library has no commands. Each program says in its own words what somebody does about it (`RecoveryWords`), and
/// an application that embeds the engine switches over the cases:
///
/// ```swift
/// catch let error as StoreError where error.recoveries.contains(.rebuild) {
///   try await catalog.rebuild()
/// }
/// ```
public enum Recovery: Hashable, Sendable {
  /// Begin a catalog.
  case begin
  /// Rebuild the database from the log.
  case rebuild
  /// The same, and keep the database that is there as a file of its own, for study.
  case rebuildKeepingOld
  /// Rebuild the database from a log that was replaced by an older or another one, without the events that the database alone has seen.
  case rebuildDiscarding
  /// Keep a copy of the database that is there, besides.
  case keepOld
  /// Compare the database with replays of the log: it shows what differs.
  case verify
  /// Compare the log's bytes with its checksums and its chain.
  case check
  /// Look at the log, the database and what is beside them: it says more.
  case examine
  /// Seal the log's closed segments.
  case seal
  /// Write what is good of a damaged log to a new catalog.
  case salvage
  /// The same, leaving out what lies between what is good.
  case salvagePastGaps
  /// Look at an event.
  case showEvent(UInt64)
  /// Compares the rows of the database with those of the log's last event, of which the log lacks some.
  case showLost(UInt64)
  /// List the log's operations.
  case listOperations
  /// Find the first batch at which two logs differ.
  case findFork
  /// List the events that contradict the rows before them, and change nothing.
  case listContradictions
  /// Wait longer for who holds the log.
  case wait
  /// Append to a server that may lose what it acknowledges.
  case acceptLoss
  /// Give a statement more time.
  case allowMoreTime
  /// Ask for the answer at every moment instead of halving.
  case askEveryMoment
  /// Say which folder is meant.
  case nameCatalog
  /// Read the log alone, wherever it is, without a database.
  case readLogAlone
  /// What the kind of catalog has for it.
  case ofKind(KindRecovery)
}

/// A recovery that only one kind of catalog knows, such as the merging of two of its names.
public struct KindRecovery: Hashable, Sendable {
  /// What is done, in the words that the kind's command has for it: `tag merge`.
  public let action: String
  /// To what: names and ids, as they are stored.
  public let subjects: [String]

  public init(_ action: String, _ subjects: [String] = []) {
    self.action = action
    self.subjects = subjects
  }
}
