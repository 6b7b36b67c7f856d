public import ArgumentParser
public import Projections

/// A command that takes the place of another one of the same name for some catalogs.
///
/// Two kinds of a program can both have a command `import` then, each with its own options.
public struct CommandVariant: Sendable {
  /// The condition for the command to run.
  public enum Condition: Sendable {
    /// The arguments have one of these options.
    case options([String])
    /// The arguments are such, whatever the catalog is.
    case arguments(@Sendable (ArraySlice<String>) -> Bool)
    /// The catalog that the arguments name is of a kind.
    case kind(@Sendable (any CatalogKind) -> Bool)
  }

  let command: any AsyncParsableCommand.Type
  let condition: Condition

  public init(_ command: any AsyncParsableCommand.Type, if condition: Condition) {
    self.command = command
    self.condition = condition
  }
}
