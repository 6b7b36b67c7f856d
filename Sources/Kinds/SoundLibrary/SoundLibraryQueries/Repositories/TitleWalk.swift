import CatalogModel
import CatalogStore
import GRDB
import Projections
import SoundLibraryKind

/// The first items of a search that finds very many, in a process that asks once and has no index in memory.
///
/// SQL has to rank and sort all that is found before it knows the first of it. Titles lie in their order in an index of
/// SQLite: here they are looked at one after the other, rank by rank, until enough is found. Where that would take
/// long, as where little is found, the walk is given up.
struct TitleWalk {
  /// What one term finds.
  struct Term {
    /// By the words of texts.
    let inTexts: NumberSet
    /// By tags: a statement that has a row where the item with an id has one of the values that the term names; nil
    /// where it names none.
    let byTags: PreparedStatement?
  }

  struct Found {
    let rank: Int
    let title: String
    let id: String

    /// By rank, title and id, texts as SQLite compares them.
    static func isBefore(_ one: Found, _ other: Found) -> Bool {
      if one.rank != other.rank { return one.rank < other.rank }
      if !one.title.utf8.elementsEqual(other.title.utf8) {
        return one.title.utf8.lexicographicallyPrecedes(other.title.utf8)
      }
      return one.id < other.id
    }
  }

  /// So many items are looked at before it is given up.
  private static let greatestLooks = 5_000

  private let kind: String?
  private let words: String
  /// The same as bytes.
  private let typed: [UInt8]
  private let terms: [Term]
  private let titled: NumberSet
  private let start: Found?
  private let least: Int
  private let database: Database
  private let item: PreparedStatement
  private var looks = 0
  private var found: [Found] = []

  /// - Parameters:
  ///   - query: without filters.
  ///   - words: all of what was typed.
  ///   - titled: the items whose titles have all terms.
  ///   - start: items behind this one are wanted.
  ///   - least: so many at least.
  init(
    _ query: ItemQuery, _ words: String, _ terms: [Term], titled: NumberSet, behind start: Found?,
    least: Int, _ database: Database
  ) throws {
    kind = query.kind?.rawValue
    self.words = words
    typed = Array(words.utf8)
    self.terms = terms
    self.titled = titled
    self.start = start
    self.least = least
    self.database = database
    item = try PreparedStatement(
      database, "SELECT item_id, kind, is_visible FROM projection_item WHERE number = ?")
  }

  /// The first items, in order; nil if there are fewer, or to find them takes long.
  mutating func run() throws -> [Found]? {
    // A term that names no tag finds what it finds by texts.
    let certain = terms.filter { $0.byTags == nil }.map(\.inTexts)
    if var all = certain.first {
      for other in certain.dropFirst() { all.formIntersection(other) }
      if all.count < least { return nil }
    }
    let rank = start?.rank ?? 0
    if rank <= 1, try !findBegun() { return nil }
    if found.count < least, rank <= 2, try !findTitled() { return nil }
    let titled = titled
    if found.count < least, try !walk(rank: 3, where: { !titled.contains($0) }) { return nil }
    return found.count < least ? nil : found
  }

  /// Finds items whose titles begin with what was typed, or are that.
  ///
  /// - Returns: false if that takes long, here and below.
  private mutating func findBegun() throws -> Bool {
    try walk(rank: 1, from: words, where: { _ in true })
  }

  /// Finds items whose titles have all terms.
  private mutating func findTitled() throws -> Bool {
    let titled = titled
    // Few of many titles: it is less work to look at each of them than at all titles.
    guard titled.count <= Self.greatestLooks / 2 else {
      return try walk(rank: 2, where: { titled.contains($0) })
    }
    let statement = try PreparedStatement(
      database, "SELECT title FROM projection_item_text WHERE number = ?")
    var numbers: [UInt32] = []
    titled.forEachNumber { numbers.append($0) }
    let first = found.count
    for number in numbers {
      try statement.bind(.integer(Int64(number)), at: 1)
      guard try statement.step() else { throw StoreError.changedByHand("projection_item_text") }
      let title = try statement.text(0, of: ItemWords.origin)
      if !begins(title), try !look(at: number, title, rank: 2) { return false }
      statement.reset()
    }
    found[first...].sort(by: Found.isBefore)
    return true
  }

  /// Looks at titles in their order until enough is found.
  ///
  /// - Parameter isOfRank: by its number; titles that begin with what was typed are of rank 0 or 1, and no others.
  private mutating func walk(
    rank: Int, from text: String = "", where isOfRank: (UInt32) -> Bool
  ) throws -> Bool {
    let statement = try PreparedStatement(
      database, "SELECT number, title FROM projection_item_text WHERE title >= ? ORDER BY title")
    var text = text
    if let start, start.rank == rank, text.utf8.lexicographicallyPrecedes(start.title.utf8) {
      text = start.title
    }
    try statement.bind(.text(text), at: 1)
    let first = found.count
    // Equal titles are in the order of numbers there, and wanted in that of ids.
    defer { found[first...].sort(by: Found.isBefore) }
    while try statement.step() {
      guard let number = UInt32(exactly: statement.integer(0)) else {
        throw StoreError.changedByHand("projection_item_text")
      }
      let isFull = found.count >= least
      let mayBeFound = mayBeFound(number) && isOfRank(number)
      // Where enough is found, only its end is looked for.
      guard mayBeFound || rank == 1 else { continue }
      let title = try statement.text(1, of: ItemWords.origin)
      if isFull, let last = found.last, !title.elementsEqual(last.title.utf8) { break }
      guard begins(title) == (rank == 1) else {
        if rank == 1 { break }
        continue
      }
      if mayBeFound, try !look(at: number, title, rank: rank) { return false }
    }
    return true
  }

  private func begins(_ title: UnsafeRawBufferPointer) -> Bool {
    title.prefix(typed.count).elementsEqual(typed)
  }

  private func mayBeFound(_ number: UInt32) -> Bool {
    terms.allSatisfy { $0.byTags != nil || $0.inTexts.contains(number) }
  }

  /// Keeps an item that all terms find.
  private mutating func look(
    at number: UInt32, _ title: UnsafeRawBufferPointer, rank: Int
  ) throws -> Bool {
    looks += 1
    guard looks <= Self.greatestLooks else { return false }
    guard let id = try id(ofFound: number) else { return true }
    let isWhole = rank == 1 && title.count == typed.count
    let one = Found(
      rank: isWhole ? 0 : rank, title: String(decoding: title, as: UTF8.self), id: id)
    if let start, !Found.isBefore(start, one) { return true }
    found.append(one)
    return true
  }

  /// The id of an item that all terms find, of those that are shown; else nil.
  private func id(ofFound number: UInt32) throws -> String? {
    defer { item.reset() }
    try item.bind(.integer(Int64(number)), at: 1)
    guard try item.step() else { throw StoreError.changedByHand("projection_item") }
    let row = item.row(StoredRow.Origin("projection_item"))
    guard try row.flag(2), try kind == nil || row.text(1) == kind else { return nil }
    let id = try row.text(0)
    for term in terms where !term.inTexts.contains(number) {
      guard let byTags = term.byTags else { return nil }
      defer { byTags.reset() }
      try byTags.bind(.text(id), at: 1)
      guard try byTags.step() else { return nil }
    }
    return id
  }
}
