public import ArgumentParser

/// The option of commands that import documents of which an operation may be reverted.
public struct RevertedArguments: ParsableArguments {
  @Flag(name: .long, help: "Restore what a revert took of the documents.")
  public var takeReverted = false

  public init() {}
}
