import ArgumentParser
import EngineCommands
import SoundLibrary

/// What a shell offers for the ids of items and packs, and for the names of tags.
enum LibraryCompletion {
  static let items = CatalogCompletion.column(
    "SELECT id FROM library_item WHERE is_visible = 1 ORDER BY title")
  static let packs = CatalogCompletion.column("SELECT id FROM pack ORDER BY title")

  static let locations = tags("locations")
  static let moods = tags("moods")
  static let themes = tags("themes")
  static let creatureTypes = tags("creatureTypes")

  /// The names of the dimensions that documents call so: `themes` has three.
  private static func tags(_ tagKey: String) -> CompletionKind {
    CatalogCompletion.column(names(TagDimension.all.filter { $0.tagKey == tagKey }))
  }

  /// The names of the dimension that the line names, or of all.
  static let tagsOfNamedDimension = CompletionKind.custom { words, _, _ in
    let named = words.compactMap { TagDimension.named($0) }
    return await CatalogCompletion.values(names(named.isEmpty ? TagDimension.all : named), words)
  }

  private static func names(_ dimensions: [TagDimension]) -> String {
    dimensions.map { "SELECT name FROM \($0.table)" }.joined(separator: " UNION ")
      + " ORDER BY name"
  }
}
