package import CatalogStore
package import EventLog
import Foundation
public import Logging

/// How to open a catalog, of whatever kind.
public struct OpeningOptions: Sendable {
  public enum Stale: Sendable {
    /// Rebuild it from the log, which may take seconds, and log a notice.
    case rebuild
    /// Refuse with `CatalogError.Code.stale`: for a program beside one of another version that has the catalog open.
    case refuse
  }

  public enum Drift: Sendable {
    /// Rebuild it from the log and continue: for apps that have nobody to ask.
    case rebuild
    /// Refuse with `StoreError.Code.drifted` and append nothing: what was changed by hand is kept for somebody
    /// to look at.
    case refuse
  }

  /// What to do about a projection that another version of the projector made.
  public var stale: Stale
  /// What to do where the checkpoint, or rows that a change would be planned on, are not what the projector wrote.
  public var drift = Drift.refuse
  /// How long to wait for another writer: for the lock of the log, which nil does not wait for, and for a transaction of another
  /// program in the database, for which nil waits ten seconds.
  public var wait: Duration?
  /// Tells the time of events.
  public var clock: CatalogClock
  public var logger: Logger
  public var progress: ProgressObserver
  /// Whether the first question about the past makes a history beside the database, which makes it and all later ones quick
  /// and needs about as much space as the database. If false, each such question replays the log.
  public var keepsHistory = true
  /// Whether to refuse a catalog whose log is on a server that cannot be reached. If not, the rows that the database has are read,
  /// and a warning says up to which event.
  public var needsServer = false
  /// Whether the catalog is opened to be changed: then it needs its server, and room on the disk. For what reads, the log is
  /// replayed into a temporary database if the disk is full.
  package var isForChange = false
  /// Whether that is done; if not, opening throws `CatalogError` with `readOnly`, or `StoreError` with `volume`.
  package var replaysIntoTemporary = true
  /// Whether a warning says that the rows are those of the database alone; if not, the caller says it.
  package var tellsSilence = true
  /// How many reads at once to expect: commands ask one thing behind another.
  package var readers = ProjectionReaders.several
  /// Records what is appended, for a process that is asked to end meanwhile.
  package var appends: AppendRecord?
  /// Makes the id of a new log. Tests and recorded logs fix it.
  package var newLogID: @Sendable () -> LogID

  public init(
    stale: Stale = .rebuild, wait: Duration? = nil, clock: CatalogClock = .system,
    logger: Logger = Logger(label: "catalog"), progress: @escaping ProgressObserver = { _ in }
  ) {
    self.stale = stale
    self.wait = wait
    self.clock = clock
    self.logger = logger
    self.progress = progress
    newLogID = {
      LogID(bytes: withUnsafeBytes(of: UUID().uuid) { Array($0) })
    }
  }
}
