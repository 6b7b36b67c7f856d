public import CatalogEngine
import CatalogModel

/// The personal library: shows that somebody keeps, with pins, notes, tags and ratings.
///
/// All calls throw `UnknownShow` for a show that the archive does not have; those that are about a show of the library
/// throw `NotInLibrary`. Nothing is appended then.
public struct ShowLibrary: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  /// Adds a show. Adding one that is in the library changes nothing.
  @discardableResult
  public func add(_ show: String) async throws -> ChangeReport {
    try await change(show) { $0 == nil ? .libraryShowAdded(show) : nil }
  }

  /// Takes a show out, with its notes, tags and rating. One that is not in the library changes nothing.
  @discardableResult
  public func remove(_ show: String) async throws -> ChangeReport {
    try await change(show) { $0 == nil ? nil : .libraryShowRemoved(show) }
  }

  /// Pins a show, or takes the pin away.
  @discardableResult
  public func pin(_ show: String, _ isPinned: Bool = true) async throws -> ChangeReport {
    try await changeSaved(show) {
      $0.isPinned == isPinned ? nil : .libraryShowPinned(show, isPinned)
    }
  }

  /// Writes notes on a show; nil and an empty text take them away.
  ///
  /// - Throws: `RefusedInput` for notes of more than 64 KiB.
  @discardableResult
  public func note(_ show: String, _ notes: String?) async throws -> ChangeReport {
    let text = try Self.text(notes ?? "", "the notes", TextRules.verbatim)
    let notes = text.isEmpty ? nil : text
    return try await changeSaved(show) {
      $0.libraryNotes == notes ? nil : .libraryShowNoted(show, notes)
    }
  }

  /// Gives a show the person's own rating; nil takes it away.
  ///
  /// - Parameter rating: 0 to 5.
  /// - Throws: `RefusedInput` for another number.
  @discardableResult
  public func rate(_ show: String, _ rating: Double?) async throws -> ChangeReport {
    // Adding 0 makes -0.0 the one zero of the log.
    let rating = rating.map { $0 + 0 }
    if let rating, !(0...5).contains(rating) {
      throw RefusedInput("a rating is a number from 0 to 5, not \(rating)")
    }
    return try await changeSaved(show) {
      $0.customRating == rating ? nil : .libraryShowRated(show, rating)
    }
  }

  /// Gives a show these tags, and no others.
  ///
  /// - Parameter tags: a tag that stands twice counts once.
  /// - Throws: `RefusedInput` for a blank tag, or one of more than 1,024 bytes.
  @discardableResult
  public func tag(_ show: String, _ tags: [String]) async throws -> ChangeReport {
    var names: [String] = []
    for tag in tags {
      let name = try Self.text(tag, "the tag", TextRules.tagName)
      if !names.contains(name) { names.append(name) }
    }
    return try await changeSaved(show) { [names] in
      $0.tagNames == names ? nil : .libraryShowTagged(show, names)
    }
  }

  /// Adds the shows of a document to the library, with their pins, notes, tags and ratings: `saved-shows.json` of an export.
  ///
  /// What the document does not say of a show stays as it is, and so do other shows.
  ///
  /// - Throws: `DocumentError` if anything in the document is wrong, or a show is not in the archive. Nothing is appended then.
  @discardableResult
  public func restore(_ place: some FilePlace) async throws -> ChangeReport {
    let path = try place.filePath()
    return try await restore(Blocking.run { try DocumentFile.load(path) }, file: path)
  }

  /// As `restore(_:)`, of bytes that the caller has.
  ///
  /// - Parameter file: what errors call the document.
  @discardableResult
  public func restore(_ bytes: [UInt8], file: String) async throws -> ChangeReport {
    let document = try SavedShowsDocument(bytes, file: file)
    return try await catalog.change(by: "person") { try document.events(over: $0) }
  }

  private static func text(
    _ text: String, _ noun: String, _ rule: (String) throws(TextProblem) -> String
  ) throws(RefusedInput) -> String {
    try TextRules.apply(rule, to: text) { RefusedInput("\(noun) \($0.message); \($0.advice)") }
  }

  private func change(
    _ show: String, _ plan: @escaping @Sendable (LibraryShow?) throws -> ConcertEvent?
  ) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      guard try rows.row(of: Show.table, key: show) != nil else { throw UnknownShow(show) }
      return try plan(try rows.row(of: LibraryShow.table, key: show)).map { [$0] } ?? []
    }
  }

  private func changeSaved(
    _ show: String, _ plan: @escaping @Sendable (LibraryShow) throws -> ConcertEvent?
  ) async throws -> ChangeReport {
    try await change(show) { saved in
      guard let saved else { throw NotInLibrary(show) }
      return try plan(saved)
    }
  }
}

extension LibraryShow {
  /// The tags, in the order in which they were given.
  public var tagNames: [String] { TagNames.all(in: tags) }
}

enum TagNames {
  /// The texts of a JSON array; empty for nil.
  static func all(in json: String?) -> [String] {
    guard let json, case .array(let values)? = JSONValue(text: json) else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
