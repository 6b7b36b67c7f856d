public import CatalogModel
public import Projections
import Support

extension DescribedKind {
  public func apply(_ record: Recorded<TableEvent>, to rows: some RowStore) throws {
    switch record.event {
    case .described(let moment): try describe(moment, record, rows)
    case .sourceRead(let source): try note(source, record, rows)
    case .rowsPut(let put):
      try requireColumns(of: put, at: record.sequence)
      for table in try put.carryOut(at: record.sequence, program, to: rows) {
        try forget(table, besides: record.operation, rows)
      }
    case .own(let event):
      guard let own = program.era(of: record.sequence)?.events[event.name] else {
        throw ProjectionError(
          contradiction: "the kind has no event \(event.name.debugDescription) here")
      }
      let steps = StepRows(rows, program)
      try own.apply(
        Recorded(
          sequence: record.sequence, at: record.at, operation: record.operation, by: record.by,
          event: event), to: steps)
      for table in try steps.write() { try forget(table, besides: nil, rows) }
    case .reversal(.rows(let restored)) where restored.table != program.reverted.name:
      // What a document left is no row of a person's.
      if restored.table == program.sources.name || restored.table == program.descriptions.name {
        return
      }
      try requireColumns(of: restored, at: record.sequence)
      for table in try restored.carryOut(at: record.sequence, program, to: rows) {
        try forget(table, besides: nil, rows)
      }
    case .reversal(let reversal):
      try reversal.apply(record, reverted: program.reverted, in: schema, to: rows)
    }
  }

  /// Makes sure that the table of rows had their columns when the event was written.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if the event that described one of them is lost.
  private func requireColumns(of rows: RestoredRows, at sequence: UInt64) throws {
    guard let column = program.era(of: sequence)?.unknownColumn(in: rows) else { return }
    throw ProjectionError(
      contradiction: "\(rows.table) has no column \(column.debugDescription) here")
  }

  /// Applies a description: the tables are those of the newest one already.
  private func describe(
    _ moment: DescribedMoment, _ record: Recorded<TableEvent>, _ rows: some RowStore
  ) throws {
    guard program.eras.contains(where: { $0.first == record.sequence }) else {
      throw ProjectionError(
        .foreign,
        "event \(record.sequence) describes the kind in another way; open the catalog again")
    }
    try rows.put(
      DescriptionRow(
        sequence: Int64(clamping: record.sequence), version: moment.version,
        description: moment.description.canonical.description, at: record.at),
      in: program.descriptions)
    // A document may mean something else from here on.
    for source in try rows.rows(of: program.sources) {
      try rows.remove(of: program.sources, key: source.table)
    }
  }

  private func note(
    _ source: SourceRead, _ record: Recorded<TableEvent>, _ rows: some RowStore
  ) throws {
    guard let era = program.era(of: record.sequence) else { return }
    for counts in source.tables {
      guard let table = era.tables[counts.table]?.compiled.table else { continue }
      let last = try rows.row(of: program.sources, key: table.name)
      // A log may say any number.
      let reads = last.map { $0.reads.addingReportingOverflow(1).partialValue } ?? 1
      try rows.put(
        SourceRow(
          table: table.name, name: source.name, sha256: source.sha256, reading: source.reading,
          operation: record.operation, reads: reads,
          mostGone: max(last?.mostGone ?? 0, counts.gone), at: record.at),
        in: program.sources)
    }
  }

  /// Forgets the document of a table that something else changed.
  ///
  /// - Parameter operation: the operation whose document may be that of the table.
  private func forget(
    _ table: TableDescription, besides operation: EntityID?, _ rows: some RowStore
  ) throws {
    guard var source = try rows.row(of: program.sources, key: table.name),
      source.sha256 != nil, source.operation != operation
    else { return }
    source.sha256 = nil
    try rows.put(source, in: program.sources)
  }
}

extension RestoredRows {
  /// Changes rows as an event of a time says, and removes those that go with removed rows.
  ///
  /// - Returns: the tables with changes; none if the table exists no more.
  fileprivate func carryOut(
    at sequence: UInt64, _ program: KindProgram, to rows: some RowStore
  ) throws -> [TableDescription] {
    guard let era = program.era(of: sequence) else {
      throw ProjectionError(contradiction: "no event has described the kind yet")
    }
    if era.dropped.contains(table) { return [] }
    guard let known = era.tables[table] else {
      throw ProjectionError(contradiction: "there is no table \(table.debugDescription)")
    }
    let changes = try restore(as: known.form, to: rows)
    try known.compiled.search?.write(changes, to: rows)
    let description = known.compiled.table
    guard !program.cascades(of: description).isEmpty else { return [description] }
    let steps = StepRows(rows, program)
    for change in changes where change.before != nil && change.after == nil {
      try steps.removeDependents(of: change.key, in: description)
    }
    return try [description] + steps.write()
  }
}
