import CatalogEngine

/// Which shows a list has. In the order of time.
public enum ShowFilter: Hashable, Sendable {
  case all
  case year(Int)
  /// `1977-05`.
  case month(String)
  /// Case, accents, marks and spaces do not count in the names of places.
  case city(String)
  /// `NY` is `New York`, `ON` is `Ontario`.
  case state(String)
  case venue(String)
  /// From a day to another, both included: `1977-04-22`, `1977-06-09`. One day is from it to itself.
  case dates(String, String)
  /// On this day of any year: `05-08`.
  case onThisDay(String)

  /// - Parameters:
  ///   - newestFirst: the order of time backwards.
  ///   - spellings: how the rows write the place (`spellings(in:)`); nil if they write the name itself.
  func list(newestFirst: Bool = false, spellings: [String]? = nil) -> KeysetList<ShowLine> {
    // A cursor of one order is none of the other.
    let direction = newestFirst ? ", the newest first" : ""
    func list(
      _ name: String, where condition: String = "true", _ arguments: [any ColumnValue] = []
    ) -> KeysetList<ShowLine> {
      KeysetList(
        name + direction, as: ShowLine.shape, columns: ShowLine.columns, from: "shows",
        where: condition, arguments, orderedBy: ShowLine.order, isDescending: newestFirst)
    }
    if let (_, column, name) = place {
      let names = spellings ?? [name]
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      return list("shows by \(column) \(name)", where: "shows.\(column) IN (\(marks))", names)
    }
    switch self {
    case .all, .city, .state, .venue: return list("shows")
    case .year(let year): return list("shows of \(year)", where: "shows.year = ?", [year])
    case .month(let month):
      return list("shows of \(month)", where: "shows.year_month = ?", [month])
    case .dates(let first, let last):
      return list(
        "shows from \(first) to \(last)", where: "shows.date BETWEEN ? AND ?", [first, last])
    case .onThisDay(let day):
      // A search by date for each year that there is: an index of days would be one of our own.
      return KeysetList(
        "shows on \(day)" + direction, as: ShowLine.shape, columns: ShowLine.columns,
        from: """
          (WITH RECURSIVE years(year) AS (
             SELECT min(year) FROM shows
             UNION ALL SELECT year + 1 FROM years WHERE year < (SELECT max(year) FROM shows))
           SELECT printf('%04d-', year) || ? AS day FROM years) AS days
          CROSS JOIN shows ON shows.date = days.day
          """, [day], orderedBy: ShowLine.order, isDescending: newestFirst)
    }
  }
}
