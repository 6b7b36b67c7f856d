import CatalogModel
import CatalogStore
package import EventLog
import Foundation
import GRDB

/// Holds a log against what the database of the same catalog has applied of it.
///
/// The log alone cannot show that its last batches are gone: what is left is whole. Reads only.
package struct LostEvents {
  /// What the log lacks; nil where it lacks nothing, is damaged, or the database cannot tell.
  package static func find(in directory: CatalogDirectory) throws -> EventLogError? {
    guard let checkpoint = checkpoint(in: directory.database) else { return nil }
    let reader = EventLogReader(directory: directory.events)
    do {
      guard let id = try reader.logID() else {
        return .lostEvents(
          "the database has applied event \(checkpoint.sequence), but there is no event log in "
            + "\(directory.events); restore it from a copy, or remove catalog.sqlite to start anew")
      }
      guard EntityID(bytes: id.bytes).description == checkpoint.logID,
        let chain = ChainHash(hex: checkpoint.chain)
      else { return nil }
      _ = try reader.cursor(after: LogHead(sequence: checkpoint.sequence, chain: chain))
      return nil
    } catch let error as EventLogError where error.isDamage {
      return error.code == .lostEvents ? error : nil
    }
  }

  /// The head that the database of a catalog has applied; nil where it cannot tell. For who reads the end
  /// of a log: what was applied was whole.
  package static func appliedHead(in directory: CatalogDirectory) -> LogHead? {
    guard let found = Checkpoint.peek(directory.database), let chain = ChainHash(hex: found.chain)
    else { return nil }
    return LogHead(sequence: found.sequence, chain: chain)
  }

  /// Nil where there is no database, or a file that is none: that says nothing about the log.
  private static func checkpoint(in path: String) -> Checkpoint? {
    // To open a named pipe would wait for ever.
    guard DatabaseFile.isUsable(path) else { return nil }
    var configuration = Configuration()
    configuration.readonly = true
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let checkpoint = try queue.read(Checkpoint.read)
      try queue.close()
      return checkpoint
    } catch {
      return nil
    }
  }
}
