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

  private static let keys = JSONKeyTable<Key>(required: [.showID, .date, .band, .venue])

  /// - Parameters:
  ///   - name: of the file, without its ending: the id.
  ///   - recordings: the identifiers that a show may list.
  static func read(
    _ bytes: [UInt8], file: String, name: String, recordings: (String) -> Bool
  ) throws(DocumentError) -> ShowFacts {
    try DocumentReader.read(bytes, file: file, rules: PackageFormat.rules) {
      show(&$0, name, recordings)
    }
  }

  private static func show(
    _ document: inout DocumentReader, _ name: String, _ recordings: (String) -> Bool
  ) -> ShowFacts? {
    var show = ShowFacts(
      showID: "", date: "", band: "", venue: "", recordings: [], recordingCount: 0,
      totalReviews: 0)
    var recordingCount: Int64?
    var reviews: (high: Int64, low: Int64) = (0, 0)
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, keys) {
      switch key {
      // What is nil here was noted as a fault, and there is no show then.
      case .showID: show.showID = id(&document, name) ?? ""
      case .date: show.date = date(&document) ?? ""
      case .band: show.band = document.text(TextRules.title) ?? ""
      case .venue: show.venue = document.text(TextRules.verbatim) ?? ""
      case .city: show.city = document.optionalText(TextRules.verbatim)
      case .state: show.state = document.optionalText(TextRules.verbatim)
      case .country: show.country = document.optionalText(TextRules.verbatim)
      case .locationRaw: show.location = document.optionalText(TextRules.verbatim)
      case .url: show.url = document.optionalText(TextRules.verbatim)
      case .setlistStatus: show.setlistStatus = document.optionalText(TextRules.name)
      case .setlist: show.setlist = setlist(&document)
      case .lineupStatus: show.lineupStatus = document.optionalText(TextRules.name)
      case .lineup: show.lineup = lineup(&document)
      case .recordings: show.recordings = document.optionalList { recording(&$0, recordings) }
      case .recordingCount: recordingCount = document.optionalInteger(atLeast: 0)
      case .bestRecording: show.bestRecording = document.null() ? nil : document.identifier()
      case .averageRating:
        // A show without ratings has 0, which is not a rating.
        let rating = document.optionalNumber()
        show.averageRating = rating == 0 ? nil : rating
      case .highRatings: reviews.high = document.optionalInteger(atLeast: 0) ?? 0
      case .lowRatings: reviews.low = document.optionalInteger(atLeast: 0) ?? 0
      case .showTime: show.showTime = time(&document)
      }
    }
    show.recordingCount = recordingCount ?? Int64(show.recordings.count)
    show.totalReviews = reviews.high + reviews.low
    return show
  }

  private static func id(_ document: inout DocumentReader, _ name: String) -> String? {
    let start = document.nextOffset
    guard let id = document.showID() else { return nil }
    if id != NormalForm.nfc(name) {
      document.note(
        .invalidValue, at: start, "is not the name of this file",
        advice: "a show is in the file of its id, and in no other")
    }
    return id
  }

  private static func recording(
    _ document: inout DocumentReader, _ recordings: (String) -> Bool
  ) -> String? {
    let start = document.nextOffset
    guard let identifier = document.identifier() else { return nil }
    if !recordings(identifier) {
      document.note(
        .invalidValue, at: start, "has no file in the package's recordings",
        advice: PackageFormat.halfUnpacked)
    }
    return identifier
  }

  private static func date(_ document: inout DocumentReader) -> String? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    if ShowDate(text) == nil {
      document.note(
        .invalidValue, at: start, "is not a date", advice: "write a day such as 1977-05-08")
    }
    return text
  }

  private static func time(_ document: inout DocumentReader) -> ShowTime? {
    if document.null() { return nil }
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    let time = ShowTime(rawValue: text)
    if time == nil {
      document.note(
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
  private static let songKeys = JSONKeyTable<SongKey>(required: [.name])
  private static let musicianKeys = JSONKeyTable<MusicianKey>(required: [.name])

  private static func setlist(_ document: inout DocumentReader) -> [ConcertSet]? {
    if document.null() { return nil }
    return document.list { document in
      var set = ConcertSet(songs: [])
      guard var object = document.object() else { return nil }
      while let key = document.next(in: &object, setKeys) {
        switch key {
        case .name: set.name = document.optionalText(TextRules.verbatim)
        case .songs: set.songs = document.optionalList { song(&$0) }
        }
      }
      return set
    }
  }

  private static func song(_ document: inout DocumentReader) -> Song? {
    var name: String?
    var segue: Bool?
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, songKeys) {
      switch key {
      case .name: name = document.text(TextRules.verbatim)
      case .segue: segue = document.optionalFlag()
      }
    }
    return name.map { Song(name: $0, segue: segue) }
  }

  private static func lineup(_ document: inout DocumentReader) -> [Musician]? {
    if document.null() { return nil }
    return document.list { document in
      var name: String?
      var instruments: String?
      guard var object = document.object() else { return nil }
      while let key = document.next(in: &object, musicianKeys) {
        switch key {
        case .name: name = document.text(TextRules.verbatim)
        case .instruments: instruments = document.optionalText(TextRules.verbatim)
        }
      }
      return name.map { Musician(name: $0, instruments: instruments) }
    }
  }
}
