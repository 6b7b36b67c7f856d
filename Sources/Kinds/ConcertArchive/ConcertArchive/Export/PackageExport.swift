import CatalogEngine

/// The rows of an archive, as far as a package can have them.
struct PackageExport {
  /// In the order of their ids.
  private(set) var shows: [ShowFacts] = []
  /// In the order of their identifiers.
  private(set) var recordings: [RecordingFacts] = []
  /// In the order of their ids.
  private(set) var collections: [CollectionFacts] = []
  /// In the order of the shows' ids.
  private(set) var library: [LibraryShow] = []
  private(set) var omitted: [OmittedRows] = []
  private let version: DataVersion?

  init(_ rows: ProvedRows) throws {
    version = try rows.row(of: DataVersion.table, key: 1)
    recordings = try rows.rows(of: Recording.table).map { RecordingFacts($0) }
    let identifiers = Set(recordings.map(\.identifier))
    let links = Dictionary(grouping: try rows.rows(of: RecordingLink.table), by: \.showID)
      .mapValues { $0.sorted { $0.position < $1.position }.map(\.identifier) }
    let times = Dictionary(
      try rows.rows(of: ShowText.table).map { ($0.showID, $0.showTime) },
      uniquingKeysWith: { first, _ in first })
    // A package that lists what it does not have is half unpacked.
    var lost = 0
    var unread = 0
    for show in try rows.rows(of: Show.table) {
      let listed = links[show.showID] ?? []
      let present = listed.filter(identifiers.contains)
      lost += listed.count - present.count
      let facts = ShowFacts(show, recordings: present, time: times[show.showID].flatMap(\.self))
      let isWhole =
        (show.setlistRaw == nil) == (facts.setlist == nil)
        && (show.lineupRaw == nil) == (facts.lineup == nil)
      if !isWhole { unread += 1 }
      shows.append(facts)
    }
    let ids = Set(shows.map(\.showID))
    let members = Dictionary(
      grouping: try rows.rows(of: CollectionMember.table), by: \.collectionID
    )
    .mapValues { $0.sorted { $0.position < $1.position }.map(\.showID) }
    var strangers = 0
    for collection in try rows.rows(of: ShowCollection.table) {
      let listed = members[collection.id] ?? []
      let present = listed.filter(ids.contains)
      strangers += listed.count - present.count
      collections.append(CollectionFacts(collection, shows: present))
    }
    library = try rows.rows(of: LibraryShow.table)
    omitted = [
      OmittedRows("shows", unread, "of which a set list or a lineup has another form"),
      OmittedRows(
        "projection_show_recording", lost, "which name recordings that the archive does not have"),
      OmittedRows(
        "projection_collection_show", strangers, "which name shows that the archive does not have"),
      OmittedRows("recent_shows", try rows.rows(of: RecentShow.table).count, "what was played"),
    ]
  }
}

extension PackageExport {
  /// None of an empty archive: an import refuses a package without shows.
  var documents: [ExportedDocument] {
    if shows.isEmpty, collections.isEmpty { return [] }
    return [
      ExportedDocument("manifest.json", manifest),
      ExportedDocument("collections.json", .object { $0.add("collections", collections, \.json) }),
    ]
      + shows.map { ExportedDocument("shows/\($0.showID).json", $0.json) }
      + recordings.map { ExportedDocument("recordings/\($0.identifier).json", $0.json) }
      + (library.isEmpty
        ? [] : [ExportedDocument(SavedShowsDocument.name, SavedShowsDocument.json(of: library))])
  }

  /// An archive without a package has restored rows alone.
  private var manifest: JSONValue {
    .object {
      $0.add("package") {
        $0.add("name", version?.packageName ?? "export")
        $0.add("version", version?.dataVersion ?? "0")
        $0.add("version_type", version?.versionType)
        $0.add("description", version?.description)
      }
      $0.add("build_info") {
        $0.add("git_commit", version?.gitCommit)
        $0.add("git_tag", version?.gitTag)
        $0.add("build_timestamp", version?.buildTimestamp)
      }
    }
  }
}

