import ArgumentParser
import Catalog
import CatalogModel
import CatalogStore
import Foundation

/// What a shell offers for an id or a name: read from the database of the catalog that the line is about.
///
/// Where there is none, or it cannot be read, nothing is offered: a person who types is not disturbed.
enum CatalogCompletion {
  static let items = column("SELECT id FROM library_item WHERE is_visible = 1 ORDER BY title")
  static let packs = column("SELECT id FROM pack ORDER BY title")

  static let locations = tags("locations")
  static let moods = tags("moods")
  static let themes = tags("themes")
  static let creatureTypes = tags("creatureTypes")

  /// The names of the dimensions that documents call so: `themes` has three.
  private static func tags(_ tagKey: String) -> CompletionKind {
    column(names(TagDimension.all.filter { $0.tagKey == tagKey }))
  }

  /// The names of the dimension that the line names, or of all.
  static let tagsOfNamedDimension = CompletionKind.custom { words, _, _ in
    let named = words.compactMap { TagDimension.named($0) }
    return await values(names(named.isEmpty ? TagDimension.all : named), words)
  }

  private static func column(_ sql: String) -> CompletionKind {
    .custom { words, _, _ in await values(sql, words) }
  }

  private static func names(_ dimensions: [TagDimension]) -> String {
    dimensions.map { "SELECT name FROM \($0.table)" }.joined(separator: " UNION ")
      + " ORDER BY name"
  }

  private static func values(_ sql: String, _ words: [String]) async -> [String] {
    guard let path = directory(words).map({ $0.path + "/catalog.sqlite" }) else { return [] }
    do {
      let answer = try await PastDatabase(file: path).query(sql, timeout: .seconds(2))
      return answer.rows.compactMap { row in
        guard case .text(let text) = row.first else { return nil }
        return escaped(text, for: CompletionShell.requesting)
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
    return .standard { ProcessInfo.processInfo.environment[$0] }
  }

  /// bash expands what it is offered, and zsh takes what stands behind a colon for a description: a name
  /// such as `$(rm -r ~)` in somebody's seed must stay a name.
  static func escaped(_ text: String, for shell: CompletionShell?) -> String {
    switch shell {
    case .bash: "'\(text.replacing("'", with: #"'\''"#))'"
    case .zsh: text.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    default: text
    }
  }
}
