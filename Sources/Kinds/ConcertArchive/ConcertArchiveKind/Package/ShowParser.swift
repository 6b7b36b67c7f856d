import CatalogModel

/// Reads `shows/ID.json`.
enum ShowParser {
  private enum Key: String, CaseIterable {
    case band, venue, city, state, country, date, url, setlist, lineup, recordings
    case showID = "show_id"
    case locationRaw = "location_raw"
    case setlistStatus = "setlist_status"
    case lineupStatus = "lineup_status"
    case recordingCount = "recording_count"
    case bestRecording = "best_recording"
    case averageRating = "avg_rating"
    case highRatings = "total_high_ratings"
    case lowRatings = "total_low_ratings"
    case showTime = "show_time"
  }

  private static let keys = JSONKeyTable<Key>()

  /// - Parameters:
  ///   - name: of the file, without its ending: the id.
  ///   - recordings: those of the package.
  static func read(
    _ bytes: [UInt8], file: String, name: String, recordings: Set<String>
  ) throws(DocumentError) -> ShowFacts {
    try PackageParser.read(bytes, file: file) { (parser) throws(JSONError) in
      try show(&parser, name, recordings)
    }
  }

  private static func show(
    _ parser: inout PackageParser, _ name: String, _ recordings: Set<String>
  ) throws(JSONError) -> ShowFacts {
    var show = ShowFacts(
      showID: "", date: "", band: "", url: nil, venue: "", city: nil, state: nil, country: nil,
      location: nil, setlistStatus: nil, setlist: nil, lineupStatus: nil, lineup: nil,
      recordings: [], recordingCount: 0, bestRecording: nil, averageRating: nil,
      totalReviews: 0, showTime: nil)
    var seen: Set<Key> = []
    var recordingCount: Int64?
    var reviews: (high: Int64, low: Int64) = (0, 0)
    var object = try parser.json.openObject()
    while let text = try parser.json.nextKey(in: &object) {
      guard let key = keys.match(text, in: parser.json) else {
        try parser.json.skipValue()
        continue
      }
      seen.insert(key)
      switch key {
      case .showID: show.showID = try id(&parser, name)
      case .date: show.date = try date(&parser)
      case .band: show.band = try parser.text(TextRules.title)
      case .venue: show.venue = try parser.text(TextRules.verbatim)
      case .city: show.city = try parser.optionalText(TextRules.verbatim)
      case .state: show.state = try parser.optionalText(TextRules.verbatim)
      case .country: show.country = try parser.optionalText(TextRules.verbatim)
      case .locationRaw: show.location = try parser.optionalText(TextRules.verbatim)
      case .url: show.url = try parser.optionalText(TextRules.verbatim)
      case .setlistStatus: show.setlistStatus = try parser.optionalText(TextRules.name)
      case .setlist: show.setlist = try setlist(&parser)
      case .lineupStatus: show.lineupStatus = try parser.optionalText(TextRules.name)
      case .lineup: show.lineup = try lineup(&parser)
      case .recordings:
        show.recordings = try parser.array { (parser) throws(JSONError) in
          try recording(&parser, recordings)
        }
      case .recordingCount: recordingCount = try parser.optionalCount()
      case .bestRecording:
        show.bestRecording = try parser.json.readNull() ? nil : try parser.identifier()
      case .averageRating:
        // A show without ratings has 0, which is not a rating.
        let rating = try parser.optionalNumber()
        show.averageRating = rating == 0 ? nil : rating
      case .highRatings: reviews.high = try parser.optionalCount() ?? 0
      case .lowRatings: reviews.low = try parser.optionalCount() ?? 0
      case .showTime: show.showTime = try time(&parser)
      }
    }
    for key in [Key.showID, .date, .band, .venue] where !seen.contains(key) {
      throw parser.missing(key.rawValue, at: object.offset)
    }
    show.recordingCount = recordingCount ?? Int64(show.recordings.count)
    show.totalReviews = reviews.high + reviews.low
    return show
  }

