import CatalogModel
import CatalogStore
import GRDB
import Support

/// A value of a dimension, with what a list of the vocabulary shows.
public struct VocabularyEntry: Hashable, Sendable {
  public let value: TagValue
  /// Place in the vocabulary; nil if no seed lists the value.
  public let sortOrder: Int64?
  /// False for a value that only people use.
  public let isSystem: Bool
  /// Visible items that have it.
  public internal(set) var itemCount: Int
  /// Other names that mean it, by name.
  public let aliases: [String]
}

/// Reads the vocabularies of the six dimensions.
public struct VocabularyRepository: Sendable {
  private let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// All values of a dimension: those with a place in the vocabulary first, then by name.
  public func values(of dimension: TagDimension) async throws -> [VocabularyEntry] {
    try await reader.read { try Self.values($0, dimension) }
  }

  /// The value that a name means in a dimension, by itself or as an alias.
  ///
  /// - Throws: `StoreError` with `notFound`, which says what is near.
  public func value(named name: String, in dimension: TagDimension) async throws -> TagValue {
    let folded = (try? TextRules.tagName(name)) ?? name
    return try await reader.read { database in
      // As it is spelt first: older logs hold names that no rule would let in.
      for spelling in [name, folded] {
        let value = try database.firstRow(
          of: TagValue.origin(dimension),
          """
          SELECT id, name FROM \(dimension.table) WHERE name = ?1
          UNION ALL SELECT value.id, value.name FROM projection_alias AS alias
          JOIN \(dimension.table) AS value ON value.id = alias.value_id
          WHERE alias.dimension = ?2 AND alias.name = ?1
          """, [spelling, dimension.table], TagValue.init)
        if let value { return value }
      }
      let names = try database.rows(
        of: StoredRow.Origin(dimension.table),
        """
        SELECT name FROM (
          SELECT name, 0 AS rank, sort_order FROM \(dimension.table)
          UNION ALL SELECT name, 1, NULL FROM projection_alias WHERE dimension = ?)
        ORDER BY rank, sort_order IS NULL, sort_order, name
        """, [dimension.table]
      ) { try $0.text(0) }
      throw StoreError(
        .notFound,
        "\(dimension.key) has no value \"\(JSONExcerpt.printable(name))\"; "
          + "\(Suggestion.text(for: folded, among: names))\(do: .listNames(of: dimension)) lists them"
      )
    }
  }

  /// - Parameter countsItems: else each has 0. Of a large catalog it is most of the work.
  static func values(
    _ database: Database, _ dimension: TagDimension, countsItems: Bool = true
  ) throws -> [VocabularyEntry] {
    var aliases: [Int64: [String]] = [:]
    try database.forEachRow(
      of: StoredRow.Origin("projection_alias", ("dimension", 2), ("name", 1)),
      """
      SELECT value_id, name, dimension FROM projection_alias WHERE dimension = ? ORDER BY name
      """, [dimension.table]
    ) { aliases[try $0.integer(0), default: []].append(try $0.text(1)) }
    // Nearly all items are visible: it is less work to count all taggings, in the index, and those of the others.
    let counts = """
      WITH hidden AS MATERIALIZED (\(HiddenItems.sql)), of_hidden AS MATERIALIZED (
        SELECT tagging.\(dimension.joinColumn) AS value_id, count(*) AS count
        FROM hidden CROSS JOIN \(dimension.joinTable) AS tagging USING (item_id) GROUP BY 1)
      """
    let count = """
      (SELECT count(*) FROM \(dimension.joinTable) AS tagging
       WHERE tagging.\(dimension.joinColumn) = value.id)
      - coalesce((SELECT count FROM of_hidden WHERE value_id = value.id), 0)
      """
    return try database.rows(
      of: TagValue.origin(dimension),
      """
      \(countsItems ? counts : "")
      SELECT value.id, value.name, value.sort_order, value.is_system,
        \(countsItems ? count : "0") AS items
      FROM \(dimension.table) AS value
      ORDER BY value.sort_order IS NULL, value.sort_order, value.name
      """
    ) { row in
      let value = try TagValue(row)
      return VocabularyEntry(
        value: value, sortOrder: try row.optionalNumber(2), isSystem: try row.flag(3),
        itemCount: try row.count(4), aliases: aliases[value.id] ?? [])
    }
  }

  /// How many visible items have one value.
  static func itemCount(
    _ database: Database, _ dimension: TagDimension, of value: Int64
  ) throws -> Int {
    try database.rows(
      of: TagValue.origin(dimension),
      """
      SELECT count(*) FROM \(dimension.joinTable) AS tagging
      CROSS JOIN library_item AS item ON item.id = tagging.item_id
      WHERE tagging.\(dimension.joinColumn) = ? AND item.is_visible = 1
      """, [value]
    ) { try $0.count(0) }.first ?? 0
  }
}

/// What may have been meant by a name that is none.
enum Suggestion {
  /// `did you mean "Forest"? `, or nothing.
  static func text(for name: String, among names: [String]) -> String {
    let words = SearchText(name).words
    let near =
      names.first { SearchText($0).words == words } ?? NearMiss.find(name, among: names)
      ?? names.first { !words.isEmpty && SearchText($0).words.hasPrefix(words) }
      ?? names.first { !words.isEmpty && SearchText($0).words.contains(words) }
    return near.map { "did you mean \"\(JSONExcerpt.printable($0))\"? " } ?? ""
  }
}
