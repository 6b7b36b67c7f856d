import CatalogStore
import Projections

/// Finds columns of which the rows of a new log and those of the old database have each other's values.
///
/// The database says which columns a description has, and not which of them had the names of others before. If such a description is
/// lost, the new log lacks the exchange, and its rows show that.
struct ExchangedNames {
  let old: ProvedRows
  let new: MemoryRowStore
  /// Whether the new log has as many events as the database: then nothing but an exchange makes a column another one.
  let isWhole: Bool

  /// A column of a table, by its place.
  private struct Place: Hashable {
    let table: Int
    let column: Int
  }

  /// Whether a column has other values than in the database, and most of them are those of another such column there; or whether a
  /// table has other keys, as if they were in another column.
  func areFound(in schema: Schema) throws -> Bool {
    let tables = schema.tables.filter { !$0.isOwn }
    var suspects: Set<Place> = []
    for (place, table) in tables.enumerated() {
      let pairs = try pairs(table, table)
      if try pairs.count * 2 < min(old.rows(in: table).count, new.count(of: table)) { return true }
      for column in table.columns.indices where !Self.areAlike(pairs, column, column) {
        suspects.insert(Place(table: place, column: column))
      }
    }
    if isWhole, !suspects.isEmpty { return true }
    for place in suspects {
      let table = tables[place.table]
      for (other, their) in tables.enumerated() where their.key.count == table.key.count {
        let columns = their.columns.indices.filter {
          let there = Place(table: other, column: $0)
          return there != place && suspects.contains(there)
        }
        if columns.isEmpty { continue }
        let pairs = try pairs(table, their)
        if columns.contains(where: { Self.areAlike(pairs, place.column, $0) }) { return true }
      }
    }
    return false
  }

  /// The new rows of a table, each with the old row of another one that has the same key.
  private func pairs(
    _ table: TableDescription, _ other: TableDescription
  ) throws -> [(new: [Value], old: [Value])] {
    try old.rows(in: other).compactMap { row in
      try new.row(in: table, key: other.key(of: row)).map { ($0, row) }
    }
  }

  /// Whether most rows have the same value in two columns.
  private static func areAlike(
    _ pairs: [(new: [Value], old: [Value])], _ column: Int, _ other: Int
  ) -> Bool {
    pairs.count { $0.new[column] == $0.old[other] } * 2 > pairs.count
  }
}
