/// Who knows whether this device can play a playlist: the app's MusicKit side.
public protocol MusicAvailabilitySource: Sendable {
  /// - Parameter id: the playlist's id in the catalog.
  /// - Returns: `unknown` where it cannot be found out.
  func availability(ofPlaylist id: String) async -> MusicAvailability
}
