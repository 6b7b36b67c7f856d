import CatalogModel
import CatalogStore
import GRDB
import LibC
import Projections

/// Reads the items and what sources give them, each table once in its own order, and makes the parts of an
/// index.
struct TaggingsReader {
  /// Items by number; no item has number 0, and none has that of an item which a revert removed.
  private(set) var ids: [EntityID] = [EntityID(high: 0, low: 0)]
  private(set) var vocabularies: Vocabularies
  private let database: Database
  private let mark: IndexMark
  private let kinds = Kind.allCases.map { ($0, name: Array($0.rawValue.utf8)) }
  private var visible: [NumberSet] = []
  private var offsets: [UInt32] = [0, 0]
  private var values: [UInt32] = []

  init(_ database: Database, at mark: IndexMark) throws {
    self.database = database
    self.mark = mark
    vocabularies = try Vocabularies(database)
  }

  mutating func read() throws -> Taggings {
    try readItems()
    try readTags()
    var downloaded = NumberSet(below: ids.count)
    let statement = try PreparedStatement(database, ItemFacts.downloaded)
    while try statement.step() {
      downloaded.insert(try number(statement.cell(0), "item_local_audio"))
    }
    return Taggings(
      visible: visible, downloaded: downloaded, offsets: offsets, values: values,
      valueCount: vocabularies.count)
  }

  private mutating func readItems() throws {
    var shown = Kind.allCases.map { _ in [UInt32]() }
    let statement = try PreparedStatement(
      database, "SELECT number, item_id, kind, is_visible FROM projection_item ORDER BY number")
    let row = statement.row(ItemFacts.origin)
    while try statement.step() {
      // Numbers are given one after the other, and a revert takes some away.
      let number = statement.integer(0)
      guard mark.canHave(itemNumber: number, next: ids.count) else {
        throw StoreError.changedByHand("projection_item")
      }
      while ids.count < number { ids.append(ids[0]) }
      ids.append(try row.id(1))
      guard let kind = kind(named: try statement.text(2, of: ItemFacts.origin)) else {
        throw row.drift(2, "one of " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
      }
      if try row.flag(3) { shown[kind.place].append(UInt32(number)) }
    }
    visible = shown.map { numbers in
      var set = NumberSet(below: ids.count)
      set.insert(numbers)
      return set
    }
  }

  private mutating func readTags() throws {
    let suppressed = try readSuppressions()
    offsets.reserveCapacity(ids.count + 1)
    // For most catalogs: what is not used of it never becomes memory.
    values.reserveCapacity(ids.count * 8)
    let list = TagListReader()
    var tags: [TagListReader.Tag] = []
    var number: UInt32 = 0
    var sources = 0
    let statement = try PreparedStatement(
      database,
      """
      SELECT item_number, tags FROM projection_tagging ORDER BY item_number, source_id
      """)
    while try statement.step() {
      let next = try self.number(statement.cell(0), "projection_tagging")
      if next != number {
        finish(number, of: sources, suppressed, before: next)
        number = next
        sources = 0
      }
      sources += 1
      let text = try statement.text(1, of: ItemFacts.taggings)
      guard let count = list.read(text, into: &tags) else {
        throw statement.row(ItemFacts.taggings).drift(1, "a list of tags, as location=3,7 mood=2")
      }
      for tag in tags[..<count] {
        values.append(vocabularies.ordinal(adding: tag.id, of: tag.dimension))
      }
    }
    finish(number, of: sources, suppressed, before: UInt32(ids.count))
  }

  /// Ends the list of an item whose rows were read.
  private mutating func finish(
    _ number: UInt32, of sources: Int, _ suppressed: [UInt32: Set<UInt32>], before next: UInt32
  ) {
    if sources > 1 || !suppressed.isEmpty {
      // Several sources may give the same.
      let start = Int(offsets.last ?? 0)
      let own = Set(values[start...]).subtracting(suppressed[number] ?? [])
      values.replaceSubrange(start..., with: own.sorted())
    }
    while offsets.count <= Int(next) { offsets.append(UInt32(values.count)) }
  }

  private func kind(named name: UnsafeRawBufferPointer) -> Kind? {
    guard let start = name.baseAddress else { return nil }
    return kinds.first { $0.name.count == name.count && memcmp($0.name, start, name.count) == 0 }?.0
  }

  /// What people took from items, by item.
  private mutating func readSuppressions() throws -> [UInt32: Set<UInt32>] {
    var suppressed: [UInt32: Set<UInt32>] = [:]
    let statement = try PreparedStatement(
      database, "SELECT item_number, dimension, value_id FROM projection_suppression")
    let row = statement.row(ItemFacts.suppressions)
    while try statement.step() {
      let number = try number(statement.cell(0), "projection_suppression")
      suppressed[number, default: []].insert(
        vocabularies.ordinal(adding: try row.integer(2), of: try row.dimension(1).ordinal))
    }
    return suppressed
  }

  private func number(_ cell: PreparedStatement.Cell, _ table: String) throws -> UInt32 {
    guard case .integer(let number) = cell, number > 0, number < ids.count else {
      throw StoreError.changedByHand(table)
    }
    return UInt32(number)
  }
}

extension ItemFacts {
  static let origin = StoredRow.Origin("projection_item", ("number", 0))
  static let taggings = StoredRow.Origin("projection_tagging", ("item_number", 0))
  static let suppressions = StoredRow.Origin(
    "projection_suppression", ("item_number", 0), ("dimension", 1), ("value_id", 2))

  /// Selects the numbers of items whose audio is installed.
  static let downloaded = """
    SELECT numbered.number FROM item_local_audio AS audio
    CROSS JOIN local_asset AS asset ON asset.id = audio.asset_id
    CROSS JOIN projection_item AS numbered ON numbered.item_id = audio.item_id
    WHERE asset.local_path IS NOT NULL
    """

  /// Reads the facts of one item, and its number; nil if there is none.
  static func read(
    _ id: EntityID, _ vocabularies: inout Vocabularies, _ database: Database
  ) throws -> (number: UInt32, facts: ItemFacts)? {
    let text = id.description
    let items = try database.cachedStatement(
      sql: "SELECT number, kind, is_visible FROM projection_item WHERE item_id = ?")
    let item = try items.firstRow(of: origin, [text]) { row in
      (number: try row.integer(0), kind: try row.name(1, as: Kind.self), isVisible: try row.flag(2))
    }
    guard let item else { return nil }
    guard let number = UInt32(exactly: item.number), number > 0 else {
      throw StoreError.changedByHand("projection_item")
    }
    let isDownloaded = try database.cachedStatement(sql: downloaded + " AND audio.item_id = ?")
      .firstRow(of: origin, [text]) { _ in true }
    var values: Set<UInt32> = []
    let given = try database.cachedStatement(
      sql: "SELECT item_number, tags FROM projection_tagging WHERE item_number = ?")
    try given.forEachRow(of: taggings, [item.number]) { row in
      for tag in try row.tags(1) {
        values.insert(vocabularies.ordinal(adding: tag.value, of: tag.dimension.ordinal))
      }
    }
    let taken = try database.cachedStatement(
      sql: """
        SELECT item_number, dimension, value_id FROM projection_suppression WHERE item_number = ?
        """)
    try taken.forEachRow(of: suppressions, [item.number]) { row in
      values.remove(
        vocabularies.ordinal(adding: try row.integer(2), of: try row.dimension(1).ordinal))
    }
    return (
      number,
      ItemFacts(
        kind: item.kind, isVisible: item.isVisible, isDownloaded: isDownloaded != nil,
        values: values.sorted())
    )
  }
}
