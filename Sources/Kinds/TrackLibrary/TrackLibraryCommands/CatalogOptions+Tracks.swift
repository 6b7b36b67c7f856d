import CatalogEngine
import EngineCommands
import TrackLibrary

extension CatalogOptions {
  /// Opens a library that must be there to change it, and closes it afterwards.
  func withLibrary(_ body: @escaping @Sendable (TrackLibrary) async throws -> Void) async throws {
    try await withCatalog(of: TrackLibraryKind()) { try await body(TrackLibrary($0)) }
  }

  /// Opens a library that must be there to read it, and closes it afterwards. What it shows is what the log says.
  func readLibrary(_ body: @escaping @Sendable (TrackLibrary) async throws -> Void) async throws {
    try await readCatalog(of: TrackLibraryKind()) { try await body(TrackLibrary($0)) }
  }

  /// Writes what a change came to.
  func write(_ change: ChangeReport, unchanged: String, changed: String) throws {
    switch format {
    case .text:
      Console.current.write(change.outcome == .unchanged ? unchanged : changed)
      if let failure = change.failure {
        Console.current.error("the database does not have it yet: \(failure)")
      }
    case .json: try Console.current.write(json: ChangeJSON(change))
    }
    if change.outcome == .appended { throw Exit(status: .error) }
  }
}

private struct ChangeJSON: Encodable {
  let outcome: String
  let events: Int
  let sequence: UInt64

  init(_ change: ChangeReport) {
    outcome = change.outcome.rawValue
    events = change.events
    sequence = change.sequence
  }
}
