/// The result of a plan: the events to append, and a value for the caller.
///
/// ```swift
/// let (report, books) = try await shelf.change(by: "person", planning: { rows in
///   let lent = try rows.rows(of: Book.table).filter { $0.reader != nil }
///   return PlannedChange(lent.map { .returned($0.id) }, value: lent)
/// })
/// ```
public struct PlannedChange<Event: Sendable, Value: Sendable>: Sendable {
  public var events: PlannedEvents<Event>
  public var value: Value
  /// Events that are not appended: the report of the change says in how many values the rows would differ with them instead of
  /// `events`. Both lead from the rows of the plan. Nil if the report says nothing.
  public var alternative: PlannedEvents<Event>?
  /// In which columns the events change rows, if the plan knows it. The report of the change has it, with the columns that
  /// never changed before.
  package var summary: OperationSummary?
  /// How many rows the events change, if one changes many; nil counts an event as one.
  package var rows: Int?

  public init(_ events: [Event], value: Value) {
    self.init(PlannedEvents(events), value: value)
  }

  /// - Parameter events: may be made one after another, while they are appended.
  public init(_ events: PlannedEvents<Event>, value: Value) {
    self.events = events
    self.value = value
  }
}
