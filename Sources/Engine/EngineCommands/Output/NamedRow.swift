import ArgumentParser
package import CatalogEngine
package import CatalogModel
import CatalogStore
import Foundation
package import Projections

/// A row as a person names it: by its key, by the beginning of its id, or by its name.
package struct NamedRow {
  private let table: TableDescription
  private let word: String
  /// Whether a name may have been typed without quotes, or several names.
  private let isOfWords: Bool

  /// As many characters of an id as of an operation's id.
  private static let leastPrefix = 4
  /// How many rows an error lists.
  private static let listed = 10

  /// - Parameters:
  ///   - words: what was typed; a name may have been typed without quotes.
  ///   - table: one whose key has one column.
  package init(_ words: [String], of table: TableDescription) {
    word = words.joined(separator: " ")
    isOfWords = words.count > 1
    self.table = table
  }

  /// Finds the id of the row.
  ///
  /// - Parameter database: called if the words are not a whole id.
  /// - Throws: `ValidationError` if no row, or more than one, has this name or an id that begins so.
  package func id(in database: () throws -> PastDatabase) throws -> EntityID {
    if let id = EntityID(word) { return id }
    let found = try key(in: database())
    guard let id = EntityID(found) else {
      throw ValidationError("\"\(found)\" is not an id of \(table.name)")
    }
    return id
  }

  /// Finds the key of the row, as it is typed.
  ///
  /// - Throws: as `id(in:)`.
  package func key(in database: PastDatabase) throws -> String {
    guard let key = try keyIfNamed(in: database) else {
      let column = table.columns[table.key[0]]
      let one = isOfWords ? "; the words are one name: name one row\(columnAdvice)" : ""
      if column.type == .id {
        throw ValidationError(
          "no row of \(table.name) is called \"\(word)\", or has an id that begins so; a beginning has "
            + "\(Self.leastPrefix) characters or more\(one)")
      }
      throw ValidationError(
        "\"\(word)\" is not a value for \(table.name).\(column.name), which is of type \(column.type), and no row has "
          + "this name\(one)")
    }
    return key
  }

  /// The option that names a column, if the last word is one.
  private var columnAdvice: String {
    let last = word.split(separator: " ").last.map { $0.lowercased() }
    guard let column = table.columns.first(where: { $0.name.lowercased() == last }) else {
      return ""
    }
    return ", and its column with --column \(column.name)"
  }

  /// Whether a row has the word as its key, which is a text.
  func isKey(in database: PastDatabase) throws -> Bool {
    var isKey = false
    try database.forEachRow(
      of:
        "SELECT 1 FROM \(table.sqlName) WHERE \(table.columns[table.key[0]].sqlName) = \(literal) LIMIT 1",
      until: nil
    ) { _ in
    } _: { _ in
      isKey = true
    }
    return isKey
  }

  /// A key that is the word but for the case of the letters of ASCII; nil if there is none, and if keys are no texts.
  func keyInOtherCase(in database: PastDatabase) throws -> String? {
    let key = table.columns[table.key[0]]
    guard key.type == .text else { return nil }
    var found: String?
    try database.forEachRow(
      of:
        "SELECT \(key.sqlName) FROM \(table.sqlName) WHERE \(key.sqlName) = \(literal) COLLATE NOCASE LIMIT 1",
      until: nil
    ) { _ in
    } _: {
      found = Self.plain($0[0])
    }
    return found
  }

  /// As `key(in:)`; nil if no row is meant.
  func keyIfNamed(in database: PastDatabase) throws -> String? {
    let rows = try rows(in: database)
    guard let row = rows.first else { return nil }
    guard rows.count == 1 else {
      let list = words(rows.prefix(Self.listed)).joined(separator: ", ")
      throw ValidationError(
        "several rows of \(table.name) are called \"\(word)\", or have ids that begin so: \(list)"
          + "\(rows.count > Self.listed ? ", …" : ""); name one id")
    }
    return row.key
  }

  private var literal: String { StoredValue.text(word).description }

  /// The rows with this name; if there are none, those whose ids begin with the word.
  private func rows(in database: PastDatabase) throws -> [Found] {
    let key = table.columns[table.key[0]]
    let names = table.columns.filter(\.isName).map(\.sqlName)
    let text = literal
    let name = names.first ?? key.sqlName
    let others = otherColumns.map { ", " + table.columns[$0].sqlName }.joined()
    func forEach(_ condition: String, _ body: (Found) -> Void) throws {
      try database.forEachRow(
        of: "SELECT \(key.sqlName), \(name)\(others) FROM \(table.sqlName) WHERE \(condition)",
        until: nil
      ) { _ in
      } _: {
        body(
          Found(
            key: Self.plain($0[0]), name: Self.plain($0[1]), others: Array($0.dropFirst(2))))
      }
    }
    func found(_ condition: String) throws -> [Found] {
      var rows: [Found] = []
      try forEach("\(condition) ORDER BY 1 LIMIT \(Self.listed + 1)") { rows.append($0) }
      return rows
    }
    for name in names {
      for collation in ["BINARY", "NOCASE"] {
        let rows = try found("\(name) = \(text) COLLATE \(collation)")
        if !rows.isEmpty { return rows }
      }
    }
    let isPrefix =
      key.type == .id && word.utf8.count >= Self.leastPrefix
      && word.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.hexValue != nil }
    let ofPrefix = isPrefix ? try found("\(key.sqlName) LIKE '\(word.lowercased())%'") : []
    guard ofPrefix.isEmpty, !names.isEmpty else { return ofPrefix }
    // SQLite compares letters of ASCII alone, and a search finds names without their accents.
    let plain = Self.withoutAccents(word)
    var rows: [Found] = []
    try forEach("true ORDER BY 1") {
      if rows.count <= Self.listed, Self.withoutAccents($0.name) == plain { rows.append($0) }
    }
    return rows
  }

  /// A name in small letters without the marks over and under them: `uberfahrt` for `Überfahrt`.
  private static func withoutAccents(_ name: String) -> [Unicode.Scalar] {
    name.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.canonicalCombiningClass == .notReordered
    }.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
  }

  /// A row that may be meant.
  private struct Found {
    let key: String
    let name: String
    /// Its values of `otherColumns`.
    let others: [StoredValue]
  }

  /// The texts that tell rows of one name apart.
  private var otherColumns: [Int] {
    let name = table.columns.firstIndex(where: \.isName)
    return table.columns.indices.filter { place in
      let column = table.columns[place]
      return column.type == .text && place != name && !column.isChangeStamp
        && !table.key.contains(place)
    }
  }

  /// Rows for a list: `1b0c… (Nocturne, artist 'A Pianist')`, with the first two columns in which they differ.
  private func words(_ rows: ArraySlice<Found>) -> [String] {
    let differing = otherColumns.indices.filter { place in
      Set(rows.map { $0.others[place] }).count > 1
    }.prefix(2)
    return rows.map { row in
      let others = differing.map { place in
        ", \(table.columns[otherColumns[place]].name) \(Self.cut(row.others[place]).description)"
      }
      return "\(row.key) (\(row.name)\(others.joined()))"
    }
  }

  /// A value of which a list has the beginning: 60 characters.
  private static func cut(_ value: StoredValue) -> StoredValue {
    guard case .text(let text) = value, text.count > 60 else { return value }
    return .text(text.prefix(60) + "…")
  }

  private static func plain(_ value: StoredValue) -> String {
    if case .text(let text) = value { return text }
    return value.description
  }
}
