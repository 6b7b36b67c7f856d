import CatalogModel
import CatalogStore
package import EventLog
import Projections
import Support

extension CatalogHistory {
  /// The event with which it ends, if that is of its log and the log does not have it any more: the log was replaced by an earlier
  /// copy of it, or by a branch. Nil if the log has it, and if that cannot be found out.
  package func lostEvent() -> UInt64? {
    guard DatabaseFile.isTaken(path), let mark = try? mark(), (try? log.logID()) == mark.logID,
      (try? log.reader.refusal(of: mark.head)) != nil
    else { return nil }
    return mark.sequence
  }

  /// The end of its last batch that the log has as well; nil if none is, or that cannot be found out. The log and a database may have
  /// later ones in common, unless `lostEvent` is there.
  package func commonEnd() throws -> LogHead? {
    guard DatabaseFile.isTaken(path), let mark = try mark(), try log.logID() == mark.logID else {
      return nil
    }
    guard lostEvent() != nil else { return mark.head }
    guard let history = try database(through: 0) else { return nil }
    // By halving, since a log that has one batch has those before it.
    var known = try history.ends(through: .max)[...]
    var common: LogHead?
    while !known.isEmpty {
      let middle = known.startIndex + known.count / 2
      guard let end = try history.lastEnd(through: known[middle]) else { return nil }
      if try log.reader.refusal(of: end) == nil {
        common = end
        known = known[(middle + 1)...]
      } else {
        known = known[..<middle]
      }
    }
    return common
  }

  /// The batches that it has and the log does not have any more, oldest first: the last trace of who changed what.
  ///
  /// - Parameter most: how many are described, from the oldest on.
  /// - Returns: those, and how many there are in all.
  package func lostBatches(most: Int) throws -> (batches: [Divergence.Batch], count: Int) {
    guard lostEvent() != nil, let common = try commonEnd(), let history = try database(through: 0)
    else {
      return ([], 0)
    }
    let ends = try history.ends(through: .max).filter { $0 > common.sequence }
    let starts = [common.sequence] + ends
    let batches = try zip(starts, ends).prefix(most).map { start, end in
      try history.description(of: BatchRange(firstSequence: start + 1, lastSequence: end))
    }
    return (batches, ends.count)
  }

  /// Describes those batches in words, a line each: `event 12, 2026-10-17T10:00:00Z, import:nightly: products 4 changed`.
  ///
  /// - Returns: none if it has none, or cannot be read.
  package func wordsOfLost() -> [String] {
    let most = 8
    guard let (batches, count) = try? lostBatches(most: most) else { return [] }
    let tables = kind.schema.tables
    var lines = batches.map { batch in
      let range = batch.range
      let events =
        range.firstSequence == range.lastSequence
        ? "event \(range.firstSequence)" : "events \(range.firstSequence)..\(range.lastSequence)"
      let steps = batch.steps.filter { !tables[$0.table].isOwn }.map { step in
        let counts = [(step.added, "added"), (step.removed, "removed"), (step.changed, "changed")]
        return "\(tables[step.table].name) "
          + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      }
      let changes = steps.isEmpty ? "" : ": " + steps.joined(separator: "; ")
      return "\(events), \(batch.event.at), \(batch.event.by)\(changes)"
    }
    if count > most { lines.append("and \(CountWords.of(count - most, "later batch"))") }
    return lines
  }
}
