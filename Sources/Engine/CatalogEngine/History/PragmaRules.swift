import CatalogStore
import Support

/// Which PRAGMA a statement of a person may be.
///
/// SQLite carries most of them out while it compiles the statement, before anything could tell that it
/// writes, and some take away what the process needs: `hard_heap_limit=1` leaves it without memory. So
/// statements are looked at before SQLite sees them. SQLite's authorizer would be asked in time, but a
/// connection has one, and GRDB has it. (The functions of the same names, as in
/// `SELECT * FROM pragma_table_info('pack')`, only ask: SQLite has no others.)
enum PragmaRules {
  /// They answer, and take no value that changes anything.
  private static let asking: Set<String> = [
    "application_id", "auto_vacuum", "cache_size", "collation_list", "compile_options",
    "data_version", "database_list", "encoding", "foreign_keys", "freelist_count", "function_list",
    "journal_mode", "module_list", "page_count", "page_size", "pragma_list", "query_only",
    "schema_version", "table_list", "user_version",
  ]
  /// What stands behind them says what is asked about.
  private static let askingAbout: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo",
  ]

  /// - Throws: `CatalogError` with `sqlRefused` for a PRAGMA that does more than ask.
  static func check(_ sql: String) throws {
    var tokens = SQLTokens(sql)
    var isStart = true
    while let token = tokens.next() {
      if token == ";" {
        isStart = true
        continue
      }
      guard isStart else { continue }
      switch token.lowercased() {
      case "explain", "query", "plan": continue
      case "pragma": try checkPragma(&tokens)
      default: break
      }
      isStart = false
    }
  }

  private static func checkPragma(_ tokens: inout SQLTokens) throws {
    var name = tokens.next() ?? ""
    var following = tokens.next()
    if following == "." {
      name = tokens.next() ?? ""
      following = tokens.next()
    }
    let key = name.lowercased()
    let isAlone = following == nil || following == ";"
    guard askingAbout.contains(key) || isAlone && asking.contains(key) else {
      throw CatalogError(
        .sqlRefused,
        "PRAGMA \(name) does more than ask; history can only be read, with PRAGMA "
          + "\(asking.union(askingAbout).sorted().joined(separator: ", "))")
    }
    // A second statement is refused by whoever compiles this one, but not before it was compiled.
    if !isAlone {
      while let token = tokens.next(), token != ";" {}
    }
    try check(tokens.rest)
  }
}
