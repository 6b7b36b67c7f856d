import CatalogModel
import GRDB
import Projections

/// Reads items and joins once, each table in its own order, and makes the parts of an index.
struct TaggingsReader {
  /// Items by number; number 0 is nobody's.
  private(set) var ids: [EntityID] = []
  private(set) var vocabularies: Vocabularies
  private let database: Database
  /// Items in the order of ids, which is the order of the joins.
  private var sorted: [(id: EntityID, number: UInt32)] = []

  init(_ database: Database) throws {
    self.database = database
    vocabularies = try Vocabularies(database)
    var greatest: UInt32 = 0
    let statement = try SQLiteStatement(
      database, "SELECT item_id, number FROM projection_item ORDER BY item_id")
    while try statement.step() {
      guard case .text(let text) = statement.cell(0), let id = EntityID(utf8: text),
        case .integer(let integer) = statement.cell(1), let number = UInt32(exactly: integer)
      else { throw Self.drifted("projection_item") }
      sorted.append((id, number))
      greatest = max(greatest, number)
    }
    // Numbers are dense: else the catalog was changed by hand, and its size is no size of memory.
    guard Int(greatest) <= sorted.count * 2 + 64 else { throw Self.drifted("projection_item") }
    ids = Array(repeating: EntityID(high: 0, low: 0), count: Int(greatest) + 1)
    for item in sorted { ids[Int(item.number)] = item.id }
  }

  mutating func read() throws -> Taggings {
    var visible = Kind.allCases.map { _ in NumberSet(below: ids.count) }
    try forEachItem("SELECT id, kind, is_visible FROM library_item") { number, statement in
      guard case .text(let name) = statement.cell(1),
        let kind = Kind(rawValue: String(decoding: name, as: UTF8.self))
      else { throw Self.drifted("library_item") }
      if case .integer(1) = statement.cell(2) { visible[kind.place].insert(number) }
    }
    var downloaded = NumberSet(below: ids.count)
    try forEachItem(ItemFacts.downloaded) { number, _ in downloaded.insert(number) }

    var offsets = Array(repeating: UInt32(0), count: ids.count + 1)
    var pairs: [(number: UInt32, value: UInt32)] = []
    for dimension in TagDimension.all {
      var last: (id: Int64, ordinal: UInt32)?
      let sql = "SELECT item_id, \(dimension.joinColumn) FROM \(dimension.joinTable)"
      var vocabularies = vocabularies
      try forEachItem(sql + " ORDER BY item_id, \(dimension.joinColumn)") { number, statement in
        guard case .integer(let id) = statement.cell(1) else {
          throw Self.drifted(dimension.joinTable)
        }
        let ordinal: UInt32
        if let last, last.id == id {
          ordinal = last.ordinal
        } else {
          ordinal = vocabularies.ordinal(adding: id, of: dimension)
          last = (id, ordinal)
        }
        pairs.append((number, ordinal))
        offsets[Int(number) + 1] += 1
      }
      self.vocabularies = vocabularies
    }
    for number in 1..<offsets.count { offsets[number] += offsets[number - 1] }
    var ends = offsets
    var values = Array(repeating: UInt32(0), count: pairs.count)
    for pair in pairs {
      values[Int(ends[Int(pair.number)])] = pair.value
      ends[Int(pair.number)] += 1
    }
    return Taggings(
      visible: visible, downloaded: downloaded, offsets: offsets, values: values,
      valueCount: vocabularies.count)
  }

  /// Calls `body` for each row whose first column is an item's id. Rows of nobody are passed over, as a
  /// join does.
  private func forEachItem(
    _ sql: String, _ body: (UInt32, SQLiteStatement) throws -> Void
  ) throws {
    let statement = try SQLiteStatement(database, sql)
    var place = 0
    while try statement.step() {
      guard case .text(let text) = statement.cell(0), let id = EntityID(utf8: text) else {
        throw Self.drifted("a table of items")
      }
      // Most rows are those of the last item or of the next one.
      if place >= sorted.count || sorted[place].id != id {
        if place + 1 < sorted.count, sorted[place + 1].id == id {
          place += 1
        } else if let found = find(id) {
          place = found
        } else {
          continue
        }
      }
      try body(sorted[place].number, statement)
    }
  }

  private func find(_ id: EntityID) -> Int? {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low].id == id ? low : nil
  }

  private static func drifted(_ table: String) -> StoreError {
    StoreError(
      .drifted,
      "\(table) was changed by hand; `catalogctl verify` shows where, `catalogctl rebuild` repairs it"
    )
  }
}

extension ItemFacts {
  /// Selects the ids of items whose audio is installed.
  static let downloaded = """
    SELECT audio.item_id FROM item_local_audio AS audio
    CROSS JOIN local_asset AS asset ON asset.id = audio.asset_id
    WHERE asset.local_path IS NOT NULL
    """

  /// Reads the facts of one item, and its number; nil where there is none.
  static func read(
    _ id: EntityID, _ vocabularies: inout Vocabularies, _ database: Database
  ) throws -> (number: UInt32, facts: ItemFacts)? {
    let text = id.description
    let items = try database.cachedStatement(
      sql: """
        SELECT numbered.number, item.kind, item.is_visible FROM library_item AS item
        CROSS JOIN projection_item AS numbered ON numbered.item_id = item.id WHERE item.id = ?
        """)
    guard let row = try Row.fetchOne(items, arguments: [text]),
      let kind = Kind(rawValue: row[1]), let number = UInt32(exactly: row[0] as Int64)
    else { return nil }
    let isDownloaded = try Row.fetchOne(
      database.cachedStatement(sql: Self.downloaded + " AND audio.item_id = ?"), arguments: [text])
    var values: [UInt32] = []
    for dimension in TagDimension.all {
      let statement = try database.cachedStatement(
        sql: "SELECT \(dimension.joinColumn) FROM \(dimension.joinTable) WHERE item_id = ?")
      for id in try Int64.fetchAll(statement, arguments: [text]) {
        values.append(vocabularies.ordinal(adding: id, of: dimension))
      }
    }
    return (
      number,
      ItemFacts(
        kind: kind, isVisible: row[2] as Int64 == 1, isDownloaded: isDownloaded != nil,
        values: values.sorted())
    )
  }
}
