import CatalogEngine
import CatalogModel
import CatalogStore
import GRDB
import Projections

extension ItemList {
  /// The name of a list, with all that makes it another one: a cursor belongs to one list.
  ///
  /// - Parameter sort: nil if the list is a search, whose items are ranked.
  static func name(kind: Kind?, sort: Sort?, filters: Filters, query: String?) -> String {
    var name = "\(kind?.rawValue ?? "any kind") by \(sort?.key.rawValue ?? "rank")"
    if sort?.isDescending == true { name += " descending" }
    for (word, selection) in [("with", filters.included), ("without", filters.excluded)] {
      for dimension in TagDimension.all where !selection[dimension].isEmpty {
        let ids = Set(selection[dimension]).sorted().map(String.init).joined(separator: ",")
        name += " \(word) \(dimension.key) \(ids)"
      }
    }
    let availability = filters.availability.map(\.rawValue).sorted().joined(separator: ",")
    if !availability.isEmpty { name += " that are \(availability)" }
    return name + (query.map { " for \"\($0)\"" } ?? "")
  }

  /// The keys of the item that ended a page.
  struct Place {
    /// The rank of a search, then the title; or whether the item has no duration, then that; or the one key.
    let keys: [Value]
    let id: EntityID

    /// - Throws: `StoreError`: `cursorOfAnotherList`; `malformedCursor` if the title is too long for a cursor and
    ///   its item is gone.
    init(
      _ cursor: KeysetCursor, in name: String, by types: [ColumnType], _ database: Database
    ) throws {
      let keys = try cursor.keys(of: name, types + [.id])
      guard case .value(.id(let id))? = keys.last else { throw KeysetCursor.malformed }
      self.id = id
      self.keys = try keys.dropLast().map { key in
        if case .value(let value) = key {
          value
        } else {
          .text(try ItemList.title(of: id, database))
        }
      }
    }
  }

  func place(_ cursor: KeysetCursor, _ database: Database) throws -> Place {
    let types: [ColumnType] =
      switch sort.key {
      case .title: [.text]
      case .created, .updated: [.time]
      case .duration: [.integer, .real]
      }
    return try Place(cursor, in: name, by: types, database)
  }

  /// The title of an item by which lists are ordered.
  private static func title(of id: EntityID, _ database: Database) throws -> String {
    let title = try database.firstRow(
      of: StoredRow.Origin("projection_item_text", ("number", 1)),
      """
      SELECT words.title, words.number FROM projection_item AS numbered
      CROSS JOIN projection_item_text AS words ON words.number = numbered.number
      WHERE numbered.item_id = ?
      """, [id.description]
    ) { try $0.text(0) }
    guard let title else {
      throw StoreError(.malformedCursor, "the cursor names no item; start again without one")
    }
    return title
  }

  /// A cursor at the item of a row, which has its `sort_key`.
  func cursor(at row: StoredRow) throws -> KeysetCursor {
    let place = Self.keyPlace
    let keys: [Value]
    switch sort.key {
    case .title: keys = [.text(try row.part(Self.wordsOrigin).text(place))]
    case .created, .updated: keys = [.time(try row.time(place))]
    case .duration:
      let duration = try row.optionalReal(place)
      keys = [.integer(duration == nil ? 1 : 0), .real(duration ?? 0)]
    }
    return KeysetCursor(list: name, keys + [.id(try row.id(0))])
  }

  /// The condition of what comes after an item.
  func condition(after place: Place) -> (sql: String, arguments: StatementArguments) {
    let key = key.expression
    let order = sort.isDescending ? "<" : ">"
    let (last, id) = (place.keys.last?.sqlValue, place.id.description)
    if sort.key == .duration {
      guard place.keys[0] == .integer(0) else { return ("\(key) IS NULL AND item.id > ?", [id]) }
      return (
        "\(key) \(order) ? OR \(key) = ? AND item.id > ? OR \(key) IS NULL", [last, last, id]
      )
    }
    // So that an index over the key is entered there.
    return ("\(key) \(order)= ? AND (\(key) \(order) ? OR item.id > ?)", [last, last, id])
  }
}
