import CatalogModel

/// A day, written `1977-05-08`.
public struct ShowDate: Hashable, Sendable {
  public let year: Int64
  public let month: Int64
  public let day: Int64

  /// - Returns: nil for what is not a day of the calendar in this form.
  public init?(_ text: String) {
    // Ten characters with two dashes: of a `Timestamp`'s forms, only a day.
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard text.utf8.count == 10, parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
      Timestamp(text) != nil, let year = Int64(parts[0]), let month = Int64(parts[1]),
      let day = Int64(parts[2])
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }
}

extension PayloadForm {
  static let showDate = PayloadForm("a date", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") {
    ShowDate($0) != nil
  }
}
