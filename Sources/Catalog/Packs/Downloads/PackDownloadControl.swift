import Synchronization

/// Why a download is to end before it is done.
enum DownloadStop: Sendable {
  /// Somebody does not want the pack: what is there goes.
  case cancelled
  /// The process is about to end, or the app to sleep: what is there is kept.
  case interrupted
  /// The pack was cancelled or deleted, here or by another process, and the log says so already.
  case superseded
}

/// Tells a running download to end.
final class PackDownloadControl: Sendable {
  private struct State {
    var stop: DownloadStop?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The first reason that was given.
  var stop: DownloadStop? { state.withLock { $0.stop } }

  /// What `stop` calls; at once where there is a reason already.
  func onStop(_ cancel: @escaping @Sendable () -> Void) {
    let isStopped = state.withLock { state in
      state.cancel = cancel
      return state.stop != nil
    }
    if isStopped { cancel() }
  }

  func stop(_ reason: DownloadStop) {
    let cancel = state.withLock { state in
      if state.stop == nil { state.stop = reason }
      return state.cancel
    }
    cancel?()
  }
}
