public import CatalogModel

/// What a package says of a show.
public struct ShowFacts: Hashable, PayloadObject {
  public var showID: String
  /// `1977-05-08`.
  public var date: String
  public var band: String
  public var url: String?
  public var venue: String
  public var city: String?
  public var state: String?
  /// Nil where the package has none; the row has one all the same (`CountryRule`).
  public var country: String?
  public var location: String?
  public var setlistStatus: String?
  public var setlist: [ConcertSet]?
  public var lineupStatus: String?
  public var lineup: [Musician]?
  /// Identifiers, in the package's order.
  public var recordings: [String]
  public var recordingCount: Int64
  public var bestRecording: String?
  public var averageRating: Double?
  public var totalReviews: Int64
  public var showTime: ShowTime?

  public static let payload = Payload(
    Member("show", \Self.showID), Member("date", \.date, form: .showDate),
    Member("band", \.band), Member("url", \.url), Member("venue", \.venue),
    Member("city", \.city), Member("state", \.state), Member("country", \.country),
    Member("location", \.location), Member("setlistStatus", \.setlistStatus),
    Member("setlist", \.setlist), Member("lineupStatus", \.lineupStatus),
    Member("lineup", \.lineup), Member("recordings", \.recordings),
    Member("recordingCount", \.recordingCount), Member("bestRecording", \.bestRecording),
    Member("averageRating", \.averageRating), Member("totalReviews", \.totalReviews),
    Member("showTime", \.showTime), make: Self.init)
}

/// A set of a concert: what was played between two breaks.
public struct ConcertSet: Hashable, PayloadObject {
  /// `Set 1`, `Encore`; nil if nobody knows.
  public var name: String?
  public var songs: [Song]

  /// Logs may have null for no songs.
  public static let payload = Payload(
    Member("set", \Self.name), Member("songs") { Optional($0.songs) },
    make: { Self(name: $0, songs: $1 ?? []) })
}

public struct Song: Hashable, PayloadObject {
  public var name: String
  /// Whether it runs into the next; nil if nobody knows, which is not false.
  public var segue: Bool?

  public static let payload = Payload(
    Member("name", \Self.name), Member("segue", \.segue), make: Self.init)
}

public struct Musician: Hashable, PayloadObject {
  public var name: String
  /// `guitar, vocals`.
  public var instruments: String?

  public static let payload = Payload(
    Member("name", \Self.name), Member("instruments", \.instruments), make: Self.init)
}
