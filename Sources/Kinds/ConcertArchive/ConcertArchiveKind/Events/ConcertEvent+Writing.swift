import CatalogModel

extension ConcertEvent {
  /// Writes the payload. docs/CONCERTS.md lists the keys.
  func write(to data: inout PayloadWriter) {
    switch self {
    case .packageImported(let package): package.write(to: &data)
    case .showUpserted(let show): show.write(to: &data)
    case .recordingUpserted(let recording): recording.write(to: &data)
    case .collectionUpserted(let collection): collection.write(to: &data)
    case .recordingRemoved(let recording): data.string("recording", recording)
    case .collectionRemoved(let collection): data.string("id", collection)
    case .showRemoved(let show), .libraryShowAdded(let show), .libraryShowRemoved(let show),
      .showPlayed(let show):
      data.string("show", show)
    case .libraryShowPinned(let show, let isPinned):
      data.string("show", show)
      data.bool("pinned", isPinned)
    case .libraryShowNoted(let show, let notes):
      data.string("show", show)
      data.string("notes", notes)
    case .libraryShowRated(let show, let rating):
      data.string("show", show)
      data.double("rating", rating)
    case .libraryShowTagged(let show, let tags):
      data.string("show", show)
      data.strings("tags", tags)
    case .recentCleared(.before(let time)):
      data.string("before", time.description)
      data.string("show", nil)
    case .recentCleared(.show(let show)):
      data.string("before", nil)
      data.string("show", show)
    }
  }
}

extension ImportedPackage {
  fileprivate func write(to data: inout PayloadWriter) {
    data.string("version", version)
    data.string("packageName", packageName)
    data.string("versionType", versionType)
    data.string("description", description)
    data.string("gitCommit", gitCommit)
    data.string("gitTag", gitTag)
    data.string("buildTimestamp", buildTimestamp)
    data.string("sha256", sha256)
    data.integer("shows", counts.shows)
    data.integer("recordings", counts.recordings)
    data.integer("collections", counts.collections)
    data.integer("venues", counts.venues)
    data.integer("files", counts.files)
    data.integer("bytes", counts.bytes)
    data.strings("unlisted", unlisted)
  }
}

extension ShowFacts {
  fileprivate func write(to data: inout PayloadWriter) {
    data.string("show", showID)
    data.string("date", date)
    data.string("band", band)
    data.string("url", url)
    data.string("venue", venue)
    data.string("city", city)
    data.string("state", state)
    data.string("country", country)
    data.string("location", location)
    data.string("setlistStatus", setlistStatus)
    data.objects("setlist", setlist) { set, data in
      data.string("set", set.name)
      data.objects("songs", set.songs) { song, data in
        data.string("name", song.name)
        data.bool("segue", song.segue)
      }
    }
    data.string("lineupStatus", lineupStatus)
    data.objects("lineup", lineup) { musician, data in
      data.string("name", musician.name)
      data.string("instruments", musician.instruments)
    }
    data.strings("recordings", recordings)
    data.integer("recordingCount", recordingCount)
    data.string("bestRecording", bestRecording)
    data.double("averageRating", averageRating)
    data.integer("totalReviews", totalReviews)
    data.string("showTime", showTime?.rawValue)
  }
}

extension RecordingFacts {
  fileprivate func write(to data: inout PayloadWriter) {
    data.string("recording", identifier)
    data.string("sourceType", sourceType)
    data.double("rating", rating)
    data.double("rawRating", rawRating)
    data.integer("reviewCount", reviewCount)
    data.double("confidence", confidence)
    data.integer("highRatings", highRatings)
    data.integer("lowRatings", lowRatings)
    data.string("taper", taper)
    data.string("source", source)
    data.string("lineage", lineage)
  }
}

extension CollectionFacts {
  fileprivate func write(to data: inout PayloadWriter) {
    data.string("id", id)
    data.string("name", name)
    data.string("description", description)
    data.strings("tags", tags)
    data.strings("showIds", showIDs)
  }
}
