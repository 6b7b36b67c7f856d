public import ArgumentParser

/// A command whose subcommands work on catalogs of one kind: errors of a folder without a catalog name the kind.
///
/// ```swift
/// struct ShelfCommand: KindCommands {
///   static let kindName = "bookshelf"
///   static let configuration = CommandConfiguration(commandName: "shelf", subcommands: [ListCommand.self])
/// }
/// ```
public protocol KindCommands: ParsableCommand {
  /// The name of the kind (`CatalogKind.name`).
  static var kindName: String { get }
}
