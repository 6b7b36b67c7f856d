/// What a change of the catalog came to.
public struct ChangeReport: Hashable, Sendable {
  public let outcome: ChangeOutcome
  /// Why the database does not have the events yet; nil if it does.
  public let failure: String?
  /// How many events were appended; 0 if the catalog said already what was asked for.
  public let events: Int
  /// The log's last sequence afterwards.
  public let sequence: UInt64
  /// In which columns rows changed, if the caller wanted to know; nil also for a change of very many rows.
  public internal(set) var summary: OperationSummary?
}
