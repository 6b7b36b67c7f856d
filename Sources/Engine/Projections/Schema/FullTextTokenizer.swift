/// How a full-text index parts texts into words.
public struct FullTextTokenizer: Hashable, Sendable {
  /// What follows `tokenize=`, without quotes.
  let sql: String
  /// Whether every version of SQLite finds the same words in the same text. Receipts of the content, which are
  /// compared across machines, leave out the words of indexes of which that is not so.
  package let isPortable: Bool

  /// Words are parted by single spaces and compared byte by byte: texts are folded before (`SearchText`).
  public static let words = FullTextTokenizer(
    // Every printable ASCII character is part of a word: texts are taken apart before. Quotes never
    // reach the index. All other bytes are parts of words to this tokenizer anyway.
    sql: "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_{|}~'", isPortable: true)

  /// Letters and digits of Unicode, folded by the tables that the version of SQLite has.
  ///
  /// - Parameters:
  ///   - diacritics: 0 keeps them, 1 removes most of them, 2 all, as FTS5 counts.
  ///   - tokenCharacters: more characters that are parts of words.
  ///   - separators: characters that are not.
  public static func unicode61(
    diacritics: Int = 1, tokenCharacters: String = "", separators: String = ""
  ) -> FullTextTokenizer {
    precondition(0...2 ~= diacritics, "FTS5 knows three ways with diacritics: 0, 1 and 2")
    precondition(
      !(tokenCharacters + separators).contains { "'\"\0".contains($0) },
      "no quotes in the characters of a tokenizer")
    var sql = "unicode61"
    if diacritics != 1 { sql += " remove_diacritics \(diacritics)" }
    if !tokenCharacters.isEmpty { sql += " tokenchars '\(tokenCharacters)'" }
    if !separators.isEmpty { sql += " separators '\(separators)'" }
    return FullTextTokenizer(sql: sql, isPortable: false)
  }
}

/// A column of a full-text index.
public struct FullTextColumn: Sendable, ExpressibleByStringLiteral {
  let name: String
  let isIndexed: Bool

  public init(stringLiteral name: String) {
    self.init(name: name, isIndexed: true)
  }

  private init(name: String, isIndexed: Bool) {
    self.name = name
    self.isIndexed = isIndexed
  }

  /// A column that is read with what is found, and in which nothing is found.
  public static func unindexed(_ name: String) -> FullTextColumn {
    FullTextColumn(name: name, isIndexed: false)
  }
}

/// Where the texts of a full-text index are.
public enum FullTextContent: Sendable {
  /// In the table that it is over, and nowhere else.
  case table
  /// In the index once more, for who must find an FTS5 table of that form: all of it is kept twice.
  case own
}
