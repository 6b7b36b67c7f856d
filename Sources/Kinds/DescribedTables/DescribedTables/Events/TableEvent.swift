public import CatalogModel
public import Projections

/// An event of a described kind.
public enum TableEvent: ReversibleEvent, Hashable {
  /// `kind.described`: the kind has this description from here on.
  case described(DescribedMoment)
  /// `source.read`: the changes that follow in the batch come from this document.
  case sourceRead(SourceRead)
  /// `rows.put`: rows of one table that have new values, or are gone.
  case rowsPut(RestoredRows)
  /// An event that the description describes.
  case own(OwnRecord)
  case reversal(Reversal)

  public var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }
}

/// An event of a kind's own, with its members as the log has them.
public struct OwnRecord: Hashable, Sendable {
  public var name: String
  public var members: [JSONValue.Member]

  public init(_ name: String, members: [JSONValue.Member]) {
    self.name = name
    self.members = members
  }
}

/// The type of an event of a described kind.
///
/// The names of a kind's own events are in its description, so that this type knows only those that all described kinds have.
public struct TableEventType: EventTypeName {
  public let rawValue: String

  public init?(rawValue: String) {
    guard Self.names.contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// The type of an event that a description describes.
  init(own name: String) {
    rawValue = name
  }

  private init(_ name: String) {
    rawValue = name
  }

  static let described = TableEventType("kind.described")
  static let sourceRead = TableEventType("source.read")
  static let rowsPut = TableEventType("rows.put")
  static let operationReverted = TableEventType("operation.reverted")
  static let rowsRestored = TableEventType("rows.restored")

  /// The names of the events that all described kinds have.
  static let names = allCases.map(\.rawValue)

  public static let allCases = [
    described, sourceRead, rowsPut, operationReverted, rowsRestored,
  ]
}

extension TableEventType {
  init(of event: TableEvent) {
    self =
      switch event {
      case .described: .described
      case .sourceRead: .sourceRead
      case .rowsPut: .rowsPut
      case .own(let record): TableEventType(own: record.name)
      case .reversal(.operation): .operationReverted
      case .reversal(.rows): .rowsRestored
      }
  }

  /// Reads the members of a payload in canonical form. Only events with many rows are worth a second reader.
  func read(canonical line: inout CanonicalLineReader) -> TableEvent? {
    switch self {
    case .rowsPut: RestoredRows.payload.read(canonical: &line).map { .rowsPut($0) }
    case .rowsRestored:
      RestoredRows.payload.read(canonical: &line).map { .reversal(.rows($0)) }
    default: nil
    }
  }

  func read(
    from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> TableEvent {
    switch self {
    case .described: .described(try DescribedMoment.payload.read(&data))
    case .sourceRead: .sourceRead(try SourceRead.read(members: &data))
    case .rowsPut: .rowsPut(try RestoredRows.payload.read(&data))
    case .operationReverted:
      .reversal(.operation(try RevertedOperation.payload.read(&data)))
    case .rowsRestored: .reversal(.rows(try RestoredRows.payload.read(&data)))
    default: .own(OwnRecord(rawValue, members: data.takeRest()))
    }
  }
}

extension TableEvent {
  func write(to data: inout PayloadWriter) {
    switch self {
    case .described(let moment): DescribedMoment.payload.write(moment, to: &data)
    case .sourceRead(let source): source.writeMembers(to: &data)
    case .rowsPut(let rows), .reversal(.rows(let rows)):
      RestoredRows.payload.write(rows, to: &data)
    case .reversal(.operation(let operation)):
      RevertedOperation.payload.write(operation, to: &data)
    case .own(let record):
      for member in record.members {
        data.value(forKey: member.key, PayloadJSON(member.value))
      }
    }
  }

  /// The reason for which no log may hold the event; nil if a log may.
  var excess: String? {
    switch self {
    case .reversal(.operation(let operation)):
      RevertedOperation.payload.excess(of: operation, isNew: false)?.message
    default: nil
    }
  }
}
