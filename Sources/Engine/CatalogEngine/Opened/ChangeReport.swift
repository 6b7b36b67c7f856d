/// What a change of the catalog came to.
public struct ChangeReport: Hashable, Sendable {
  public let outcome: ChangeOutcome
  /// Why the database does not have the events yet; nil if it does.
  public let failure: String?
  /// How many events were appended; 0 if the catalog said already what was asked for.
  public let events: Int
  /// The appended events by type.
  public internal(set) var types: EventCounts
  /// The log's last sequence afterwards.
  public let sequence: UInt64
  /// The chain hash there, 64 hex digits.
  public let chain: String
  /// In which columns rows changed, if the caller wanted to know; nil also for a change of very many rows.
  public internal(set) var summary: OperationSummary?
  /// In how many values the rows would differ with the alternative of the plan; nil if there is none, and if its events
  /// contradict the rows.
  public internal(set) var differing: Int?
  /// The values that reverts removed and an import made again; empty also for very many rows, and if the history does not say it.
  public internal(set) var returned: [ReturnedValues] = []
  /// Sentences about rules that the rows break and that are only reported; empty for a change that appended nothing.
  public internal(set) var remarks: [String] = []
}
