public import CatalogEngine
public import Projections

/// What an import did.
public struct ImportReport: Hashable, Sendable {
  public typealias Outcome = ImportOutcome

  public var seedID: String
  public var revision: Int64
  public var outcome: Outcome
  /// The operation that was reverted and to which the document, or a part of it, belongs, if the outcome is `reverted`.
  public var reverted: RevertedRow?
  /// How many values of the document differ from the catalog, if the outcome is `reverted`; nil if that was not counted.
  public var differing: Int? = 0
  /// The revision that the catalog has, if the outcome is `reverted` and the document has an older one: it cannot be taken.
  public var newerRevision: Int64?
  /// The changes of rows that the import made; nil if nothing was appended, and if the rows are very many.
  public var summary: OperationSummary?
  /// Why the database does not have the events yet; nil if it does.
  public var failure: String?
  /// How many events of each type, in the types' order of first appearance.
  public var events: [(type: String, count: Int)]
  /// The log's last sequence afterwards.
  public var sequence: UInt64
  /// The chain hash there, 64 hex digits; nil if there is no log (a dry run on an empty folder).
  public var chain: String?

  public var eventCount: Int { events.reduce(0) { $0 + $1.count } }

  public static func == (left: ImportReport, right: ImportReport) -> Bool {
    left.seedID == right.seedID && left.revision == right.revision && left.outcome == right.outcome
      && left.failure == right.failure && left.reverted == right.reverted
      && left.differing == right.differing && left.newerRevision == right.newerRevision
      && left.summary == right.summary
      && left.sequence == right.sequence && left.chain == right.chain
      && left.events.elementsEqual(right.events, by: ==)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(seedID)
    hasher.combine(revision)
    hasher.combine(sequence)
  }
}
