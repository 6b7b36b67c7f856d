public import ArgumentParser

/// The option of commands that can show what they would append.
public struct DryRunArguments: ParsableArguments, Sendable {
  @Flag(
    name: [.long, .customShort("n")],
    help: "Show what would be appended, and append nothing; exit status 2 if there is anything.")
  public var dryRun = false

  public init() {}
}
