public import CatalogModel
public import Projections

/// What the full-text indexes are made from, and the part of a show that has no column of the brief.
public struct ShowText: Equatable, Sendable {
  /// The row id of the indexes: the number of the event that brought the show.
  public var number: Int64
  public var showID: String
  public var showTime: ShowTime?
  /// The text of `show_search`.
  public var searchText: String
  /// The text of `projection_show_words`: folded words, parted by single spaces.
  public var searchWords: String

  public static let table = TypedTable(
    "projection_show_text", key: ["number"],
    indexes: [.index("projection_show_text_show", on: ["show_id"])],
    Field("number", \ShowText.number), Field("show_id", \ShowText.showID),
    Field("show_time", \ShowText.showTime), Field("search_text", \ShowText.searchText),
    Field("search_words", \ShowText.searchWords),
    make: ShowText.init)
}

/// Which of two concerts of a day it is.
public enum ShowTime: String, ColumnValue, PayloadValue, CaseIterable, Sendable {
  case early
  case late
}

/// Shows by their rating: the brief's indexes have none for it.
public struct RatedShow: Equatable, Sendable {
  public var showID: String
  public var averageRating: Double
  public var totalReviews: Int64

  public static let table = TypedTable(
    "projection_rated_show", key: ["show_id"],
    indexes: [
      .index(
        "projection_rated_show_rating",
        on: ["average_rating", "total_reviews", "show_id"])
    ],
    Field("show_id", \RatedShow.showID), Field("average_rating", \RatedShow.averageRating),
    Field("total_reviews", \RatedShow.totalReviews), make: RatedShow.init)
}
