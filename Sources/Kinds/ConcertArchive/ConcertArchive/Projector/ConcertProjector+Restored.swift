import Projections

/// Makes the rows that follow from rows which an event brought back.
extension ConcertProjector {
  /// There is one version of the data, as the table itself says to SQLite alone.
  func requirePossible(_ reversal: Reversal) throws {
    guard case .rows(let rows) = reversal, rows.table == DataVersion.table.name,
      let place = rows.columns.firstIndex(of: "id")
    else { return }
    guard rows.rows.allSatisfy({ place >= $0.count || $0[place] == .integer(1) }) else {
      throw ProjectionError(contradiction: "there is one version of the data, and its id is 1")
    }
  }

  func updateDerivedRows(_ restored: [RestoredRow]) throws {
    var dates: Set<String> = []
    var touched: Set<String> = []
    var shows: Set<String> = []
    var collections: Set<String> = []
    for row in restored {
      for values in [row.before, row.after].compactMap(\.self) {
        if row.table === Show.table.description {
          let show = try Show.table.row(values)
          dates.insert(show.date)
          shows.insert(show.showID)
        } else if row.table === ShowText.table.description {
          let id = try ShowText.table.row(values).showID
          if let show = try rows.row(of: Show.table, key: id) { dates.insert(show.date) }
          shows.insert(id)
        } else if row.table === ShowCollection.table.description {
          collections.insert(try ShowCollection.table.row(values).id)
        } else if row.table === CollectionMember.table.description {
          collections.insert(try CollectionMember.table.row(values).collectionID)
        } else if row.table === LibraryShow.table.description {
          shows.insert(try LibraryShow.table.row(values).showID)
        } else if row.table === RecordingLink.table.description {
          let link = try RecordingLink.table.row(values)
          touched.insert(link.identifier)
          shows.insert(link.showID)
        } else if row.table === Recording.table.description {
          let id = try Recording.table.row(values).identifier
          // The links of a recording are brought back after it.
          let links = try rows.rows(of: RecordingLink.table, where: \.identifier, is: id)
          if !links.isEmpty { touched.insert(id) }
        }
      }
    }
    for show in shows.sorted() {
      try markInLibrary(show)
      try updateDerivedRows(show: show)
      let links = try rows.rows(of: RecordingLink.table, where: \.showID, is: show)
      touched.formUnion(links.map(\.identifier))
    }
    for date in dates.sorted() { touched.formUnion(try order(date: date)) }
    for recording in touched.sorted() { try assignShow(recording) }
    for collection in collections.sorted() { try updateDerivedRows(collection: collection) }
  }

  /// Makes the words of a show and its place in the list by rating, from its row.
  private func updateDerivedRows(show id: String) throws {
    guard var show = try rows.row(of: Show.table, key: id) else {
      return try rows.remove(of: RatedShow.table, key: id)
    }
    try list(recordingsOf: &show)
    if let rating = show.averageRating {
      try rows.put(
        RatedShow(showID: id, averageRating: rating, totalReviews: show.totalReviews),
        in: RatedShow.table)
    } else {
      try rows.remove(of: RatedShow.table, key: id)
    }
    guard var text = try text(of: id) else { return }
    let search = ShowSearchText(of: show)
    guard text.searchText != search.text || text.searchWords != search.words else { return }
    (text.searchText, text.searchWords) = (search.text, search.words)
    try rows.put(text, in: ShowText.table)
  }

  /// A show has the ids of its recordings, too. A package may list one twice.
  private func list(recordingsOf show: inout Show) throws {
    let links = try rows.rows(of: RecordingLink.table, where: \.showID, is: show.showID)
      .sorted { $0.position < $1.position }.map(\.identifier)
    var known: Set<String> = []
    let listed = (show.recordingsRaw.flatMap(ContractJSON.texts(in:)) ?? [])
      .filter { known.insert($0).inserted }
    guard listed != links else { return }
    show.recordingsRaw = links.isEmpty ? nil : ContractJSON.texts(links)
    try rows.put(show, in: Show.table)
  }

  /// A collection has the ids of its shows, too.
  private func updateDerivedRows(collection id: String) throws {
    guard var collection = try rows.row(of: ShowCollection.table, key: id) else { return }
    let shows = try rows.rows(of: CollectionMember.table, where: \.collectionID, is: id)
      .sorted { $0.position < $1.position }.map(\.showID)
    let ids = ContractJSON.texts(shows)
    guard collection.showIDsJSON != ids || collection.totalShows != Int64(shows.count) else {
      return
    }
    (collection.showIDsJSON, collection.totalShows) = (ids, Int64(shows.count))
    try rows.put(collection, in: ShowCollection.table)
  }

  /// A show says whether it is in the library, which a row of its own says, too.
  private func markInLibrary(_ id: String) throws {
    guard var show = try rows.row(of: Show.table, key: id) else { return }
    let saved = try rows.row(of: LibraryShow.table, key: id)
    guard show.isInLibrary != (saved != nil) || show.libraryAddedAt != saved?.addedToLibraryAt
    else { return }
    show.isInLibrary = saved != nil
    show.libraryAddedAt = saved?.addedToLibraryAt
    try rows.put(show, in: Show.table)
  }
}
