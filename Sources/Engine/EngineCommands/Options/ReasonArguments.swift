public import ArgumentParser
import Projections

/// Why a person makes a change.
public struct ReasonArguments: ParsableArguments, Sendable {
  @Option(
    name: .long, help: ArgumentHelp("Why, in a few words; the log keeps it.", valueName: "text"))
  public var reason: String?

  public init() {}

  public func validate() throws {
    guard let reason, reason.utf8.count > RevertedOperation.longestReason else { return }
    throw ValidationError(
      "--reason has \(reason.utf8.count) bytes; the limit is \(RevertedOperation.longestReason)")
  }
}
