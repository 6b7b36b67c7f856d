/// The names of tables and columns that descriptions of a log dropped.
///
/// Moments of the past are shown as the newest description says. Something new with such a name would have no values there, though
/// the log has values under the name.
struct DroppedNames {
  private(set) var tables: Set<String> = []
  /// Names of columns. The keys are the present names of their tables.
  private(set) var columns: [String: Set<String>] = [:]

  init() {}

  /// - Parameter moments: the descriptions of the log, oldest first.
  init(_ moments: [DescribedMoment]) {
    for moment in moments {
      for move in moment.moves {
        switch move {
        case .renameTable(let old, let new): columns[new] = columns.removeValue(forKey: old)
        case .dropTable(let name):
          tables.insert(name)
          columns[name] = nil
        case .dropColumn(let table, let name): columns[table, default: []].insert(name)
        case .renameColumn: break
        }
      }
    }
  }
}
