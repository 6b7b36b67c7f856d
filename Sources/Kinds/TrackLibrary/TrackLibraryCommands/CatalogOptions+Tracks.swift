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
