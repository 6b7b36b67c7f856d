package import CatalogEngine
import CatalogModel
import CatalogStore
import Projections

extension Divergence {
  /// The finding in a sentence; A is the first catalog, B the other.
  package var words: String {
    let (one, other) = (self.one.checkpoint.sequence, self.other.checkpoint.sequence)
    let how =
      isSameLog
      ? "" : "two logs, compared by the values of their rows: "
    let times = timesDifferFrom.map { "; times alone differ from event \($0) on" } ?? ""
    switch verdict {
    case .same:
      let rest =
        one == other
        ? "" : "; \(one > other ? "A" : "B") continues to event \(max(one, other))"
      let extent =
        min(one, other) > sameThrough
        ? "the last one at which a batch of both ends" : "as far as both go"
      return how + "the same up to event \(sameThrough), \(extent)\(rest)\(times)"
    case .log:
      return "the logs part after event \(sameThrough)"
    case .rows:
      let why =
        isSameProjector
        ? "the same projector made both, so it depends on more than the log, or its version did not grow with a change"
        : "two versions of the program made them"
      let agreement =
        commonEvents.map { common in
          common < min(one, other)
            ? "the logs agree up to event \(common)" : "the logs agree as far as both go"
        }.map { $0 + "; " } ?? ""
      let reason = isSameLog ? ": \(why)" : ""
      return how + agreement + "the rows differ from event \(sameThrough + 1) on"
        + (row.map { " in \($0.table.name)" } ?? "") + reason + times
    }
  }
}
