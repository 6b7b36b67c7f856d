import CatalogEngine
import EngineCommands
import TrackLibrary

extension CatalogOptions {
  /// Makes one change of a library that must be there, and writes its report.
  ///
  /// - Parameters:
  ///   - waiting: for another writer.
  ///   - unchanged: a line for a change that appended nothing.
  ///   - changed: a line for one that did.
  func changeLibrary(
    _ waiting: WaitOptions, unchanged: String = "nothing changed", changed: String,
    _ change: (TrackLibrary) async throws -> ChangeReport
  ) async throws {
    try await changeCatalog(of: TrackLibraryKind(), waiting) {
      try write(try await change(TrackLibrary($0)), unchanged: unchanged, changed: changed)
    }
  }

  /// Makes one change of a track that a person names.
  ///
  /// - Parameter changed: a line for a change that appended something.
  func changeLibrary(
    _ waiting: WaitOptions, _ argument: TrackArgument, changed: (EntityID) -> String,
    by change: (TrackLibrary, EntityID) async throws -> ChangeReport
  ) async throws {
    try await changeCatalog(of: TrackLibraryKind(), waiting) {
      let library = TrackLibrary($0)
      let id = try await track(argument.track, in: library)
      try write(
        try await change(library, id), unchanged: "nothing changed", changed: changed(id))
    }
  }

  /// Finds a track as a person names it.
  ///
  /// - Throws: `ValidationError` if no track, or more than one, has this title or an id that begins so.
  func track(_ words: [String], in library: TrackLibrary) async throws -> EntityID {
    try await id(of: words, Track.table.description, in: library.catalog)
  }

  /// Opens a library that must be there to read it, and closes it afterwards. What it shows is what the log says.
  func readLibrary(_ body: (TrackLibrary) async throws -> Void) async throws {
    try await readCatalog(of: TrackLibraryKind()) { try await body(TrackLibrary($0)) }
  }
}

/// An import that a command refuses, with what to do about it.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
