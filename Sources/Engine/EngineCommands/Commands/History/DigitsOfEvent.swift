import CatalogEngine

/// Digits by which a person named an event, and with which the id of an operation can begin, too.
struct DigitsOfEvent {
  private let sequence: UInt64

  /// Takes the sequence of an event that the log has.
  init(_ sequence: UInt64) {
    self.sequence = sequence
  }

  /// Returns nil if the name is not a single event, or if the log does not have it.
  init?(_ name: OperationName, in range: OperationRange) {
    guard case .events(let events) = name, events.count == 1, range.contains(events.lowerBound)
    else { return nil }
    sequence = events.lowerBound
  }

  /// Says which of both was taken, and how the other is named.
  ///
  /// - Parameter states: of a command that needs a history for its answer, too.
  func note(in states: PastStates, on console: Console) throws {
    guard let history = try states.withHistory().history else { return }
    let operations = try OperationName.operations(beginningWith: sequence, in: history)
    guard !operations.isEmpty else { return }
    console.note(
      "\(sequence) was taken for event \(sequence); operations that begin so are named by more of their ids: "
        + operations.prefix(3).joined(separator: ", "))
  }
}
