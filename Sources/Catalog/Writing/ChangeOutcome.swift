/// What became of a change that was asked for.
///
/// The log comes first: what was appended is durable and is never taken back. The database follows, and where
/// it cannot at once (its disk is full, another program has it locked) the next opening of the catalog applies
/// what it lacks. To ask for the same change again appends nothing.
public enum ChangeOutcome: String, Hashable, Sendable {
  /// The catalog said already what was asked for: nothing was appended.
  case unchanged
  /// The events are in the log and in the database.
  case applied
  /// The events are in the log; the database does not have them yet.
  case appended
}
