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

  /// Sentences about the names that a new description uses again.
  func newlyUsed(in new: KindDescription, after old: KindDescription) -> [String] {
    new.tables.flatMap { table -> [String] in
      let former = old.table(table.name)
      if former == nil, tables.contains(table.name) { return [Self.sentence(table.name)] }
      return table.columns.map(\.name)
        .filter { former?.column($0) == nil && columns[table.name]?.contains($0) ?? false }
        .map { Self.sentence("\(table.name).\($0)") }
    }
  }

  private static func sentence(_ name: String) -> String {
    "\(name) was dropped before, and the log has other values under that name; name the new one otherwise"
  }
}
