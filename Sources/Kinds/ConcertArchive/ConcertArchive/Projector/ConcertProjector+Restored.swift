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

  func settle(_ restored: [RestoredRow]) throws {
    var dates: Set<String> = []
    var touched: Set<String> = []
    var shows: Set<String> = []
    for row in restored {
      for values in [row.before, row.after].compactMap(\.self) {
        if row.table === Show.table.description {
          let show = try Show.table.row(values)
          dates.insert(show.date)
          shows.insert(show.showID)
        } else if row.table === ShowText.table.description {
          let id = try ShowText.table.row(values).showID
          if let show = try rows.row(of: Show.table, key: id) { dates.insert(show.date) }
        } else if row.table === LibraryShow.table.description {
          shows.insert(try LibraryShow.table.row(values).showID)
        } else if row.table === RecordingLink.table.description {
          touched.insert(try RecordingLink.table.row(values).identifier)
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
      let links = try rows.rows(of: RecordingLink.table, where: \.showID, is: show)
      touched.formUnion(links.map(\.identifier))
    }
    for date in dates.sorted() { touched.formUnion(try order(date: date)) }
    for recording in touched.sorted() { try rehome(recording) }
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
