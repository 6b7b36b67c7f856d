public import TrackLibraryKind

/// Where an app's tracks are kept.
public protocol TrackRepository: Sendable {
  func loadTracks() async throws -> [Track]
  /// Keeps all tracks as they are given.
  func saveTracks(_ tracks: [Track]) async throws
}

/// Where an app's collections are kept.
public protocol CollectionRepository: Sendable {
  func loadCollections() async throws -> [SavedCollection]
  /// Keeps all collections as they are given.
  func saveCollections(_ collections: [SavedCollection]) async throws
}

/// A collection as an app holds it.
public struct SavedCollection: Hashable, Sendable {
  public var id: EntityID
  public var name: String
  /// In their order; one may stand there twice.
  public var trackIDs: [EntityID]

  public init(id: EntityID, name: String, trackIDs: [EntityID]) {
    self.id = id
    self.name = name
    self.trackIDs = trackIDs
  }
}

/// Why something could not be saved. Nothing was.
public struct SaveError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// Two have the same id.
    case duplicateID
    /// A file's address is that of another track.
    case duplicateURL
    case urlRefused
    case artworkTooLarge
    case durationRefused
    case textRefused
  }

  public let code: Code
  public let message: String

  public var description: String { message }
}