extension ShowFacts {
  /// - Parameters:
  ///   - recordings: those that the package has, in the order of the show.
  ///   - time: which concert of the day it is.
  fileprivate init(_ show: Show, recordings: [String], time: ShowTime?) {
    self.init(
      showID: show.showID, date: show.date, band: show.band, url: show.url, venue: show.venueName,
      city: show.city, state: show.state, country: show.country, location: show.locationRaw,
      setlistStatus: show.setlistStatus, setlist: show.setlistRaw.flatMap(ContractJSON.setlist),
      lineupStatus: show.lineupStatus, lineup: show.lineupRaw.flatMap(ContractJSON.lineup),
      recordings: recordings, recordingCount: show.recordingCount,
      bestRecording: show.bestRecordingID, averageRating: show.averageRating,
      totalReviews: show.totalReviews, showTime: time)
  }

  fileprivate var json: JSONValue {
    .object {
      $0.add("show_id", showID)
      $0.add("date", date)
      $0.add("show_time", showTime?.rawValue)
      $0.add("band", band)
      $0.add("venue", venue)
      $0.add("city", city)
      $0.add("state", state)
      $0.add("country", country)
      $0.add("location_raw", location)
      $0.add("url", url)
      $0.add("setlist_status", setlistStatus)
      if let setlist { $0.add("setlist", setlist, \.json) }
      $0.add("lineup_status", lineupStatus)
      if let lineup { $0.add("lineup", lineup, \.json) }
      $0.add("recordings", recordings)
      $0.add("recording_count", recordingCount)
      $0.add("best_recording", bestRecording)
      $0.add("avg_rating", averageRating)
      // The archive has the sum of high and low ones alone.
      $0.add("total_high_ratings", totalReviews)
    }
  }
}

extension ConcertSet {
  fileprivate var json: JSONValue {
    .object {
      $0.add("set_name", name)
      $0.add("songs", songs, \.json)
    }
  }
}

extension Song {
  fileprivate var json: JSONValue {
    .object {
      $0.add("name", name)
      $0.add("segue_into_next", segue)
    }
  }
}

extension Musician {
  fileprivate var json: JSONValue {
    .object {
      $0.add("name", name)
      $0.add("instruments", instruments)
    }
  }
}

extension RecordingFacts {
  fileprivate init(_ recording: Recording) {
    self.init(
      identifier: recording.identifier, sourceType: recording.sourceType, rating: recording.rating,
      rawRating: recording.rawRating, reviewCount: recording.reviewCount,
      confidence: recording.confidence, highRatings: recording.highRatings,
      lowRatings: recording.lowRatings, taper: recording.taper, source: recording.source,
      lineage: recording.lineage)
  }

  fileprivate var json: JSONValue {
    .object {
      $0.add("source_type", sourceType)
      $0.add("rating", rating)
      $0.add("raw_rating", rawRating)
      $0.add("confidence", confidence)
      $0.add("review_count", reviewCount)
      $0.add("high_ratings", highRatings)
      $0.add("low_ratings", lowRatings)
      $0.add("taper", taper)
      $0.add("source", source)
      $0.add("lineage", lineage)
    }
  }
}

extension CollectionFacts {
  /// - Parameter shows: those that the package has, in the order of the collection.
  fileprivate init(_ collection: ShowCollection, shows: [String]) {
    self.init(
      id: collection.id, name: collection.name, description: collection.description,
      tags: ContractJSON.texts(in: collection.tagsJSON) ?? [], showIDs: shows)
  }

  fileprivate var json: JSONValue {
    .object {
      $0.add("id", id)
      $0.add("name", name)
      $0.add("description", description)
      $0.add("tags", tags)
      $0.add("show_ids", showIDs)
    }
  }
}
