import CatalogModel
import CatalogStore
import GRDB
import Projections

/// The values that a column of another program's database has.
struct DatabaseEvidence {
  private(set) var nulls = 0
  private(set) var integers = 0
  private(set) var reals = 0
  private(set) var texts = 0
  private(set) var blobs = 0
  /// Zeros with a minus.
  private(set) var negativeZeros = 0
  /// A fault of values that no catalog can have.
  struct Problem {
    let message: String
    /// The number of the first row that has it, from 1, in the order of `DatabaseSchema.Table.selection`.
    let row: Int
    /// How many rows have it.
    fileprivate(set) var count = 1
  }

  private(set) var problems: [Problem] = []

  /// The values of some columns of a table, and how many rows it has.
  static func of(
    _ table: DatabaseSchema.Table, _ columns: [String], in database: Database
  ) throws -> (rows: Int, columns: [String: DatabaseEvidence]) {
    var evidence = columns.map { _ in DatabaseEvidence() }
    var rows = 0
    let statement = try PreparedStatement(database, table.selection(columns))
    while try statement.step() {
      rows += 1
      var bytes = 0
      for place in columns.indices {
        let cell = statement.cell(place)
        evidence[place].add(cell, rows)
        bytes += DatabaseCell.length(cell)
      }
      // A character of a text becomes six bytes at most.
      guard bytes > RowGroups.longestRow / 6 else { continue }
      let lengths = columns.indices.map { DatabaseCell.lengthInLine(statement.cell($0)) }
      guard lengths.reduce(0, +) > RowGroups.longestRow,
        let longest = lengths.indices.max(by: { lengths[$0] < lengths[$1] }),
        lengths[longest] <= RowGroups.longestRow
      else { continue }
      evidence[longest].note(RowGroups.tooLong, rows)
    }
    return (rows, Dictionary(uniqueKeysWithValues: zip(columns, evidence)))
  }

  var fact: Adoption.Fact {
    Adoption.Fact(hasValues: integers + reals + texts + blobs > 0, hasNulls: nulls > 0)
  }

  private mutating func add(_ cell: PreparedStatement.Cell, _ row: Int) {
    switch cell {
    case .null: nulls += 1
    case .integer: integers += 1
    case .real(let real):
      reals += 1
      if real == 0, real.sign == .minus { negativeZeros += 1 }
    case .text: texts += 1
    case .blob: blobs += 1
    }
    if let message = DatabaseCell.problem(cell) { note(message, row) }
  }

  private mutating func note(_ message: String, _ row: Int) {
    if let place = problems.firstIndex(where: { $0.message == message }) {
      problems[place].count += 1
    } else {
      problems.append(Problem(message: message, row: row))
    }
  }

  /// The type that all values have, or `any`.
  ///
  /// - Parameter column: decides if there are no values, and whether numbers stay real: 3.0 in a column that is declared as
  ///   DECIMAL is stored as 3.
  func type(in column: DatabaseSchema.Column) -> DescribedType {
    switch (integers > 0, reals > 0, texts > 0, blobs > 0) {
    case (true, false, false, false): .integer
    case (false, true, false, false): column.affinity == .real ? .number : .any
    case (false, false, true, false): .text
    case (false, false, false, true): .blob
    case (false, false, false, false):
      switch column.affinity {
      case .integer: .integer
      case .text: .text
      case .real: .number
      case .none: column.declared.isEmpty ? .any : .blob
      case .numeric: .any
      }
    default: .any
    }
  }
}
