/// Whether an item can be played here and now, and what is the matter where it cannot: for an app to
/// show.
public enum PlaybackStatus: Hashable, Sendable {
  /// By Apple Music, which may ask for authorization or a subscription.
  case requiresAppleMusic
  case available
  /// Playable, and its pack has a newer version.
  case updateAvailable(installed: Int, newest: Int)
  case notDownloaded
  /// Its pack is on its way; bytes of the whole pack.
  case downloading(bytesDownloaded: Int64, bytesTotal: Int64)
  /// The download of its pack failed, for the reason that is given.
  case failed(error: String)
  /// It was downloaded, and the file is gone: the pack can be repaired.
  case fileMissing

  public var isPlayable: Bool {
    switch self {
    case .requiresAppleMusic, .available, .updateAvailable: true
    case .notDownloaded, .downloading, .failed, .fileMissing: false
    }
  }
}

extension ItemDetail {
  /// What `availability` says, with its reason. Observed with the item: `observeItemDetail`.
  public var status: PlaybackStatus {
    switch availability {
    case .requiresAppleMusic: return .requiresAppleMusic
    case .available:
      if let pack, pack.isUpdateAvailable, let installed = pack.installedVersion {
        return .updateAvailable(installed: installed, newest: pack.version)
      }
      return .available
    case .notDownloaded, .fileMissing:
      switch pack?.state {
      case .downloading:
        return .downloading(
          bytesDownloaded: pack?.bytesDownloaded ?? 0, bytesTotal: pack?.bytesTotal ?? 0)
      case .failed: return .failed(error: pack?.lastError ?? "")
      case .downloaded, .notDownloaded, nil:
        return availability == .fileMissing ? .fileMissing : .notDownloaded
      }
    }
  }
}
