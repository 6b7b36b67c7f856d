package import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import Foundation

/// What a shell offers for an id or a name: read from the database of the catalog that the line is about.
///
/// If there is none, or it cannot be read, nothing is offered: a person who types is not disturbed.
package enum CatalogCompletion {
  /// The values of the first column of what a statement answers.
  package static func column(_ sql: String) -> CompletionKind {
    .custom { words, _, _ in await values(sql, words) }
  }

  /// - Parameter words: of the line.
  package static func values(_ sql: String, _ words: [String]) async -> [String] {
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
    return .standard(for: ProgramName.current) { ProcessInfo.processInfo.environment[$0] }
  }

  /// bash expands what it is offered, and zsh takes what stands behind a colon for a description: a name
  /// such as `$(rm -r ~)` in somebody's seed must stay a name.
  static func escaped(_ text: String, for shell: CompletionShell?) -> String {
    switch shell {
    case .bash: "'\(text.replacing(scalar: "'", with: #"'\''"#))'"
    case .zsh: text.replacing(scalar: "\\", with: "\\\\").replacing(scalar: ":", with: "\\:")
    default: text
    }
  }
}
