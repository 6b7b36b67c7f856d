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
  /// Bytes of a word in an index, at most.
  private static let longest = 32_768

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
      database, "SELECT count(*) FROM \(index.sqlName) WHERE \(index.sqlName) MATCH ?")
    var place = 0
    var beginnings = Beginnings(index.prefixes, step: isWhole ? 1 : step)
    while try words.step() {
      guard case .text(let bytes) = words.cell(0), case .integer(let rows) = words.cell(1) else {
        return "the full-text index \(index.name) has a word that is not a text"
      }
      place += 1
      // FTS5 cuts a longer word, perhaps within a character: what is left cannot be asked for.
      if bytes.count >= longest, String(validating: bytes, as: UTF8.self) == nil { continue }
      beginnings.add(bytes)
      guard isWhole || place % step == 1 || rows >= frequent else { continue }
      let word = String(decoding: bytes, as: UTF8.self)
      let found = try count(search, quoted(word))
      guard found == rows else {
        return
          "a search through the full-text index \(index.name) finds \(found) of \(rows) rows that have the "
          + "word \"\(JSONExcerpt.printable(word))\""
      }
    }
    // Beginnings of words have lists of their own in the index.
    let range = try PreparedStatement(
      database,
      "SELECT count(DISTINCT doc) FROM \(index.terms) WHERE term >= ? AND term < ? || CAST(x'FF' AS TEXT)"
    )
    for beginning in beginnings.chosen {
      let rows = try count(range, beginning, beginning)
      let found = try count(search, "\(quoted(beginning)) *")
      guard found == rows else {
        return
          "a search through the full-text index \(index.name) finds \(found) of \(rows) rows that have a word "
          + "that begins with \"\(JSONExcerpt.printable(beginning))\""
      }
    }
    return nil
  }

  private static func quoted(_ word: String) -> String {
    "\"\(word.replacing(scalar: "\"", with: "\"\""))\""
  }

  private static func count(_ statement: PreparedStatement, _ texts: String...) throws -> Int64 {
    for (place, text) in texts.enumerated() { try statement.bind(.text(text), at: place + 1) }
    defer { statement.reset() }
    guard try statement.step(), case .integer(let count) = statement.cell(0) else { return 0 }
    return count
  }

  /// The beginnings of words that are given in order: of each length the first, and every `step`th after it.
  private struct Beginnings {
    private(set) var chosen: [String] = []
    private let lengths: [Int]
    private let step: Int
    private var last: [Substring.UnicodeScalarView]
    private var counts: [Int]

    init(_ lengths: [Int], step: Int) {
      self.lengths = lengths
      self.step = step
      last = lengths.map { _ in Substring.UnicodeScalarView() }
      counts = lengths.map { _ in 0 }
    }

    mutating func add(_ word: UnsafeRawBufferPointer) {
      guard !lengths.isEmpty else { return }
      let characters = String(decoding: word, as: UTF8.self).unicodeScalars
      for (place, length) in lengths.enumerated() {
        let beginning = characters.prefix(length)
        guard beginning.count == length, !beginning.elementsEqual(last[place]) else { continue }
        last[place] = beginning
        if counts[place] % step == 0 { chosen.append(String(beginning)) }
        counts[place] += 1
      }
    }
  }
}
