import CatalogModel
package import Projections
import Support

/// A description, made ready to be carried out: the tables as the engine has them, and the meaning of events of each time.
///
/// The tables are those of the newest description. An event is carried out by the description that it was appended under,
/// with the names that its tables and columns have now.
package final class KindProgram: Sendable {
  /// The newest description.
  package let description: KindDescription
  package let schema: Schema
  /// The described tables, in the order of the description.
  package let tables: [CompiledTable]
  /// The descriptions of the log, with the events that they came with.
  package let moments: [(sequence: UInt64, moment: DescribedMoment)]
  /// Ascending; the newest is the last.
  let eras: [Era]
  let sources: TypedTable<SourceRow>
  let descriptions: TypedTable<DescriptionRow>
  let reverted: TypedTable<RevertedRow>
  /// Whether a column has values of several types.
  private let hasAny: Bool
  /// The tables whose rows go with rows of another, by the place of that one in the schema.
  private let cascades: [Int: [Cascade]]
  let fingerprint: ProjectorFingerprint
  let rules: ReversalRules

  /// Rows that go with the row of another table to which they refer.
  struct Cascade: Sendable {
    let child: CompiledTable
    let index: IndexReference
  }

  /// Grows whenever the same description and the same events make other rows.
  static let version = 1

  /// - Parameter moments: each description of the log and the event that it came with; at least one.
  init(_ moments: [(sequence: UInt64, moment: DescribedMoment)]) {
    guard let newest = moments.last?.moment.description else {
      preconditionFailure("a kind without a description")
    }
    description = newest
    self.moments = moments
    sources = SourceRow.makeTable()
    descriptions = DescriptionRow.makeTable()
    reverted = RevertedRow.makeTable()
    var indexNames = Set(newest.tables.map { $0.name.lowercased() })
    let keys = Dictionary(
      newest.tables.compactMap { table in
        table.keyColumns.count == 1 ? (table.name, table.keyColumns[0]) : nil
      }, uniquingKeysWith: { first, _ in first })
    let tables = newest.tables.map {
      CompiledTable($0, keys: keys, indexNames: &indexNames)
    }
    self.tables = tables
    hasAny = newest.tables.contains { $0.columns.contains { $0.type == .any } }
    var schema = Schema(descriptions, sources, reverted)
    for table in tables { schema.add(table.table) }
    for table in tables { table.search?.add(to: &schema) }
    self.schema = schema
    cascades = Self.cascades(tables)
    eras = Era.all(moments, tables)
    fingerprint = ProjectorFingerprint(
      kind: newest.kind, layout: 1, version: Self.version, schema: schema,
      rules: moments.flatMap { ["\($0.sequence)", $0.moment.description.canonical.description] })
    rules = ReversalRules(
      derived: [sources.description, descriptions.description]
        + tables.compactMap { $0.search?.words },
      documents: [ReversalRules.Columns(sources.description, ["sha256"])])
  }

  private static func cascades(_ tables: [CompiledTable]) -> [Int: [Cascade]] {
    var cascades: [Int: [Cascade]] = [:]
    for child in tables {
      for column in child.columns.compactMap(\.self) {
        guard let reference = column.reference, reference.gone == .remove,
          let parent = tables.first(where: { $0.table.name == reference.table })
        else { continue }
        cascades[parent.table.ordinal, default: []].append(
          Cascade(child: child, index: child.index(of: column.name)))
      }
    }
    return cascades
  }

  func cascades(of table: TableDescription) -> [Cascade] { cascades[table.ordinal] ?? [] }

  /// The table of a name; nil if the newest description has none.
  package func table(_ name: String) -> CompiledTable? {
    tables.first { $0.table.name == name }
  }

  /// The table of the engine's description; nil if it is not a described one.
  package func table(of description: TableDescription) -> CompiledTable? {
    tables.first { $0.table === description }
  }

  /// An event with what its tables say about how it is written.
  func written(_ event: TableEvent) -> TableEvent {
    func written(_ rows: RestoredRows) -> RestoredRows {
      table(rows.table).map { rows.written(in: $0.table) } ?? rows
    }
    return switch event {
    case .rowsPut(let rows) where hasAny: .rowsPut(written(rows))
    case .reversal(.rows(let rows)) where hasAny: .reversal(.rows(written(rows)))
    default: event
    }
  }

  /// Whether an event of the kind's own has the name, or had it once.
  func hasEvent(_ name: String) -> Bool { eras.contains { $0.events[name] != nil } }

  /// The description that an event was appended under; nil if it came before the first.
  func era(of sequence: UInt64) -> Era? {
    guard let last = eras.last else { return nil }
    return last.first < sequence ? last : eras.last { $0.first < sequence }
  }
}
