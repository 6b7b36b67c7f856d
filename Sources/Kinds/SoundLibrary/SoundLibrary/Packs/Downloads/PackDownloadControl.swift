import Synchronization

/// Why a download is to end before it is done.
enum DownloadStop: Sendable {
  /// The process is about to end, or the app to sleep: what is there is kept.
  case interrupted
  /// Somebody, here or in another process, wants the pack to cancel or delete it, and says so in the log.
  case superseded
}

/// Tells a running download to end.
final class PackDownloadControl: Sendable {
  private struct State {
    var stop: DownloadStop?
    var cancel: (@Sendable () -> Void)?
    var isCommitted = false
  }

  private let state = Mutex(State())

  /// The first reason that was given.
  var stop: DownloadStop? { state.withLock { $0.stop } }

  /// Whether the log says that the pack is installed: then nothing that fails takes that back.
  var isCommitted: Bool { state.withLock { $0.isCommitted } }

  func commit() { state.withLock { $0.isCommitted = true } }

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
