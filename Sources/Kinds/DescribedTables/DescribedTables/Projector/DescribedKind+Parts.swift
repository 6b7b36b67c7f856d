import Projections

extension DescribedKind: DivisibleKind {
  /// The rows of a document, or of what a revert restored, are independent of each other; the steps of an event of the kind's own are not.
  package func parts(of event: TableEvent) -> [(name: String, event: TableEvent)] {
    switch event {
    case .rowsPut(let rows): parts(of: rows) { .rowsPut($0) }
    case .reversal(.rows(let rows)) where program.table(rows.table) != nil:
      parts(of: rows) { .reversal(.rows($0)) }
    default: []
    }
  }

  private func parts(
    of rows: RestoredRows, _ event: (RestoredRows) -> TableEvent
  ) -> [(name: String, event: TableEvent)] {
    let table = program.table(rows.table)?.table
    let keys = table?.key.map { table?.columns[$0].name ?? "" } ?? []
    func name(_ columns: [String], _ values: [Value]) -> String {
      let words = zip(columns, values).filter { keys.contains($0.0) }.map {
        "\($0)=\($1.shownToPeople)"
      }
      return words.isEmpty ? rows.table : words.joined(separator: " ")
    }
    let gone = rows.gone.map { key in
      var part = rows
      (part.rows, part.gone) = ([], [key])
      return (name(rows.key, key), event(part))
    }
    return gone
      + rows.rows.map { values in
        var part = rows
        (part.rows, part.gone) = ([values], [])
        return (name(rows.columns, values), event(part))
      }
  }
}
