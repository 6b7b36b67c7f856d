/// Tables in which virtual tables keep their rows.
///
/// SQLite calls a table a shadow because of its name: after `CREATE VIRTUAL TABLE docs USING fts4(body)`, a program's own table
/// `docs_stat` is one as well. Only the columns tell which are the module's.
enum ShadowTable {
  /// The virtual table that a table belongs to, which SQLite calls a shadow; nil if it is a program's own.
  static func owner(of table: DatabaseSchema.Table, among virtualNames: [String]) -> String? {
    let owners = virtualNames.filter { owner in
      table.name.utf8.count > owner.utf8.count + 1
        && DatabaseSchema.isSame(String(table.name.prefix(owner.count + 1)), owner + "_")
    }
    // `docs` and `docs_old` can both be virtual.
    guard let owner = owners.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
    let part = table.name.dropFirst(owner.count + 1).lowercased()
    let names = table.columns.map(\.name)
    return isMade(part, names) ? owner : nil
  }

  /// Whether a module makes a part with such columns: FTS5, FTS3 and FTS4, the R*Tree.
  private static func isMade(_ part: String, _ columns: [String]) -> Bool {
    switch part {
    case "data": columns == ["id", "block"]
    case "idx": columns == ["segid", "term", "pgno"]
    case "config": columns == ["k", "v"]
    case "segments": columns == ["blockid", "block"]
    case "segdir":
      columns == ["level", "idx", "start_block", "leaves_end_block", "end_block", "root"]
    case "stat": columns == ["id", "value"]
    case "docsize":
      [["id", "sz"], ["id", "sz", "origin"], ["docid", "size"]].contains(columns)
    case "content": isContent(columns)
    case "node": columns == ["nodeno", "data"]
    case "parent": columns == ["nodeno", "parentnode"]
    case "rowid": columns.starts(with: ["rowid", "nodeno"])
    // A part of a module that is not known here.
    default: true
    }
  }

  /// `id, c0, c1`, or `docid, c0title, c1body`, and languages after them.
  private static func isContent(_ columns: [String]) -> Bool {
    ["id", "docid"].contains(columns.first)
      && columns.dropFirst().enumerated().allSatisfy { place, name in
        name.hasPrefix("c\(place)") || name == "langid" || name.first == "l"
      }
  }
}
