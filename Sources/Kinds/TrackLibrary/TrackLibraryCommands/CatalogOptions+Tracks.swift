import CatalogEngine
import EngineCommands
import TrackLibrary

extension CatalogOptions {
  /// Opens a library that must be there to change it, and closes it afterwards.
  func changeLibrary(
    _ waiting: WaitOptions, _ body: @escaping @Sendable (TrackLibrary) async throws -> Void
  ) async throws {
    try await changeCatalog(of: TrackLibraryKind(), waiting) { try await body(TrackLibrary($0)) }
  }

  /// Opens a library that must be there to read it, and closes it afterwards. What it shows is what the log says.
  func readLibrary(_ body: @escaping @Sendable (TrackLibrary) async throws -> Void) async throws {
    try await readCatalog(of: TrackLibraryKind()) { try await body(TrackLibrary($0)) }
  }
}
