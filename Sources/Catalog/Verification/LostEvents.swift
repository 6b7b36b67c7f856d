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
    /// What the log lacks; nil where it lacks nothing, or the database cannot tell.
    package let lost: EventLogError?
  }

  /// What the log lacks; nil where it lacks nothing, is damaged, or the database cannot tell.
  package static func find(in directory: CatalogDirectory) throws -> EventLogError? {
    // Who has no database knows of no loss, whatever there is in the place of the log.
    guard Checkpoint.peek(directory.database) != nil else { return nil }
    do {
      if let end = try end(of: EventLogReader(directory: directory.events), in: directory) {
        return end.lost
      }
      guard let known = Checkpoint.peek(directory.database, isSettled: true) else { return nil }
      return withoutLog(known.sequence, directory)
    } catch let error as EventLogError where error.isDamage {
      return nil
    }
  }

  /// The loss of a whole log, of which a database has applied so many events.
  static func withoutLog(_ applied: UInt64, _ directory: CatalogDirectory) -> EventLogError {
    .lostEvents(
      "the database has applied event \(applied), but there is no event log in \(directory.events); restore it "
        + "from a copy, or remove catalog.sqlite and import again")
  }

  /// Where the log of a catalog ends, and whether the database has applied more than that; nil without a log.
  ///
  /// - Throws: damage.
  package static func end(
    of reader: EventLogReader, in directory: CatalogDirectory
  ) throws -> End? {
    // The database comes first: what it has applied then, the log held before.
    let known = applied(in: directory)
    guard let (id, head) = try reader.end(applied: { known?.head }) else { return nil }
    guard let known, known.head != head, isOf(known, id) else {
      return End(logID: id, head: head, lost: nil)
    }
    return try End(logID: id, head: head, lost: find(in: directory, reader))
  }

  /// The head that the database of a catalog has applied; nil where it cannot tell.
  package static func applied(
    in directory: CatalogDirectory, isSettled: Bool = false
  ) -> (logID: String, head: LogHead)? {
    guard let known = Checkpoint.peek(directory.database, isSettled: isSettled),
      let chain = ChainHash(hex: known.chain)
    else { return nil }
    return (known.logID, LogHead(sequence: known.sequence, chain: chain))
  }

  /// Looks again, with the database's locks and at every batch on the way. A checkpoint that was changed by hand
  /// says nothing about the log.
  private static func find(
    in directory: CatalogDirectory, _ reader: EventLogReader
  ) throws -> EventLogError? {
    guard let known = Checkpoint.peek(directory.database, isSettled: true) else { return nil }
    let checkpoint = Checkpoint(
      logID: known.logID, sequence: known.sequence, chain: known.chain, fingerprint: "")
    guard case .lost(let head) = try KnownHead((checkpoint, known.digests), in: reader) else {
      return nil
    }
    do {
      _ = try reader.cursor(after: head)
      return nil
    } catch let error as EventLogError where error.code == .lostEvents {
      return error
    }
  }

  private static func isOf(_ known: (logID: String, head: LogHead), _ id: LogID) -> Bool {
    EntityID(bytes: id.bytes).description == known.logID
  }
}