  private static func id(
    _ parser: inout PackageParser, _ name: String
  ) throws(JSONError) -> String {
    let start = parser.json.nextOffset
    let id = try parser.showID()
    guard id == NormalForm.nfc(name) else {
      throw JSONError(
        .invalidValue, at: start, "is not the name of this file",
        advice: "a show is in the file of its id, and in no other")
    }
    return id
  }

  private static func recording(
    _ parser: inout PackageParser, _ recordings: Set<String>
  ) throws(JSONError) -> String {
    let start = parser.json.nextOffset
    let identifier = try parser.identifier()
    guard recordings.contains(identifier) else {
      throw JSONError(
        .invalidValue, at: start, "has no file in the package's recordings",
        advice: PackageParser.halfUnpacked)
    }
    return identifier
  }

  private static func date(_ parser: inout PackageParser) throws(JSONError) -> String {
    let start = parser.json.nextOffset
    let text = try parser.json.readString()
    guard ShowDate(text) != nil else {
      throw JSONError(
        .invalidValue, at: start, "is not a date", advice: "write a day such as 1977-05-08")
    }
    return text
  }

  private static func time(_ parser: inout PackageParser) throws(JSONError) -> ShowTime? {
    if try parser.json.readNull() { return nil }
    let start = parser.json.nextOffset
    guard let time = ShowTime(rawValue: try parser.json.readString()) else {
      throw JSONError(
        .invalidValue, at: start, "is not a time of a show", advice: "write early, late or null")
    }
    return time
  }

  // MARK: Set list and lineup

  private enum SetKey: String, CaseIterable {
    case songs
    case name = "set_name"
  }

  private enum SongKey: String, CaseIterable {
    case name
    case segue = "segue_into_next"
  }

  private enum MusicianKey: String, CaseIterable {
    case name, instruments
  }

  private static let setKeys = JSONKeyTable<SetKey>()
  private static let songKeys = JSONKeyTable<SongKey>()
  private static let musicianKeys = JSONKeyTable<MusicianKey>()

  private static func setlist(
    _ parser: inout PackageParser
  ) throws(JSONError) -> [ConcertSet]? {
    if try parser.json.readNull() { return nil }
    return try parser.array { (parser) throws(JSONError) in
      var set = ConcertSet(name: nil, songs: [])
      var object = try parser.json.openObject()
      while let key = try parser.json.nextKey(in: &object) {
        switch setKeys.match(key, in: parser.json) {
        case .name: set.name = try parser.optionalText(TextRules.verbatim)
        case .songs: set.songs = try parser.array(song)
        case nil: try parser.json.skipValue()
        }
      }
      return set
    }
  }

  private static func song(_ parser: inout PackageParser) throws(JSONError) -> Song {
    var name: String?
    var segue: Bool?
    var object = try parser.json.openObject()
    while let key = try parser.json.nextKey(in: &object) {
      switch songKeys.match(key, in: parser.json) {
      case .name: name = try parser.text(TextRules.verbatim)
      case .segue: segue = try parser.json.readNull() ? nil : try parser.json.readBool()
      case nil: try parser.json.skipValue()
      }
    }
    guard let name else { throw parser.missing("name", at: object.offset) }
    return Song(name: name, segue: segue)
  }

  private static func lineup(
    _ parser: inout PackageParser
  ) throws(JSONError) -> [Musician]? {
    if try parser.json.readNull() { return nil }
    return try parser.array { (parser) throws(JSONError) in
      var name: String?
      var instruments: String?
      var object = try parser.json.openObject()
      while let key = try parser.json.nextKey(in: &object) {
        switch musicianKeys.match(key, in: parser.json) {
        case .name: name = try parser.text(TextRules.verbatim)
        case .instruments: instruments = try parser.optionalText(TextRules.verbatim)
        case nil: try parser.json.skipValue()
        }
      }
      guard let name else { throw parser.missing("name", at: object.offset) }
      return Musician(name: name, instruments: instruments)
    }
  }
}
