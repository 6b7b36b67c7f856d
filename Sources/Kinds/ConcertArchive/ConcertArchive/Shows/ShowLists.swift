import CatalogEngine
import ConcertArchiveKind

/// Which shows a list has. In the order of time.
public enum ShowFilter: Hashable, Sendable {
  case all
  case year(Int)
  /// `1977-05`.
  case month(String)
  case city(String)
  case state(String)
  case venue(String)
  /// On this day of any year: `05-08`.
  case onThisDay(String)

  var list: KeysetList<ShowLine> {
    switch self {
    case .all: Self.list("shows")
    case .year(let year): Self.list("shows of \(year)", where: "shows.year = ?", [year])
    case .month(let month):
      Self.list("shows of \(month)", where: "shows.year_month = ?", [month])
    case .city(let city): Self.list("shows in city \(city)", where: "shows.city = ?", [city])
    case .state(let state): Self.list("shows in state \(state)", where: "shows.state = ?", [state])
    case .venue(let venue): Self.list("shows at \(venue)", where: "shows.venue_name = ?", [venue])
    case .onThisDay(let day):
      // A search by date for each year that there is: an index of days would be one of our own.
      KeysetList(
        "shows on \(day)", as: ShowLine.shape, columns: ShowLine.columns,
        from: """
          (WITH RECURSIVE years(year) AS (
             SELECT min(year) FROM shows
             UNION ALL SELECT year + 1 FROM years WHERE year < (SELECT max(year) FROM shows))
           SELECT printf('%04d-', year) || ? AS day FROM years) AS days
          CROSS JOIN shows ON shows.date = days.day
          """, [day], orderedBy: ShowLine.order)
    }
  }

  private static func list(
    _ name: String, where condition: String = "true", _ arguments: [any ColumnValue] = []
  ) -> KeysetList<ShowLine> {
    KeysetList(
      name, as: ShowLine.shape, columns: ShowLine.columns, from: "shows", where: condition,
      arguments, orderedBy: ShowLine.order)
  }
}
