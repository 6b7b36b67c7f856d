import ArgumentParser
import DescribedTables
import EngineCommands
import Projections

/// The names of the catalog's description that a shell offers.
enum DescriptionCompletion {
  /// The events of the kind's own.
  static var events: CompletionKind {
    CatalogCompletion.ofKind { kind, _ in description(kind)?.events.map(\.name) ?? [] }
  }

  /// The members of the event that the line names, each with the sign after it, but for those that the line has.
  static var members: CompletionKind {
    CatalogCompletion.ofKind { kind, words in
      let event = description(kind)?.events.first { words.contains($0.name) }
      let members = event?.members.map(\.name) ?? []
      return members.filter { name in
        // bash takes a word apart at `=`.
        !zip(words, words.dropFirst()).contains { $0 == name && $1 == "=" }
          && !words.contains { $0.hasPrefix(name + "=") && $0.utf8.count > name.utf8.count + 1 }
      }.map { $0 + "=" }
    }
  }

  /// Tables, and columns after the names of their tables: `products.color`.
  static var droppable: CompletionKind {
    CatalogCompletion.ofKind { kind, _ in
      description(kind)?.tables.flatMap { table in
        [table.name]
          + table.columns.filter { $0.isKept && !table.keyColumns.contains($0.name) }
          .map { "\(table.name).\($0.name)" }
      } ?? []
    }
  }

  private static func description(_ kind: any CatalogKind) -> KindDescription? {
    (kind as? DescribedKind)?.description
  }
}
