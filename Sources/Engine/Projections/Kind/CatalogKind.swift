public import CatalogModel

/// A kind of catalog: what can happen to one, and the rows that this makes.
///
/// Everything else holds for all kinds and is the engine's: the log, replay, rebuild, verification, history,
/// salvage. The engine meets a kind once a block of events, never once an event, and holds `any CatalogKind`
/// values: `apply` over a block, and `makeDecoder`, have defaults that serve any kind, and a kind that wants a
/// million events a second writes them.
public protocol CatalogKind: Sendable {
  associatedtype Event: Sendable
  associatedtype EventType: EventTypeName

  /// What the first event of a log, `catalog.created`, calls this kind: `sound-library`.
  var name: String { get }
  /// Grows where logs of this kind cannot be read by earlier releases, or these not by later ones.
  var layout: Int64 { get }
  /// Grows whenever the same events make other rows. Databases of other versions are rebuilt.
  var version: Int { get }
  /// The tables that `apply` fills.
  var schema: Schema { get }
  var upcasters: Upcasters { get }
  /// The names of all events, in the order in which people see them. Those of a kind whose log describes it are not known
  /// before the log is read.
  var eventTypes: [String] { get }

  func type(of event: Event) -> EventType
  /// The type of a name; nil if the kind has no such event.
  func eventType(named name: String) -> EventType?
  /// Writes the payload of an event in the newest version of its type.
  func write(_ event: Event, to data: inout PayloadWriter)
  /// Reads the payload of an event in the newest version of its type.
  func read(_ type: EventType, from data: inout PayloadReader) throws(PayloadReader.Problem)
    -> Event

  /// Why the event goes beyond what an event of this kind may hold; nil if it does not. Such an event is never
  /// appended. What one makes that a log holds all the same, `apply` decides.
  func excess(of record: Recorded<Event>) -> String?

  /// Changes the rows as an event says.
  ///
  /// A pure function of the event and the rows: no clock, no randomness, no files. An event is applied exactly once: its
  /// rows and the checkpoint are committed together. The engine itself looks at `catalog.created`.
  ///
  /// - Throws: `ProjectionError` with `contradiction`, before the first change of a row, where the event contradicts
  ///   the rows: it changes nothing then, and the replay goes on.
  func apply(_ record: Recorded<Event>, to rows: some RowStore) throws

  // MARK: What has defaults

  /// The line of an event, appended to bytes without a line feed.
  ///
  /// - Returns: what no log may hold in the event's texts and numbers; nil if there is nothing.
  func encode(_ record: Recorded<Event>, into line: inout [UInt8]) -> String?

  /// Reads the members of a payload in canonical form and in the newest version of its type; nil if they have another form,
  /// which the other `read` judges.
  ///
  /// Most lines of a log are as this program writes them: read so, no tree of JSON is made of them.
  func read(_ type: EventType, canonical line: inout CanonicalLineReader) -> Event?

  /// A decoder of whole lines, used by one thread.
  func makeDecoder(_ purpose: ReplayPurpose) -> any BlockDecoder

  /// Applies events of a block that one of its decoders made, one after the other.
  ///
  /// - Parameters:
  ///   - willApply: called with each event before its rows change; nil if nobody asks.
  ///   - conflicts: gathers the events that contradict the rows.
  /// - Throws: what the row store throws; `ProjectionError` with the event's sequence and type.
  func apply(
    _ block: any EventBlock, _ range: Range<Int>, to rows: some RowStore,
    willApply: ((EventEnvelope) -> Void)?, conflicts: inout [ProjectionConflict]
  ) throws

  /// The events that bring rows of one table back to what they were.
  ///
  /// Most kinds answer with the event `rows.restored` itself. A kind whose rows describe something outside the log
  /// says why they cannot be undone.
  func wayBack(to rows: RestoredRows) -> WayBack<Event>

  /// The event `operation.reverted`; nil if operations of this kind cannot be taken back.
  func event(reverting operation: RevertedOperation) -> Event?

  /// The types of the events that begin a batch and may have its `reason`: why a person made the change.
  var reasonTypes: Set<String> { get }

  /// The types of the events that begin a batch and name the document that was read for it, each with the member of its payload that has
  /// the name.
  var documentTypes: [String: String] { get }

  /// The kind's table of what is reverted; nil if operations of this kind cannot be taken back.
  var reverted: TypedTable<RevertedRow>? { get }

  /// Says of the rows what the engine has to know to bring some of them back.
  var reversalRules: ReversalRules { get }

  /// Functions that the kind's SQL calls.
  var functions: [SQLFunction] { get }

  /// Tables whose rows belong to rows of another: `blame` shows them together.
  var relations: [TableRelation] { get }

  /// Identifies the projector: a database of another one is rebuilt.
  var fingerprint: ProjectorFingerprint { get }
}

/// The reasons that persons give for their operations.
package enum OperationReason {
  /// The types of events that have one in every kind.
  package static let usualTypes: Set<String> = ["operation.reverted"]
}

extension CatalogKind {
  public var reasonTypes: Set<String> { OperationReason.usualTypes }
  public var documentTypes: [String: String] { [:] }

  public var layout: Int64 { 1 }
  public var upcasters: Upcasters { Upcasters() }
  public var functions: [SQLFunction] { [] }
  public var relations: [TableRelation] { [] }

  public var reverted: TypedTable<RevertedRow>? { nil }
  public var reversalRules: ReversalRules { ReversalRules() }

  public func wayBack(to rows: RestoredRows) -> WayBack<Event> {
    .impossible(because: "catalogs of kind \(name) have no events that bring rows back")
  }

  public func event(reverting operation: RevertedOperation) -> Event? { nil }

  public func excess(of record: Recorded<Event>) -> String? { nil }

  public func read(_ type: EventType, canonical line: inout CanonicalLineReader) -> Event? { nil }

  public var eventTypes: [String] { EventType.allCases.map(\.rawValue) }
  public func eventType(named name: String) -> EventType? { EventType(rawValue: name) }

  public var fingerprint: ProjectorFingerprint {
    ProjectorFingerprint(kind: name, layout: layout, version: version, schema: schema)
  }
}

/// What a replay is for, and so what must be decoded.
public enum ReplayPurpose: Sendable {
  /// All rows.
  case rows
  /// Nobody applies the events: they are looked at.
  case events
  /// One row, by its table and key, and the rows that relations tie to it: events that cannot touch these may be left
  /// out, or cut down to what can.
  case row(TableDescription, [Value])
}

/// Rows of a join table that belong to the rows of another table: the moods of an item.
public struct TableRelation: Sendable {
  /// What the values are called: `moods`.
  public let name: String
  public let table: TableDescription
  /// Its key begins with the key of `table`, and goes on with that of `values`.
  public let join: TableDescription
  /// The table of what is joined.
  public let values: TableDescription
  /// The column of `values` that says what a value is called.
  public let label: Int

  public init(
    name: String, table: TableDescription, join: TableDescription, values: TableDescription,
    label: Int
  ) {
    self.name = name
    self.table = table
    self.join = join
    self.values = values
    self.label = label
  }
}
