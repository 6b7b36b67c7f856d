/// Whether an app can play a playlist of Apple Music, and if not, why: what MusicKit tells, in one value.
public enum MusicAvailability: Hashable, Sendable {
  /// The user was not asked yet.
  case notDetermined
  /// The user said no.
  case denied
  /// The user may not say yes: parental controls, or a device that is managed.
  case restricted
  /// The user has to acknowledge Apple's newest privacy policy first.
  case privacyAcknowledgementRequired
  /// - Parameter canSubscribe: whether an offer to subscribe may be shown.
  case noSubscription(canSubscribe: Bool)
  case playable
  /// The storefront of the user's account does not have it, or not for playback.
  case unavailableInStorefront
  /// Nobody could tell: without a connection, for example.
  case unknown
}
