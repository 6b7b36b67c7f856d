import CatalogEngine
import CatalogStore
import Projections

/// A forced revert that would take later values, which the user did not accept.
struct LaterValues: Error, CustomStringConvertible {
  private let rows: [OverwrittenRow]

  init(_ rows: [OverwrittenRow]) { self.rows = rows }

  var description: String {
    var values = ValueExcerpts(isWhole: false)
    let lines = Self.lines(of: rows, &values).joined(separator: "; ")
    return "nothing was appended: later values would go (\(lines)); --yes accepts that"
  }

  /// Lists the values by table and column, the most frequent first, each with an example: `track year: 3 later values, such as 1998 → 1997`.
  static func lines(of rows: [OverwrittenRow], _ values: inout ValueExcerpts) -> [String] {
    var lines: [String] = []
    for group in groups(of: rows) {
      let name = group.table.name
      guard let column = group.column else {
        let went = group.rows.filter { $0.target == nil }
        if let example = went.first {
          lines.append(
            "\(name): \(Count.of(went.count, "row")) that later events changed, as a whole, such as \(example.keyWords)"
          )
        }
        let came = group.rows.filter { $0.target != nil && $0.present == nil }
        if let example = came.first {
          lines.append(
            "\(name): the removal of \(Count.of(came.count, "row")) by later events, such as \(example.keyWords)"
          )
        }
        let stays = group.rows.filter { $0.target != nil && $0.present != nil }
        if let example = stays.first {
          lines.append(
            "\(name): later values of \(Count.of(stays.count, "row")) that no column shows, such as those of \(example.keyWords)"
          )
        }
        continue
      }
      let example = group.rows[0]
      let change = values.change(
        from: StoredValue(example.present?[column] ?? .null),
        to: StoredValue(example.target?[column] ?? .null))
      lines.append(
        "\(name) \(group.table.columns[column].name): \(Count.of(group.rows.count, "later value")), such as \(change)"
      )
    }
    return lines
  }

  static func json(of rows: [OverwrittenRow]) -> [JSONObject] {
    groups(of: rows).map { group in
      let example = group.rows[0]
      return [
        "table": group.table.name, "column": group.column.map { group.table.columns[$0].name },
        "values": group.rows.count,
        "present": group.column.flatMap { example.present?[$0].literal },
        "restored": group.column.flatMap { example.target?[$0].literal },
      ]
    }
  }

  private static func groups(
    of rows: [OverwrittenRow]
  ) -> [(table: TableDescription, column: Int?, rows: [OverwrittenRow])] {
    var groups: [(table: TableDescription, column: Int?, rows: [OverwrittenRow])] = []
    func add(_ row: OverwrittenRow, _ column: Int?) {
      if let place = groups.firstIndex(where: { $0.table === row.table && $0.column == column }) {
        groups[place].rows.append(row)
      } else {
        groups.append((row.table, column, [row]))
      }
    }
    for row in rows {
      if row.columns.isEmpty { add(row, nil) }
      for column in row.columns { add(row, column) }
    }
    return groups.sorted { $0.rows.count > $1.rows.count }
  }
}

extension OverwrittenRow {
  fileprivate var keyWords: String { table.keyWords(key) }
}
