import CatalogEngine

/// A show as lists have it.
public struct ShowLine: Hashable, Sendable {
  public var showID: String
  public var date: String
  public var showSequence: Int64
  public var venueName: String
  public var city: String?
  public var state: String?
  public var country: String
  public var recordingCount: Int64
  public var averageRating: Double?
  public var isInLibrary: Bool

  static let shape = TypedTable(
    "shows", key: ["show_id"],
    Field("show_id", \ShowLine.showID), Field("date", \ShowLine.date),
    Field("show_sequence", \ShowLine.showSequence), Field("venue_name", \ShowLine.venueName),
    Field("city", \ShowLine.city), Field("state", \ShowLine.state),
    Field("country", \ShowLine.country), Field("recording_count", \ShowLine.recordingCount),
    Field("average_rating", \ShowLine.averageRating),
    Field("is_in_library", \ShowLine.isInLibrary),
    make: ShowLine.init)

  /// The columns of `shape` where other tables have columns of the same names.
  static let columns = shape.description.columns.map { "shows.\($0.name)" }.joined(
    separator: ", ")

  /// The order of time.
  static let order = [
    KeysetKey("shows.date", \ShowLine.date),
    KeysetKey("shows.show_sequence", \ShowLine.showSequence),
    KeysetKey("shows.show_id", \ShowLine.showID),
  ]
}

extension ShowLine {
  /// Takes what lists have of a row.
  public init(_ show: Show) {
    self.init(
      showID: show.showID, date: show.date, showSequence: show.showSequence,
      venueName: show.venueName, city: show.city, state: show.state, country: show.country,
      recordingCount: show.recordingCount, averageRating: show.averageRating,
      isInLibrary: show.isInLibrary)
  }
}
