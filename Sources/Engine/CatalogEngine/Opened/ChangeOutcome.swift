/// The outcome of a change.
///
/// The log comes first: appended events are durable and are never taken back. The database follows. Where it cannot
/// follow at once (its disk is full, another program has it locked), the next opening of the catalog applies the
/// events. Asking for the same change again appends nothing.
public enum ChangeOutcome: String, Hashable, Sendable {
  /// The catalog said already what was asked for: nothing was appended.
  case unchanged
  /// The events are in the log and in the database.
  case applied
  /// The events are in the log; the database does not have them yet.
  case appended
}
