/// The outcome of an import of documents, of whatever kind.
public enum ImportOutcome: String, Hashable, Sendable {
  /// The catalog says already what the documents say: nothing was appended.
  case unchanged
  /// A dry run: events would be appended.
  case planned
  /// The events are in the log and in the database.
  case imported
  /// An operation that imported the document before is reverted, and the document stays reverted: nothing was appended. A
  /// revert of the revert brings it back.
  case reverted
  /// The events are in the log; the database does not have them yet. The next opening applies them.
  case appended

  public init(_ change: ChangeOutcome) {
    self =
      switch change {
      case .unchanged: .unchanged
      case .applied: .imported
      case .appended: .appended
      }
  }
}
