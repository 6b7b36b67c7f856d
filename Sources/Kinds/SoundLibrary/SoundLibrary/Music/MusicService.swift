public import AppleMusic

/// Where a catalog asks about its playlists.
public struct MusicService: Sendable {
  public var client: AppleMusicClient
  /// Two letters: `us`.
  public var storefront: String
  /// What the app knows of the listener's subscription; nil on a server.
  public var availability: (any MusicAvailabilitySource)?

  public init(
    client: AppleMusicClient, storefront: String = "us",
    availability: (any MusicAvailabilitySource)? = nil
  ) {
    self.client = client
    self.storefront = storefront
    self.availability = availability
  }
}
