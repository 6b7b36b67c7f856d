public import ArgumentParser

/// `--remove` of a command that replaces a value by the one that it is given. A value that is left out may be a slip.
public struct RemovalArguments: ParsableArguments, Sendable {
  @Flag(name: .long, help: "Remove the present value, instead of giving another one.")
  var remove = false

  public init() {}

  /// - Parameters:
  ///   - value: what the command replaces, for people: "notes".
  ///   - isGiven: whether the command has it.
  /// - Throws: `ValidationError` for a value beside `--remove`.
  public func validate(_ value: String, isGiven: Bool) throws {
    if remove, isGiven {
      throw ValidationError("--remove takes no \(value): leave the value out")
    }
  }

  /// Says which option means a removal, if there is no value and no option. Earlier releases had no option.
  ///
  /// - Parameters:
  ///   - value: what the command replaces, for people.
  ///   - isGiven: whether the command has it.
  public func note(_ value: String, isGiven: Bool) {
    guard !remove, !isGiven else { return }
    Console.current.error(
      "\(ProgramName.current): without \(value) this means a removal; say --remove, which the next release asks for"
    )
  }
}
