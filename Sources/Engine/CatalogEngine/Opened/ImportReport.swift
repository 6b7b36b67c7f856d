public import Projections

/// The result of an import of documents, or of its dry run, in a catalog of whatever kind.
///
/// ```swift
/// let report = try await library.imports.apply(["evening.m3u8"])
/// report.outcome              // .imported
/// report.events["track.added"] // 12
/// ```
public struct ImportReport<Document: Sendable>: Sendable {
  /// `planned` only from a dry run; `imported` and `appended` only from an import.
  public var outcome: ImportOutcome
  /// The documents, in the order in which the caller named them.
  public var documents: [Document]
  /// The events that were appended, or would be.
  public var events: EventCounts
  /// The operation that was reverted and to which the documents, or some of them, belong, if these stay so.
  public var reverted: RevertedRow?
  /// How many values of documents that stay reverted differ from the catalog; nil if that cannot be counted.
  public var differing: Int?
  /// The values that reverts removed and the import makes again; empty also for very many rows, and if the history does not say it.
  public var returned: [ReturnedValues] = []
  /// The changes of rows that the import made, or would make; nil if it has no event, if the rows are very many, and for the plan of a
  /// catalog that is opened or has no event yet.
  public var summary: OperationSummary?
  /// Why the database does not have the events yet; nil if it does.
  public var failure: String?
  /// The log's last sequence afterwards; nil if there is no log, as in a dry run on an empty folder.
  public var sequence: UInt64?
  /// The chain hash there, 64 hex digits.
  public var chain: String?

  /// The report of a plan.
  ///
  /// - Parameter events: those that the plan would append.
  public init(
    of documents: [Document], events: EventCounts, reverted: RevertedRow? = nil
  ) {
    self.documents = documents
    self.events = events
    self.reverted = reverted
    // A document of a set that stays reverted may leave the others to be imported.
    outcome = !events.isEmpty ? .planned : reverted != nil ? .reverted : .unchanged
    differing = 0
  }

  /// Makes it the report of the import that the plan led to.
  public mutating func complete(_ change: ChangeReport) {
    if outcome != .reverted { outcome = ImportOutcome(change.outcome) }
    if reverted != nil { differing = change.differing }
    events = change.types.ordered(by: events.map(\.type))
    summary = change.summary
    returned = change.returned
    failure = change.failure
    sequence = change.sequence
    chain = change.chain
  }

  /// The number of events of all types; 0 if nothing is new.
  public var eventCount: Int { events.total }
}

extension ImportReport: Equatable where Document: Equatable {}
extension ImportReport: Hashable where Document: Hashable {}
