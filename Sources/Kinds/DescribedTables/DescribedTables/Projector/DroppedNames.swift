/// The names of tables and columns that descriptions of a log dropped, or gave up for other names.
///
/// Moments of the past are shown as the newest description says. Something new with such a name would have no values there, though
/// the log has values under the name.
struct DroppedNames {
  /// The tables that gave up the names. The values are their present names; nil if they were dropped.
  private(set) var tables: [String: String?] = [:]
  /// The columns that gave up names, likewise. The keys are the present names of their tables.
  private(set) var columns: [String: [String: String?]] = [:]
  /// Names of tables, and of columns (`users.mail`), that the last description gave up, and gave to nothing that it renamed.
  private var vacated: Set<String> = []

  init() {}

  /// - Parameter moments: the descriptions of the log, oldest first.
  init(_ moments: [DescribedMoment]) {
    for moment in moments { follow(moment.moves) }
  }

  /// The moves of a description are made at the same time: two tables can exchange their names.
  private mutating func follow(_ moves: [Move]) {
    var renamed: (tables: [String: String], columns: [String: [String: String]]) = ([:], [:])
    var dropped: (tables: Set<String>, columns: [String: Set<String>]) = ([], [:])
    for move in moves {
      switch move {
      case .renameTable(let old, let new): renamed.tables[old] = new
      case .renameColumn(let table, let old, let new):
        renamed.columns[table, default: [:]][old] = new
      case .dropTable(let name): dropped.tables.insert(name)
      case .dropColumn(let table, let name): dropped.columns[table, default: []].insert(name)
      }
    }
    Self.follow(renamed.tables, dropped.tables, in: &tables)
    var moved: [String: [String: String?]] = [:]
    for (table, names) in columns where !dropped.tables.contains(table) {
      moved[renamed.tables[table] ?? table] = names
    }
    columns = moved
    for table in Set(renamed.columns.keys).union(dropped.columns.keys) {
      Self.follow(
        renamed.columns[table] ?? [:], dropped.columns[table] ?? [],
        in: &columns[table, default: [:]])
    }
    vacated = Self.vacated(renamed.tables, prefix: "")
    for (table, names) in renamed.columns {
      vacated.formUnion(Self.vacated(names, prefix: table + "."))
    }
  }

  private static func follow(
    _ renamed: [String: String], _ dropped: Set<String>, in names: inout [String: String?]
  ) {
    names = names.mapValues { owner in
      owner.flatMap { dropped.contains($0) ? nil : renamed[$0] ?? $0 }
    }
    for name in dropped { names[name] = .some(nil) }
    for (old, new) in renamed { names[old] = .some(new) }
    // What has its own former name again has its values under it at all times.
    for new in renamed.values where names[new] == .some(new) { names[new] = nil }
  }

  private static func vacated(_ renamed: [String: String], prefix: String) -> Set<String> {
    Set(renamed.keys.filter { !renamed.values.contains($0) }.map { prefix + $0 })
  }

  /// Whether a name is of something else than a table with a present name.
  func isTaken(_ name: String, for table: String) -> Bool {
    Self.isTaken(name, for: table, in: tables)
  }

  /// Whether a name is of something else than a column with a present name.
  func isTaken(_ name: String, for column: String, in table: String) -> Bool {
    Self.isTaken(name, for: column, in: columns[table] ?? [:])
  }

  private static func isTaken(
    _ name: String, for owner: String, in names: [String: String?]
  ) -> Bool {
    names.contains { $0.key.lowercased() == name.lowercased() && $0.value != owner }
  }

  /// Sentences about the names that a new description uses again. The last of the moments is that of the new description.
  func newlyUsed(in new: KindDescription, after old: KindDescription) -> [String] {
    new.tables.flatMap { table -> [String] in
      let former = old.table(table.name)
      let isVacated = vacated.contains(table.name)
      if former == nil || isVacated, let owner = Self.owner(of: table.name, in: tables) {
        return [Self.sentence(table.name, owner)]
      }
      return table.columns.map(\.name).compactMap { name in
        let place = "\(table.name).\(name)"
        guard former?.column(name) == nil || vacated.contains(place),
          let owner = Self.owner(of: name, in: columns[table.name] ?? [:])
        else { return nil }
        return Self.sentence(place, owner)
      }
    }
  }

  /// The present owner of a former name, which is nil if it was dropped; nil if nothing gave the name up.
  private static func owner(of name: String, in names: [String: String?]) -> String?? {
    names.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  private static func sentence(_ name: String, _ owner: String?) -> String {
    "\(name) was \(owner.map { "the name of \($0)" } ?? "dropped") before, and the log has other values under that name; name the new one otherwise"
  }
}
