/// Notes what one transaction changes, in a form of the kind's own: for what an app keeps in memory.
///
/// Not Sendable: it lives inside one transaction.
package protocol TransactionNotes: AnyObject {
  /// Receives each row that is written or removed, whether it changes or not.
  ///
  /// - Parameter key: the first column of the row's key.
  func note(_ table: TableDescription, key: Value)

  /// Statements over `projection_change` with the values of their parameters, which the transaction runs before its commit.
  ///
  /// - Parameters:
  ///   - previous: the checkpoint before the transaction: its sequence, and its chain hash in hex digits; 0 and empty if there is none.
  ///   - sequence: of the checkpoint after it.
  func statements(
    from previous: (sequence: UInt64, chain: String), to sequence: UInt64
  ) -> [(sql: String, values: [Value])]
}

/// A kind that notes what each transaction changes.
package protocol NotingKind: CatalogKind {
  func makeNotes() -> any TransactionNotes
}
