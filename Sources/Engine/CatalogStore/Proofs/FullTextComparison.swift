import CatalogModel
import GRDB
import Projections

/// Compares full-text indexes with others that are made anew, in memory, of the texts that the table has now.
///
/// An index lists its own words, and finds those: a page of it that lost some shows in neither.
enum FullTextComparison {
  /// A sentence for each index that has other words than its table.
  ///
  /// - Parameter database: may be open for reading alone: what is made is temporary.
  static func problems(of schema: Schema, in database: Database) throws -> [String] {
    try schema.fullTextIndexes.compactMap { index in
      let copy = "fresh_\(index.name)"
      for sql in index.creation(ofTemporary: copy) { try database.execute(sql: sql) }
      defer {
        // They end with the connection at the latest.
        try? database.execute(sql: "DROP TABLE temp.\(copy)_terms; DROP TABLE temp.\(copy)")
      }
      do {
        return try difference(index, "\(copy)_terms", database)
      } catch is StoreError {
        return "the full-text index \(index.name) cannot be read: it was changed by hand"
      }
    }
  }

  /// Walks both lists of words, which are in the same order.
  private static func difference(
    _ index: FullTextIndexDescription, _ copy: String, _ database: Database
  ) throws -> String? {
    let columns = "SELECT term, doc, col, offset FROM"
    let found = try PreparedStatement(database, "\(columns) main.\(index.terms)")
    let expected = try PreparedStatement(database, "\(columns) temp.\(copy)")
    while true {
      let (has, should) = (try found.step(), try expected.step())
      guard has || should else { return nil }
      if has, should, (0..<4).allSatisfy({ isSame(found.cell($0), expected.cell($0)) }) { continue }
      let word = should ? StoredValue(expected.cell(0)) : StoredValue(found.cell(0))
      return
        "the full-text index \(index.name) does not have the words of \(index.table.name): they differ from "
        + "\(JSONExcerpt.printable(word.description)) on"
    }
  }

  /// Without making values of them: there may be millions.
  private static func isSame(
    _ left: PreparedStatement.Cell, _ right: PreparedStatement.Cell
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)): left.elementsEqual(right)
    default: false
    }
  }
}
