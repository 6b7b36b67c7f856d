import CatalogModel
package import GRDB
package import Projections

/// Asks full-text indexes for words that they have.
///
/// The digest of an index reads its words page after page. A search finds its page through another table (`_idx`),
/// which neither that nor SQLite's own checks read: with rows of it gone, a search silently finds less.
package enum FullTextCheck {
  /// A sample asks for every twentieth word.
  private static let step = 20
  /// And for each word of at least a hundred rows: a page holds few of those.
  private static let frequent: Int64 = 100

  /// A sentence for each index that does not find what it has.
  ///
  /// - Parameter isWhole: whether every word is asked for.
  package static func problems(
    of schema: Schema, in database: Database, isWhole: Bool
  ) throws -> [String] {
    var problems: [String] = []
    for index in schema.fullTextIndexes where try database.tableExists(index.terms) {
      if let problem = try problem(of: index, in: database, isWhole: isWhole) {
        problems.append(problem)
      }
    }
    return problems
  }

  private static func problem(
    of index: FullTextIndexDescription, in database: Database, isWhole: Bool
  ) throws -> String? {
    let words = try PreparedStatement(
      database, "SELECT term, count(DISTINCT doc) FROM \(index.terms) GROUP BY term")
    let search = try PreparedStatement(
      database, "SELECT count(*) FROM \(index.name) WHERE \(index.name) MATCH ?")
    var place = 0
    while try words.step() {
      guard case .text(let bytes) = words.cell(0), case .integer(let rows) = words.cell(1) else {
        return "the full-text index \(index.name) has a word that is not a text"
      }
      place += 1
      guard isWhole || place % step == 1 || rows >= frequent else { continue }
      let word = String(decoding: bytes, as: UTF8.self)
      try search.bind(.text("\"\(word.replacing("\"", with: "\"\""))\""), at: 1)
      var found: Int64 = 0
      if try search.step(), case .integer(let count) = search.cell(0) { found = count }
      search.reset()
      guard found == rows else {
        return
          "a search through the full-text index \(index.name) finds \(found) of \(rows) rows that have the "
          + "word \"\(JSONExcerpt.printable(word))\""
      }
    }
    return nil
  }
}
