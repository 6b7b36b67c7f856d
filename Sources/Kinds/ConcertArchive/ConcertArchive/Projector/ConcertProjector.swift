import CatalogModel
import Projections

/// Turns events into rows. Whatever it decides, it decides by the event and the rows.
struct ConcertProjector<Rows: RowStore> {
  let rows: Rows
  /// When the event happened, in milliseconds since 1970.
  let at: Int64

  // MARK: Packages

  func keep(_ package: ImportedPackage) throws {
    try rows.put(DataVersion(package, at: at), in: DataVersion.table)
    try rows.put(PackageContent(package), in: PackageContent.table)
  }

  // MARK: Shows

  func upsert(_ facts: ShowFacts, number: Int64) throws {
    let id = facts.showID
    let old = try rows.row(of: Show.table, key: id)
    var show = Show(facts)
    show.keep(of: old)
    show.createdAt = old?.createdAt ?? at
    show.updatedAt = at
    try rows.put(show, in: Show.table)
    if let rating = facts.averageRating {
      try rows.put(
        RatedShow(showID: id, averageRating: rating, totalReviews: facts.totalReviews),
        in: RatedShow.table)
    } else {
      try rows.remove(of: RatedShow.table, key: id)
    }
    let text = try self.text(of: id)
    let search = ShowSearchText(of: facts, country: show.country)
    try rows.put(
      ShowText(
        number: text?.number ?? number, showID: id, showTime: facts.showTime,
        searchText: search.text, searchWords: search.words),
      in: ShowText.table)

    var touched = try link(facts)
    touched.formUnion(try order(date: facts.date))
    if let old, old.date != facts.date { touched.formUnion(try order(date: old.date)) }
    for recording in touched.sorted() { try assignShow(recording) }
  }

  /// Removes a show with what belongs to it, as the foreign keys of the schema say.
  func remove(show id: String) throws {
    guard let show = try rows.row(of: Show.table, key: id) else { throw noShow(id) }
    var touched: Set<String> = []
    for link in try rows.rows(of: RecordingLink.table, where: \.showID, is: id) {
      try rows.remove(of: RecordingLink.table, key: id, link.identifier)
      touched.insert(link.identifier)
    }
    if let text = try text(of: id) { try rows.remove(of: ShowText.table, key: text.number) }
    try rows.remove(of: RatedShow.table, key: id)
    try rows.remove(of: LibraryShow.table, key: id)
    try rows.remove(of: Show.table, key: id)
    touched.formUnion(try order(date: show.date))
    for recording in touched.sorted() { try assignShow(recording) }
  }

  func text(of show: String) throws -> ShowText? {
    try rows.rows(of: ShowText.table, where: \.showID, is: show).first
  }

  /// Writes which recordings a show lists.
  ///
  /// - Returns: those that it lists or listed.
  private func link(_ facts: ShowFacts) throws -> Set<String> {
    var wanted: [String: Int64] = [:]
    for (position, recording) in facts.recordings.enumerated() where wanted[recording] == nil {
      wanted[recording] = Int64(position)
    }
    let old = try rows.rows(of: RecordingLink.table, where: \.showID, is: facts.showID)
    for link in old where wanted[link.identifier] == nil {
      try rows.remove(of: RecordingLink.table, key: facts.showID, link.identifier)
    }
    for (position, recording) in facts.recordings.enumerated()
    where wanted[recording] == Int64(position) {
      try rows.put(
        RecordingLink(showID: facts.showID, identifier: recording, position: Int64(position)),
        in: RecordingLink.table)
    }
    return Set(wanted.keys).union(old.map(\.identifier))
  }

  /// Numbers the concerts of a day: the early one, those without a time, the late one; then by id.
  ///
  /// - Returns: the recordings of shows that have another number now.
  func order(date: String) throws -> Set<String> {
    let shows = try rows.rows(of: Show.table, where: \.date, is: date)
    if shows.count == 1, shows[0].showSequence == 1 { return [] }
    var touched: Set<String> = []
    let ordered = try shows.map { (show: $0, rank: try text(of: $0.showID)?.showTime.rank ?? 1) }
      .sorted { left, right in
        left.rank != right.rank
          ? left.rank < right.rank : left.show.showID.isBefore(right.show.showID)
      }
    for (place, (show, _)) in ordered.enumerated() where show.showSequence != Int64(place + 1) {
      var show = show
      show.showSequence = Int64(place + 1)
      try rows.put(show, in: Show.table)
      for link in try rows.rows(of: RecordingLink.table, where: \.showID, is: show.showID) {
        touched.insert(link.identifier)
      }
    }
    return touched
  }

  // MARK: Recordings

  func upsert(_ facts: RecordingFacts) throws {
    guard let home = try home(of: facts.identifier) else {
      throw ProjectionError(contradiction: "no show lists the recording \(facts.identifier)")
    }
    try rows.put(Recording(facts, showID: home, at: at), in: Recording.table)
  }

  func remove(recording id: String) throws {
    guard try rows.row(of: Recording.table, key: id) != nil else {
      throw ProjectionError(contradiction: "there is no recording \(id)")
    }
    try rows.remove(of: Recording.table, key: id)
  }

  /// Gives a recording to the first of the shows that list it; removes it where none does any more.
  func assignShow(_ id: String) throws {
    guard var recording = try rows.row(of: Recording.table, key: id) else { return }
    guard let home = try home(of: id) else {
      return try rows.remove(of: Recording.table, key: id)
    }
    guard recording.showID != home else { return }
    recording.showID = home
    try rows.put(recording, in: Recording.table)
  }

  /// The first of the shows that list a recording, by date, number and id; nil if none does.
  private func home(of recording: String) throws -> String? {
    let links = try rows.rows(of: RecordingLink.table, where: \.identifier, is: recording)
    guard links.count > 1 else { return links.first?.showID }
    return try links.compactMap { try rows.row(of: Show.table, key: $0.showID) }
      .min { $0.isBefore($1) }?.showID
  }

  // MARK: Collections

  func upsert(_ facts: CollectionFacts) throws {
    let old = try rows.row(of: ShowCollection.table, key: facts.id)
    var collection = ShowCollection(facts)
    collection.createdAt = old?.createdAt ?? at
    collection.updatedAt = at
    try removeMembers(of: facts.id, from: facts.showIDs.count)
    for (position, show) in facts.showIDs.enumerated() {
      try rows.put(
        CollectionMember(collectionID: facts.id, position: Int64(position), showID: show),
        in: CollectionMember.table)
    }
    try rows.put(collection, in: ShowCollection.table)
  }

  func remove(collection id: String) throws {
    guard try rows.row(of: ShowCollection.table, key: id) != nil else {
      throw ProjectionError(contradiction: "there is no collection \(id)")
    }
    try removeMembers(of: id, from: 0)
    try rows.remove(of: ShowCollection.table, key: id)
  }

  private func removeMembers(of collection: String, from position: Int) throws {
    let members = try rows.rows(
      of: CollectionMember.table, where: \.collectionID, is: collection)
    for member in members where member.position >= Int64(position) {
      try rows.remove(of: CollectionMember.table, key: collection, member.position)
    }
  }

  func noShow(_ id: String) -> ProjectionError {
    ProjectionError(contradiction: "there is no show \(id)")
  }
}

extension ShowTime? {
  fileprivate var rank: Int {
    switch self {
    case .early: 0
    case nil: 1
    case .late: 2
    }
  }
}
