import CatalogEngine

/// The events that bring an archive to what a package says.
struct PackagePlan {
  let package: ConcertPackage
  /// Whether shows that the package lacks go.
  let removesShows: Bool

  /// What is compared.
  static let tables = [
    Show.table.description, Recording.table.description, ShowCollection.table.description,
    DataVersion.table.description, PackageContent.table.description, ShowText.table.description,
    RecordingLink.table.description, LibraryShow.table.description,
    CollectionMember.table.description, ConcertArchiveKind.revertedTable.description,
  ]

  private(set) var events: [ConcertEvent] = []
  /// Shows of the archive that the package lacks, and that stay.
  private(set) var kept = 0
  /// Shows of the library that go.
  private(set) var lostFromLibrary: [String] = []
  /// Collections that go or get smaller, in the order of their ids.
  private(set) var lostCollections: [LostCollection] = []
  /// How many collections the archive has, and how many shows these have together.
  private(set) var collections = (count: 0, memberships: 0)
  /// Set if the archive has a newer package.
  private(set) var older: OlderPackage?
  /// The operation that imported the package before, if it is reverted: the package stays so.
  private(set) var reverted: RevertedRow?
  /// The events that would take a package which stays reverted, but for the record that it was imported; nil of another one.
  private(set) var alternative: PlannedEvents<ConcertEvent>?

  /// - Parameter takesReverted: whether the events bring back what a revert took of the package.
  init(
    _ package: ConcertPackage, removesShows: Bool, takesReverted: Bool = false, rows: ProvedRows
  ) throws {
    self.init(package, removesShows: removesShows)
    let reverted = try rows.reverted(
      document: package.imported.sha256, in: ConcertArchiveKind.revertedTable)
    var whole = self
    try whole.compare(rows)
    // If nothing differs, nothing stays reverted.
    if let reverted, !takesReverted, !whole.events.isEmpty {
      self.reverted = reverted
      alternative = PlannedEvents(
        whole.events.filter { if case .packageImported = $0 { false } else { true } })
      older = whole.older
    } else {
      self = whole
      guard takesReverted, !events.isEmpty,
        let taken = try rows.taken(
          documents: [package.imported.sha256], in: ConcertArchiveKind.revertedTable)
      else { return }
      events.append(.reversal(taken))
    }
  }

  private init(_ package: ConcertPackage, removesShows: Bool) {
    self.package = package
    self.removesShows = removesShows
  }

  private mutating func compare(_ rows: ProvedRows) throws {
    let oldShows = try rows.rows(of: Show.table)
    let newIDs = Set(package.shows.map(\.showID))
    let missing = oldShows.map(\.showID).filter { !newIDs.contains($0) }
    kept = removesShows ? 0 : missing.count

    let links = try rows.rows(of: RecordingLink.table)
    try compareRecordingsAndShows(oldShows, missing, links, rows)
    try compareCollections(rows)
    try comparePackage(rows)
  }

  private mutating func compareRecordingsAndShows(
    _ oldShows: [Show], _ missing: [String], _ links: [RecordingLink], _ rows: ProvedRows
  ) throws {
    let oldListers = Dictionary(grouping: links, by: \.identifier).mapValues {
      Set($0.map(\.showID))
    }
    var listers: [String: Set<String>] = [:]
    for show in package.shows {
      for recording in show.recordings { listers[recording, default: []].insert(show.showID) }
    }
    if !removesShows {
      let kept = Set(missing)
      for link in links where kept.contains(link.showID) {
        listers[link.identifier, default: []].insert(link.showID)
      }
    }
    let oldRecordings = try rows.rows(of: Recording.table)
    // What goes goes first: a show that no longer lists a recording would take it along.
    for recording in oldRecordings where listers[recording.identifier] == nil {
      events.append(.recordingRemoved(recording.identifier))
    }
    if removesShows {
      for show in missing {
        if try rows.row(of: LibraryShow.table, key: show) != nil { lostFromLibrary.append(show) }
        events.append(.showRemoved(show))
      }
    }
    try compareShows(oldShows, rows)
    let old = Dictionary(uniqueKeysWithValues: oldRecordings.map { ($0.identifier, $0) })
    for recording in package.recordings {
      let known = old[recording.identifier]
      let isSame = known.map {
        $0 == Recording(recording, showID: $0.showID, at: $0.collectionTimestamp)
      }
      // Between its old shows and its new ones nobody lists it, and its row goes.
      let moves = oldListers[recording.identifier].map {
        $0.isDisjoint(with: listers[recording.identifier] ?? [])
      }
      if isSame != true || moves == true { events.append(.recordingUpserted(recording)) }
    }
  }

  private mutating func compareShows(_ oldShows: [Show], _ rows: ProvedRows) throws {
    let old = Dictionary(uniqueKeysWithValues: oldShows.map { ($0.showID, $0) })
    let texts = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: ShowText.table).map { ($0.showID, $0) })
    for facts in package.shows {
      if let known = old[facts.showID] {
        var show = Show(facts)
        show.keep(of: known)
        if show == known, texts[facts.showID]?.showTime == facts.showTime { continue }
      }
      events.append(.showUpserted(facts))
    }
  }

  private mutating func compareCollections(_ rows: ProvedRows) throws {
    let old = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: ShowCollection.table).map { ($0.id, $0) })
    try compareMembers(old, rows)
    let new = Set(package.collections.map(\.id))
    let removed = old.keys.filter { !new.contains($0) }.sorted { $0.isBefore($1) }
    events.insert(contentsOf: removed.map { .collectionRemoved($0) }, at: 0)
    for facts in package.collections {
      var collection = ShowCollection(facts)
      if let known = old[facts.id] {
        collection.createdAt = known.createdAt
        collection.updatedAt = known.updatedAt
        if collection == known { continue }
      }
      events.append(.collectionUpserted(facts))
    }
  }

  private mutating func compareMembers(
    _ old: [String: ShowCollection], _ rows: ProvedRows
  ) throws {
    let new = Dictionary(
      package.collections.map { ($0.id, Set($0.showIDs)) }, uniquingKeysWith: { first, _ in first })
    let members = Dictionary(
      grouping: try rows.rows(of: CollectionMember.table), by: \.collectionID
    ).mapValues { Set($0.map(\.showID)) }
    collections = (old.count, members.values.reduce(0) { $0 + $1.count })
    for collection in old.values.sorted(by: { $0.id.isBefore($1.id) }) {
      let shows = members[collection.id] ?? []
      let lost = shows.subtracting(new[collection.id] ?? [])
      let isRemoved = new[collection.id] == nil
      guard isRemoved || !lost.isEmpty else { continue }
      lostCollections.append(
        LostCollection(
          id: collection.id, name: collection.name, shows: shows.count, lostShows: lost.count,
          isRemoved: isRemoved))
    }
  }

  private mutating func comparePackage(_ rows: ProvedRows) throws {
    let imported = package.imported
    let version = try rows.row(of: DataVersion.table, key: 1)
    older = version.flatMap { OlderPackage(imported, over: $0) }
    if let version, let content = try rows.row(of: PackageContent.table, key: 1),
      version == DataVersion(imported, at: version.importedAt),
      content == PackageContent(imported)
    {
      return
    }
    events.append(.packageImported(imported))
  }
}
