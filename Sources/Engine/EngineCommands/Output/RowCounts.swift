import CatalogEngine
import Projections

/// How many rows of a table came, went and have other values.
struct RowCounts {
  let added: Int
  let removed: Int
  let changed: Int
}

extension RowCounts {
  init(_ changes: [RowChange]) {
    added = changes.count { $0.before == nil }
    removed = changes.count { $0.after == nil }
    changed = changes.count - added - removed
  }

  init(_ step: TableStep) {
    self.init(added: step.added, removed: step.removed, changed: step.changed)
  }

  /// `1 added, 0 removed, 2 changed`.
  var words: String {
    "\(Count.grouped(added)) added, \(Count.grouped(removed)) removed, \(Count.grouped(changed)) changed"
  }

  var json: JSONObject { ["added": added, "removed": removed, "changed": changed] }
}
