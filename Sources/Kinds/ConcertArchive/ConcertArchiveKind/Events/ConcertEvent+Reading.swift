import CatalogModel

extension ConcertEvent {
  init(_ type: ConcertEventType, from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self =
      switch type {
      case .packageImported: .packageImported(try ImportedPackage(from: &data))
      case .showUpserted: .showUpserted(try ShowFacts(from: &data))
      case .showRemoved: .showRemoved(try data.string("show"))
      case .recordingUpserted: .recordingUpserted(try RecordingFacts(from: &data))
      case .recordingRemoved: .recordingRemoved(try data.string("recording"))
      case .collectionUpserted: .collectionUpserted(try CollectionFacts(from: &data))
      case .collectionRemoved: .collectionRemoved(try data.string("id"))
      case .libraryShowAdded: .libraryShowAdded(try data.string("show"))
      case .libraryShowRemoved: .libraryShowRemoved(try data.string("show"))
      case .libraryShowPinned:
        .libraryShowPinned(try data.string("show"), try data.bool("pinned"))
      case .libraryShowNoted:
        .libraryShowNoted(try data.string("show"), try data.optionalString("notes"))
      case .libraryShowRated:
        .libraryShowRated(try data.string("show"), try data.optionalDouble("rating"))
      case .libraryShowTagged:
        .libraryShowTagged(try data.string("show"), try data.strings("tags"))
      case .showPlayed: .showPlayed(try data.string("show"))
      case .recentCleared: .recentCleared(try ClearedRecent(from: &data))
      }
  }
}

extension ClearedRecent {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    let before = try data.optionalString("before")
    let show = try data.optionalString("show")
    switch (before, show) {
    case (nil, let show?): self = .show(show)
    case (let before?, nil):
      guard let time = Timestamp(before) else {
        throw PayloadReader.Problem(path: "$.data.before", message: "this is not a time")
      }
      self = .before(time)
    default:
      throw PayloadReader.Problem(
        path: "$.data", message: "one of \"before\" and \"show\" must be null, the other not")
    }
  }
}

extension ImportedPackage {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      version: try data.string("version"), packageName: try data.string("packageName"),
      versionType: try data.string("versionType"),
      description: try data.optionalString("description"),
      gitCommit: try data.optionalString("gitCommit"),
      gitTag: try data.optionalString("gitTag"),
      buildTimestamp: try data.optionalString("buildTimestamp"),
      sha256: try data.string("sha256"),
      counts: Counts(
        shows: try data.int64("shows"), recordings: try data.int64("recordings"),
        collections: try data.int64("collections"), venues: try data.int64("venues"),
        files: try data.int64("files"), bytes: try data.int64("bytes")),
      unlisted: try data.strings("unlisted"))
  }
}

extension ShowFacts {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      showID: try data.string("show"), date: try Self.date(&data),
      band: try data.string("band"), url: try data.optionalString("url"),
      venue: try data.string("venue"), city: try data.optionalString("city"),
      state: try data.optionalString("state"), country: try data.optionalString("country"),
      location: try data.optionalString("location"),
      setlistStatus: try data.optionalString("setlistStatus"),
      setlist: try data.objects("setlist") { (set) throws(PayloadReader.Problem) in
        ConcertSet(
          name: try set.optionalString("set"),
          songs: try set.objects("songs") { (song) throws(PayloadReader.Problem) in
            Song(name: try song.string("name"), segue: try song.optionalBool("segue"))
          } ?? [])
      },
      lineupStatus: try data.optionalString("lineupStatus"),
      lineup: try data.objects("lineup") { (musician) throws(PayloadReader.Problem) in
        Musician(
          name: try musician.string("name"),
          instruments: try musician.optionalString("instruments"))
      },
      recordings: try data.strings("recordings"),
      recordingCount: try data.int64("recordingCount"),
      bestRecording: try data.optionalString("bestRecording"),
      averageRating: try data.optionalDouble("averageRating"),
      totalReviews: try data.int64("totalReviews"), showTime: try Self.showTime(&data))
  }

  private static func date(_ data: inout PayloadReader) throws(PayloadReader.Problem) -> String {
    let date = try data.string("date")
    guard ShowDate(date) != nil else {
      throw PayloadReader.Problem(path: "$.data.date", message: "this is not a date")
    }
    return date
  }

  private static func showTime(
    _ data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> ShowTime? {
    guard let text = try data.optionalString("showTime") else { return nil }
    guard let time = ShowTime(rawValue: text) else {
      throw PayloadReader.Problem(
        path: "$.data.showTime", message: "this is not early, late or null")
    }
    return time
  }
}

extension RecordingFacts {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      identifier: try data.string("recording"),
      sourceType: try data.optionalString("sourceType"), rating: try data.double("rating"),
      rawRating: try data.double("rawRating"), reviewCount: try data.int64("reviewCount"),
      confidence: try data.double("confidence"), highRatings: try data.int64("highRatings"),
      lowRatings: try data.int64("lowRatings"), taper: try data.optionalString("taper"),
      source: try data.optionalString("source"), lineage: try data.optionalString("lineage"))
  }
}

extension CollectionFacts {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      id: try data.string("id"), name: try data.string("name"),
      description: try data.string("description"), tags: try data.strings("tags"),
      showIDs: try data.strings("showIds"))
  }
}
