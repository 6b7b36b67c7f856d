#if canImport(MusicKit)
  import MusicKit

  /// Asks MusicKit.
  ///
  /// Never compiled and never tested by this package's own checks, which run on Linux, if there is no
  /// MusicKit: read it, and try it on a device, before you rely on it. It asks for no authorization; that
  /// is for the app, in a moment that suits.
  public struct MusicKitAvailability: MusicAvailabilitySource {
    public init() {}

    public func availability(ofPlaylist id: String) async -> MusicAvailability {
      switch MusicAuthorization.currentStatus {
      case .authorized: break
      case .notDetermined: return .notDetermined
      case .denied: return .denied
      case .restricted: return .restricted
      @unknown default: return .unknown
      }
      do {
        let subscription = try await MusicSubscription.current
        guard subscription.canPlayCatalogContent else {
          return .noSubscription(canSubscribe: subscription.canBecomeSubscriber)
        }
        let request = MusicCatalogResourceRequest<Playlist>(
          matching: \.id, equalTo: MusicItemID(id))
        let playlist = try await request.response().items.first
        return playlist?.playParameters == nil ? .unavailableInStorefront : .playable
      } catch MusicSubscription.Error.privacyAcknowledgementRequired {
        return .privacyAcknowledgementRequired
      } catch MusicSubscription.Error.permissionDenied {
        return .denied
      } catch {
        return .unknown
      }
    }
  }
#endif
