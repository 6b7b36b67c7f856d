import ArgumentParser
package import CatalogEngine

/// Whether a moment is shown with the tables that it had.
package struct DescriptionOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: ArgumentHelp(
      "Show a moment with the tables and columns that the log described then, also those that were dropped later."
    ))
  package var asDescribed = false

  package init() {}

  /// - Throws: `ValidationError` if no moment is named whose tables are to be shown.
  package func requireMoment(_ at: Moment?) throws {
    if asDescribed, at == nil {
      throw ValidationError(
        "--as-described needs --at WHEN: without it the tables are those of the newest description")
    }
  }

  /// The states with the tables that the log described at the latest of some moments; else those of the newest description.
  package func states(
    _ states: PastStates, through moments: [Moment]
  ) throws -> PastStates {
    guard asDescribed else { return states }
    let ends = try moments.map { try states.found($0).sequence ?? .max }
    guard let described = states.asDescribed(through: ends.max() ?? .max) else {
      throw ValidationError(
        "--as-described is for catalogs whose log describes their tables; the tables of a catalog of kind "
          + "\"\(states.log.kind.name)\" are always those of the program")
    }
    return described
  }
}
