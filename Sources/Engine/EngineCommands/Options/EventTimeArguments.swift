public import ArgumentParser
public import CatalogEngine
import CatalogModel

/// The time of the events that a command appends: of documents of the past, for example.
public struct EventTimeArguments: ParsableArguments, Sendable {
  @Option(
    name: .long,
    help: ArgumentHelp("The time of the new events, ISO 8601; default now.", valueName: "time"))
  public var at: String?

  public init() {}

  public func validate() throws {
    if let at, Timestamp.typed(at) == nil {
      throw ValidationError(
        "--at takes an ISO 8601 time such as 2026-01-31T12:00:00Z, not \"\(at)\"")
    }
  }

  private var time: Timestamp? { at.flatMap { Timestamp.typed($0) } }

  /// A clock that is fixed at the time, or the system's.
  public var clock: CatalogClock { time.map { .fixed($0) } ?? .system }

  /// The warning for a time before that of the log's last batch; nil if times go on. To be asked for before the command appends.
  public func warning(about options: CatalogOptions) throws -> String? {
    guard let at, let time, let later = try options.batch(after: time) else { return nil }
    return
      "\(ProgramName.current): warning: --at \(at) is before \(later.time), the time of \(later.events) at the log's end: "
      + "times go back there, and a moment that is named by a time can mean a state with later events"
  }
}
