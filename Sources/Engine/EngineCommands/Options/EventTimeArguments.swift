public import ArgumentParser
public import CatalogEngine
import CatalogModel

/// The time of the events that a command appends: of documents of the past, for example.
public struct EventTimeArguments: ParsableArguments, Sendable {
  // -7d begins like an option.
  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "The time of the new events: ISO 8601, yesterday (its beginning), or -7d; default now.",
      valueName: "time"))
  public var at: String?

  public init() {}

  public func validate() throws {
    if let at, Self.time(at) == nil {
      throw ValidationError(
        (Moment.advice(onDay: at).map { "\($0); " } ?? "")
          + "--at takes an ISO 8601 time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31 or yesterday (its beginning), or -7d, not \"\(at)\""
      )
    }
  }

  private var time: Timestamp? { at.flatMap(Self.time) }

  /// The time that a person types; of a day or a month its beginning.
  private static func time(_ text: String) -> Timestamp? {
    if let time = Timestamp.typed(text) { return time }
    switch Moment(text) {
    case .time(let time)?: return time
    case .span(let span)?: return span.first
    case .start?, .sequence?, .head?, .operation?, .live?, nil: return nil
    }
  }

  /// A clock that is fixed at the time, or the system's.
  public var clock: CatalogClock { time.map { .fixed($0) } ?? .system }

  /// The warning for a time before that of the log's last batch, or after now; nil if times go on. To be asked for before the command
  /// appends.
  public func warning(about options: CatalogOptions) throws -> String? {
    guard let at, let time else { return nil }
    if time > CatalogClock.system.now() {
      return
        "\(ProgramName.current): warning: --at \(at) is in the future: the next changes have earlier times"
    }
    guard let later = try options.batch(after: time) else { return nil }
    return
      "\(ProgramName.current): warning: --at \(at) is before \(later.time), the time of \(later.events) at the log's end: "
      + "times go back there, and a moment that is named by a time can mean a state with later events"
  }
}
