import CatalogModel
import CatalogStore
package import EventLog

/// Compares a log with what the database of the same catalog has applied of it.
///
/// The log alone cannot show that its last batches are gone: what is left is whole. Reads only.
package enum LostEvents {
  /// The end of a catalog's log.
  package struct End: Sendable {
    package let logID: LogID
    package let head: LogHead
    /// What the log lacks; nil if it lacks nothing, or the database cannot tell.
    package let lost: EventLogError?
  }

  /// What the log lacks; nil if it lacks nothing, is damaged, or the database cannot tell.
  ///
  /// - Parameter log: of the catalog, if the caller has it; a server is not asked for its end again then.
  package static func find(
    in directory: CatalogDirectory, _ log: (any LogStore)? = nil
  ) throws -> EventLogError? {
    do {
      guard HeadEvidence.peek(directory.database) != nil else {
        return DatabaseFile.isTaken(directory.database)
          ? nil : try lostSinceHistory(of: directory, log ?? directory.store())
      }
      if let end = try end(of: log ?? directory.store(), in: directory) {
        return end.lost
      }
      let known = DatabaseFile.leavingNothing(beside: directory.database) {
        HeadEvidence.peek(directory.database, isSettled: true)
      }
      return known?.sequence.map { withoutLog($0, directory) }
    } catch let error as EventLogError where error.isDamage {
      return nil
    }
  }

  /// The loss of events that the history of a catalog has. Without a database, which a user may delete, it is the last witness; beside
  /// one it may be of a branch that was left.
  private static func lostSinceHistory(
    of directory: CatalogDirectory, _ log: any LogStore
  ) throws -> EventLogError? {
    guard let mark = HistoryMark.peek(directory.history), try log.logID() == mark.logID else {
      return nil
    }
    return try log.refusal(of: mark.head)
  }

  /// The loss of a whole log, of which a database has applied so many events.
  static func withoutLog(_ applied: UInt64, _ directory: CatalogDirectory) -> EventLogError {
    // A server may be another one than it was, and answer truly.
    if let address = try? directory.logAddress() {
      return EventLogError(
        .lostEvents,
        "the database has applied event \(applied), but \(address) has no log of this name\(neighbours(of: address)); check the "
          + "address in \(directory.path)/log.url, or restore the log from a copy. Nothing was changed"
      )
    }
    return EventLogError(
      .lostEvents,
      "the database has applied event \(applied), but there is no event log in \(directory.events); restore it "
        + "from a copy, or remove catalog.sqlite and import again")
  }

  /// The end of a sentence that names the other logs of a server, which need not be known.
  private static func neighbours(of address: SharedLogAddress) -> String {
    ((try? address.neighbours()) ?? nil).map { "; \($0)" } ?? ""
  }

  /// The loss of a whole log, in whose place another one is.
  ///
  /// - Parameters:
  ///   - id: of the log that is there.
  ///   - checkpoint: of the database.
  static func anotherLog(_ id: LogID, of checkpoint: Checkpoint, _ place: String) -> EventLogError {
    EventLogError(
      .lostEvents,
      "\(place) has log \(id), and the database has applied event \(checkpoint.sequence) of log \(checkpoint.logID): another log is "
        + "in its place, and it lost all events; restore it from a copy. Nothing was changed",
      file: place, sequence: checkpoint.sequence)
  }

  /// Says what to do if nothing was lost.
  package static let replaced: ErrorMessage =
    "if the log was replaced by an older or another one (a checkout of git, a copy), \(do: .rebuildDiscarding) rebuilds the database from it, without what the log lacks\(do: .keepOld)"

  /// Advice about an error, besides its own, if it is the loss of events of a log; nil if it is another one.
  package static func advice(on error: any Error) -> ErrorMessage? {
    guard let error = error as? EventLogError, error.code == .lostEvents else { return nil }
    // Without a sequence there is no log: there is nothing to rebuild from.
    return error.sequence == nil ? nil : replaced
  }

  /// Says how far the rows go that are shown, since the server of the log cannot be read. The error says why.
  package static func silence(_ error: EventLogError, after sequence: UInt64) -> String {
    "as of event \(sequence); \(error.message)"
  }

  /// The error of a change that found no server: nothing was appended, and what reads needs none.
  static func unwritten(_ silence: EventLogError) -> EventLogError {
    silence.adding(
      "; nothing was appended, and commands that read show the rows of this folder meanwhile")
  }

  /// Where the log of a catalog ends, and whether the database has applied more than that; nil without a log.
  ///
  /// - Throws: damage.
  package static func end(
    of reader: any LogStore, in directory: CatalogDirectory
  ) throws -> End? {
    // The database comes first: what it has applied then, the log held before.
    let known = checkpoint(in: directory)
    guard let (id, head) = try reader.end(applied: { known?.head }) else { return nil }
    guard let known, known.head != head || known.logID != id else {
      return End(logID: id, head: head, lost: nil)
    }
    // Looks again, with the database's locks and at every batch on the way. A checkpoint that was changed by hand
    // says nothing about the log.
    guard case .ahead(_, let lost) = try ProjectionStanding(directory, in: reader) else {
      return End(logID: id, head: head, lost: nil)
    }
    return End(logID: id, head: head, lost: lost)
  }

  /// How far the database of a catalog has come, as it says without being opened; nil if it cannot tell.
  package static func checkpoint(in directory: CatalogDirectory) -> Checkpoint? {
    guard case .checkpoint(let known) = HeadEvidence.peek(directory.database)?.claim else {
      return nil
    }
    return known
  }
}
