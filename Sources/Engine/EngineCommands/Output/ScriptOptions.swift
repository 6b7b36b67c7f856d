import ArgumentParser

/// The option that prints statements for the database of another program.
package struct ScriptOptions: ParsableArguments {
  @Flag(
    name: .long,
    help:
      "Print SQL that makes the change in the other program's database, for its owner to run.")
  package var sql = false

  package init() {}

  /// Refuses output that is of another form.
  package func requireAlone(_ format: OutputFormat, summary: Bool = false) throws {
    guard sql, format == .json || summary else { return }
    throw ValidationError("--sql cannot be combined with --format json or --summary")
  }
}
