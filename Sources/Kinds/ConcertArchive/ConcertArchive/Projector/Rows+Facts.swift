import CatalogModel

extension Show {
  /// The row of a show that is new, without its times.
  package init(_ facts: ShowFacts) {
    // An event without a date is not read.
    let date = ShowDate(facts.date)
    let songs = (facts.setlist ?? []).flatMap(\.songs).map(\.name)
    let members = (facts.lineup ?? []).map(\.name)
    self.init(
      showID: facts.showID, date: facts.date, year: date?.year ?? 0, month: date?.month ?? 0,
      yearMonth: String(facts.date.prefix(7)), band: facts.band, url: facts.url,
      venueName: facts.venue, city: facts.city, state: facts.state,
      country: CountryRule.country(facts.country, state: facts.state),
      locationRaw: facts.location, setlistStatus: facts.setlistStatus,
      setlistRaw: facts.setlist.map(ContractJSON.setlist),
      songList: songs.isEmpty ? nil : songs.joined(separator: ","),
      lineupStatus: facts.lineupStatus, lineupRaw: facts.lineup.map(ContractJSON.lineup),
      memberList: members.isEmpty ? nil : members.joined(separator: ","), showSequence: 1,
      recordingsRaw: facts.recordings.isEmpty ? nil : ContractJSON.texts(facts.recordings),
      recordingCount: facts.recordingCount, bestRecordingID: facts.bestRecording,
      averageRating: facts.averageRating, totalReviews: facts.totalReviews, isInLibrary: false,
      libraryAddedAt: nil, createdAt: 0, updatedAt: 0)
  }

  /// Takes over what no package says.
  package mutating func keep(of old: Show?) {
    guard let old else { return }
    showSequence = old.showSequence
    isInLibrary = old.isInLibrary
    libraryAddedAt = old.libraryAddedAt
    createdAt = old.createdAt
    updatedAt = old.updatedAt
  }

  /// The order of all lists: by date, number of the day, and id.
  package func isBefore(_ other: Show) -> Bool {
    if date != other.date { return date.isBefore(other.date) }
    if showSequence != other.showSequence { return showSequence < other.showSequence }
    return showID.isBefore(other.showID)
  }
}

extension String {
  /// By bytes, as SQLite compares.
  package func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension Recording {
  package init(_ facts: RecordingFacts, showID: String, at: Int64) {
    self.init(
      identifier: facts.identifier, showID: showID, sourceType: facts.sourceType,
      rating: facts.rating, rawRating: facts.rawRating, reviewCount: facts.reviewCount,
      confidence: facts.confidence, highRatings: facts.highRatings, lowRatings: facts.lowRatings,
      taper: facts.taper, source: facts.source, lineage: facts.lineage,
      sourceTypeString: facts.sourceType, collectionTimestamp: at)
  }
}

extension ShowCollection {
  /// The row of a collection that is new, without its times.
  package init(_ facts: CollectionFacts) {
    self.init(
      id: facts.id, name: facts.name, description: facts.description,
      tagsJSON: ContractJSON.texts(facts.tags), showIDsJSON: ContractJSON.texts(facts.showIDs),
      totalShows: Int64(facts.showIDs.count), primaryTag: facts.tags.first, createdAt: 0,
      updatedAt: 0)
  }
}

extension DataVersion {
  package init(_ package: ImportedPackage, at: Int64) {
    self.init(
      id: 1, dataVersion: package.version, packageName: package.packageName,
      versionType: package.versionType, description: package.description, importedAt: at,
      gitCommit: package.gitCommit, gitTag: package.gitTag,
      buildTimestamp: package.buildTimestamp, totalShows: package.counts.shows,
      totalVenues: package.counts.venues, totalFiles: package.counts.files,
      totalSizeBytes: package.counts.bytes)
  }
}

extension PackageContent {
  package init(_ package: ImportedPackage) {
    self.init(
      id: 1, sha256: package.sha256, unlistedJSON: ContractJSON.texts(package.unlisted))
  }
}
