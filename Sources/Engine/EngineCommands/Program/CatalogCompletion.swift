package import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import Foundation
package import Projections

/// The ids and names that a shell offers, from the database of the catalog that the line is about.
///
/// If there is none, or it cannot be read, nothing is offered: a person who types is not disturbed.
package enum CatalogCompletion {
  /// The values of the first column of what a statement answers.
  package static func column(_ sql: String) -> CompletionKind {
    .custom { words, _, _ in await values(sql, words) }
  }

  /// The tables of the catalog; those of all kinds of the program if there is none.
  package static var tables: CompletionKind {
    .custom { words, _, _ in
      let found = await values("SELECT name FROM (\(tableList)) ORDER BY name", words)
      guard found.isEmpty else { return found }
      let own = kind(words)?.schema.tables.map(\.name).filter { !$0.hasPrefix("projection_") }
      return own ?? KnownKinds.current.tableNames
    }
  }

  /// The columns of the tables that the line names, or of all tables. Columns and commas before the last one are kept.
  package static var columns: CompletionKind {
    .custom { words, place, _ in
      let names = words.map { StoredValue.text($0).description }.joined(separator: ", ")
      let found = await texts(
        """
        WITH listed AS (\(tableList)), named AS (SELECT name FROM listed WHERE name IN (\(names)))
        SELECT DISTINCT info.name FROM listed JOIN pragma_table_info(listed.name) AS info
        WHERE listed.name IN named OR NOT EXISTS (SELECT 1 FROM named) ORDER BY info.cid
        """, words)
      let word = words.indices.contains(place) ? words[place] : ""
      let kept = word.lastIndex(of: ",").map { word[...$0] } ?? ""
      return found.map { escaped(kept + $0, for: CompletionShell.requesting) }
    }
  }

  /// Keys of the first table that the line names, if one column is the key: its first thousand rows.
  package static var keys: CompletionKind {
    .custom { words, _, _ in
      guard let tables = kind(words)?.schema.tables,
        let table = words.lazy.compactMap({ word in tables.first { $0.name == word } }).first,
        table.key.count == 1
      else { return [] }
      let key = table.columns[table.key[0]].sqlName
      return await values(
        "SELECT CAST(\(key) AS TEXT) FROM \(table.sqlName) ORDER BY 1 LIMIT 1000", words)
    }
  }

  /// Filters of rows: the columns of the tables that the line names, each with the sign after it.
  package static var filters: CompletionKind {
    .custom { words, place, _ in
      let names = words.map { StoredValue.text($0).description }.joined(separator: ", ")
      let found = await texts(
        """
        WITH listed AS (\(tableList))
        SELECT DISTINCT info.name FROM listed JOIN pragma_table_info(listed.name) AS info
        WHERE listed.name IN (\(names)) ORDER BY info.cid
        """, words)
      return offered(found.map { $0 + "=" })
    }
  }

  /// The types of events that the catalog's kind has; those of all kinds of the program if there is no catalog.
  package static var eventTypes: CompletionKind {
    .custom { words, _, _ in
      let types = kind(words).map { KnownKinds.eventTypes(of: $0) } ?? KnownKinds.current.eventTypes
      return offered(types)
    }
  }

  /// Offers what a function finds in the kind of the catalog on the line; nothing if there is no catalog.
  package static func ofKind(
    _ find: @escaping @Sendable (any CatalogKind, _ words: [String]) -> [String]
  ) -> CompletionKind {
    .custom { words, _, _ in offered(kind(words).map { find($0, words) } ?? []) }
  }

  private static func offered(_ texts: [String]) -> [String] {
    texts.map { escaped($0, for: CompletionShell.requesting) }
  }

  private static func kind(_ words: [String]) -> (any CatalogKind)? {
    guard let directory = directory(words), let log = try? directory.existingLog() else {
      return nil
    }
    return try? KnownKinds.current.knownKind(of: log, besides: directory.database)
  }

  /// Tables with rows of the catalog's own: no parts of an index for full-text search, and none of the program's.
  private static let tableList = """
    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'projection\\_%' ESCAPE '\\'
    AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'
    """

  /// - Parameter words: of the line.
  package static func values(_ sql: String, _ words: [String]) async -> [String] {
    await texts(sql, words).map { escaped($0, for: CompletionShell.requesting) }
  }

  private static func texts(_ sql: String, _ words: [String]) async -> [String] {
    guard let path = directory(words).map({ $0.path + "/catalog.sqlite" }) else { return [] }
    do {
      let answer = try await PastDatabase(file: path).query(sql, timeout: .seconds(2))
      return answer.rows.compactMap { row in
        guard case .text(let text) = row.first else { return nil }
        return text
      }
    } catch {
      return []
    }
  }

  /// The folder that the line names; bash takes a word apart at `=`.
  private static func directory(_ words: [String]) -> CatalogDirectory? {
    var words = words[...]
    while let word = words.popFirst() {
      var folder: String?
      if word.hasPrefix("--catalog=") {
        folder = String(word.dropFirst("--catalog=".count))
      } else if word == "--catalog" {
        if words.first == "=" { words.removeFirst() }
        folder = words.first
      }
      if let folder, !folder.isEmpty {
        return CatalogDirectory(NSString(string: folder).expandingTildeInPath)
      }
    }
    return .standard(for: ProgramName.current) { ProcessInfo.processInfo.environment[$0] }
  }

  /// bash expands what it is offered, and zsh takes the text after a colon for a description: a name
  /// such as `$(rm -r ~)` in a seed must stay a name.
  static func escaped(_ text: String, for shell: CompletionShell?) -> String {
    switch shell {
    case .bash: "'\(text.replacing(scalar: "'", with: #"'\''"#))'"
    case .zsh: text.replacing(scalar: "\\", with: "\\\\").replacing(scalar: ":", with: "\\:")
    default: text
    }
  }
}
