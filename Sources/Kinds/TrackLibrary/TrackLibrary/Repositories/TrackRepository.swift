/// Where an app's tracks are kept.
public protocol TrackRepository: Sendable {
  /// All tracks of all sources; empty for a new library.
  func loadTracks() async throws -> [Track]
  /// Keeps all tracks as they are given.
  func saveTracks(_ tracks: [Track]) async throws
}

/// Where an app's collections are kept.
public protocol CollectionRepository: Sendable {
  /// All collections, each with all of its tracks; empty for a new library.
  func loadCollections() async throws -> [SavedCollection]
  /// Keeps all collections as they are given.
  func saveCollections(_ collections: [SavedCollection]) async throws
}

/// A collection as an app holds it.
public struct SavedCollection: Hashable, Sendable {
  public var id: EntityID
  /// May be empty, and several may have the same; at most `TextRules.textLimit` bytes of UTF-8.
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
  /// What a program decides by; `message` is for a person.
  public enum Code: String, Hashable, Sendable {
    /// Two have the same id.
    case duplicateID
    /// A file's address is that of another track.
    case duplicateURL
    /// A file URL is neither a URI nor an absolute path.
    case urlRefused
    /// A picture has more than `Artwork.limit` bytes.
    case artworkTooLarge
    /// A duration is negative, infinite or not a number.
    case durationRefused
    /// A text has more than `TextRules.textLimit` bytes of UTF-8, or holds U+0000.
    case textRefused
  }

  public let code: Code
  /// For a person: names the track or the collection by its id.
  public let message: String

  public var description: String { message }
}
