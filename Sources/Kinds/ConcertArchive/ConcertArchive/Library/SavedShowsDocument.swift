import CatalogEngine
import CatalogModel

/// The personal library as a document: `saved-shows.json` of an export.
struct SavedShowsDocument: Sendable {
  static let name = "saved-shows.json"

  /// A show of the document. Members that are nil are not said, and stay as they are.
  struct Entry: Hashable, Sendable {
    var showID: String
    var isPinned: Bool?
    var notes: String?
    var rating: Double?
    var tags: [String]?
  }

  private let file: String
  private let entries: [Entry]

  private enum Key: String, CaseIterable {
    case savedShows = "saved_shows"
  }

  private enum EntryKey: String, CaseIterable {
    case show, pinned, notes, rating, tags
  }

  private static let keys = JSONKeyTable<Key>(required: [.savedShows])
  private static let entryKeys = JSONKeyTable<EntryKey>(required: [.show])

  /// - Throws: `DocumentError` with all that is wrong.
  init(_ bytes: [UInt8], file: String) throws(DocumentError) {
    self.file = file
    entries = try DocumentReader.read(bytes, file: file) { document in
      var entries: [Entry] = []
      guard var object = document.object() else { return nil }
      while let key = document.next(in: &object, Self.keys) {
        switch key {
        case .savedShows:
          var seen: Set<String> = []
          entries = document.list { Self.entry(&$0, &seen) }
        }
      }
      return entries
    }
  }

  private static func entry(_ document: inout DocumentReader, _ seen: inout Set<String>) -> Entry? {
    var entry = Entry(showID: "")
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, entryKeys) {
      switch key {
      case .show:
        let start = document.nextOffset
        entry.showID = document.showID() ?? ""
        if !entry.showID.isEmpty, !seen.insert(entry.showID).inserted {
          document.note(.duplicateValue, at: start, "is in the document already", advice: nil)
        }
      case .pinned: entry.isPinned = document.flag()
      case .notes: entry.notes = document.text(TextRules.verbatim)
      case .rating:
        let start = document.nextOffset
        guard let rating = document.number() else { continue }
        if !(0...5).contains(rating) {
          document.note(.invalidValue, at: start, "is not a rating", advice: "write 0 to 5")
        }
        entry.rating = rating + 0
      case .tags:
        var tags: [String] = []
        for tag in document.list({ $0.text(TextRules.tagName) }) where !tags.contains(tag) {
          tags.append(tag)
        }
        entry.tags = tags
      }
    }
    return entry
  }

  /// The events by which the library gets what the document says.
  ///
  /// - Throws: `DocumentError` for shows that the archive does not have.
  func events(over rows: ProvedRows) throws -> [ConcertEvent] {
    var unknown: [DocumentError] = []
    var events: [ConcertEvent] = []
    for (place, entry) in entries.enumerated() {
      let show = entry.showID
      guard try rows.row(of: Show.table, key: show) != nil else {
        unknown.append(
          DocumentError(
            code: .invalidValue, file: file, path: "$.saved_shows[\(place)].show",
            value: "\"\(JSONExcerpt.printable(show))\"",
            message: "is not a show of the archive", advice: "import its package first"))
        continue
      }
      let saved = try rows.row(of: LibraryShow.table, key: show)
      if saved == nil { events.append(.libraryShowAdded(show)) }
      if let isPinned = entry.isPinned, isPinned != (saved?.isPinned ?? false) {
        events.append(.libraryShowPinned(show, isPinned))
      }
      if let notes = entry.notes, notes != saved?.libraryNotes ?? "" {
        events.append(.libraryShowNoted(show, notes.isEmpty ? nil : notes))
      }
      if let rating = entry.rating, rating != saved?.customRating {
        events.append(.libraryShowRated(show, rating))
      }
      if let tags = entry.tags, tags != saved?.tagNames ?? [] {
        events.append(.libraryShowTagged(show, tags))
      }
    }
    if let error = DocumentError(joining: unknown) { throw error }
    return events
  }

  /// The document of a library, in the order of the shows' ids.
  static func json(of shows: [LibraryShow]) -> JSONValue {
    .object {
      $0.add("saved_shows", shows) { show in
        .object {
          $0.add("show", show.showID)
          if show.isPinned { $0.add("pinned", true) }
          $0.add("notes", show.libraryNotes)
          $0.add("rating", show.customRating)
          if !show.tagNames.isEmpty { $0.add("tags", show.tagNames) }
        }
      }
    }
  }
}
