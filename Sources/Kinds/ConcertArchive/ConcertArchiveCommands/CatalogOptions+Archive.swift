import CatalogEngine
import CatalogModel
import ConcertArchive
import EngineCommands

extension CatalogOptions {
  /// Opens an archive that must be there, and closes it afterwards, for a command that only reads: what it shows, or asks a
  /// server for, is what the log says (`readCatalog(of:_:)`).
  func readArchive(_ body: (ConcertArchive) async throws -> Void) async throws {
    try await readCatalog(of: ConcertArchiveKind()) {
      try await ConcertArchive($0).withAdvice(body)
    }
  }

  /// Opens an archive in the same way for a command about one show.
  func readArchive(
    _ argument: ShowArgument, _ body: (ConcertArchive, String) async throws -> Void
  ) async throws {
    try await readArchive { try await body($0, try await show(argument, in: $0)) }
  }

  /// Finds the id of a show as a person names it: by its id, its date, or its venue.
  ///
  /// - Returns: what was typed if no show is meant.
  /// - Throws: `ValidationError` if several shows have this date or venue.
  private func show(_ argument: ShowArgument, in archive: ConcertArchive) async throws -> String {
    try await key(of: argument.show, Show.table.description, in: archive.catalog)
  }

  /// Makes one change of a show, and writes its report.
  ///
  /// - Parameters:
  ///   - waiting: for another writer.
  ///   - unchanged: a line for a change that appended nothing.
  ///   - changed: a line for one that did.
  func changeArchive(
    _ waiting: WaitOptions, _ argument: ShowArgument, unchanged: (String) -> String,
    changed: (String) -> String,
    by change: (ConcertArchive, String) async throws -> ChangeReport
  ) async throws {
    try await changeCatalog(of: ConcertArchiveKind(), waiting) { catalog in
      try await ConcertArchive(catalog).withAdvice { archive in
        let show = try await show(argument, in: archive)
        try write(
          try await change(archive, show), unchanged: unchanged(show), changed: changed(show))
      }
    }
  }
}

extension ConcertArchive {
  /// Says what to do about a show that the archive or the library does not have.
  fileprivate func withAdvice(_ body: (ConcertArchive) async throws -> Void) async throws {
    do {
      try await body(self)
    } catch let unknown as UnknownShow {
      let advice =
        if let near = try await near(unknown.id) { "did you mean \"\(near)\"?" } else {
          "`\(ProgramName.current) shows search` finds shows"
        }
      throw Refusal("there is no show \"\(JSONExcerpt.printable(unknown.id))\"; \(advice)")
    } catch let missing as NotInLibrary {
      throw Refusal(
        "\(missing); `\(ProgramName.current) shows save \(missing.show)` adds it")
    }
  }

  /// The id that was meant: the only one that begins so, or the nearest.
  private func near(_ id: String) async throws -> String? {
    // Longer texts were not typed.
    guard !id.isEmpty, id.utf8.count <= 256 else { return nil }
    var ids: [String] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await shows.list(limit: 10_000, after: cursor)
      ids += page.rows.map(\.showID)
      cursor = page.next
    } while cursor != nil
    let beginning = ids.filter { $0.hasPrefix(id.lowercased()) }
    return beginning.count == 1 ? beginning[0] : NearMiss.find(id, among: ids)
  }
}

/// Why a command did not do what it was asked to, in its own words.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
