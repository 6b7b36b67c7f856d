public import CatalogModel
public import Projections

/// A kind of catalog that its log describes.
///
/// A value holds the description that the log has, and what each event of the log means: it is made for one log
/// (`DescribedKinds`). A program that has one needs nothing else to open the catalog:
///
/// ```swift
/// let shop = try await EventCatalog.open(CatalogDirectory("shop"), DescribedKind(description))
/// ```
public struct DescribedKind: CatalogKind {
  public typealias Event = TableEvent
  public typealias EventType = TableEventType

  package let program: KindProgram
  public let version = KindProgram.version

  /// A kind for a new log, whose second event is to be `kind.described` with the description.
  public init(_ description: KindDescription) {
    self.init([(2, DescribedMoment(description))])
  }

  /// A kind for a log that has described itself.
  ///
  /// - Parameter moments: all descriptions of the log with the events that they came with; at least one.
  package init(_ moments: [(sequence: UInt64, moment: DescribedMoment)]) {
    program = KindProgram(moments)
  }

  /// The newest description.
  public var description: KindDescription { program.description }

  public var name: String { description.kind }
  public var schema: Schema { program.schema }
  public var fingerprint: ProjectorFingerprint { program.fingerprint }
  public var reverted: TypedTable<RevertedRow>? { program.reverted }
  public var reversalRules: ReversalRules { program.rules }
  /// A batch of a document may begin with a description, which has no reason.
  public var reasonTypes: Set<String> {
    let types: [TableEventType] = [.operationReverted, .sourceRead, .described]
    return Set(types.map(\.rawValue))
  }

  public var documentTypes: [String: String] { [TableEventType.sourceRead.rawValue: "name"] }

  /// The types of events that the log can have: also those that only an earlier description has.
  public var eventTypes: [String] {
    let names = description.events.map(\.name)
    let former = Set(program.moments.flatMap { $0.moment.description.events.map(\.name) })
    return TableEventType.names + names + former.subtracting(names).sorted()
  }

  public func eventType(named name: String) -> TableEventType? {
    if let type = TableEventType(rawValue: name) { return type }
    return program.hasEvent(name) ? TableEventType(own: name) : nil
  }

  public func type(of event: TableEvent) -> TableEventType { TableEventType(of: event) }

  public func write(_ event: TableEvent, to data: inout PayloadWriter) {
    program.written(event).write(to: &data)
  }

  public func read(
    _ type: TableEventType, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> TableEvent {
    try type.read(from: &data)
  }

  public func read(
    _ type: TableEventType, canonical line: inout CanonicalLineReader
  ) -> TableEvent? { type.read(canonical: &line) }

  public func excess(of record: Recorded<TableEvent>) -> String? { record.event.excess }

  public func wayBack(to rows: RestoredRows) -> WayBack<TableEvent> {
    .events([.reversal(.rows(rows))])
  }
}
