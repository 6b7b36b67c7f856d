import Synchronization

public import struct Foundation.UUID

/// How far the download of a pack has come.
public struct PackProgress: Hashable, Sendable {
  public enum Phase: String, Hashable, Sendable {
    /// Other packs go first.
    case waiting
    /// The manifest is fetched and checked, and what is there already looked at.
    case preparing
    case downloading
    /// All assets are there and verified.
    case installing
  }

  public let packID: UUID
  public var phase = Phase.waiting
  /// Of the whole pack, what an earlier attempt left and an older version shares included. Does not fall.
  public var bytesDownloaded: Int64 = 0
  /// Nil before the manifest is there.
  public var bytesTotal: Int64?
  public var assetsDone = 0
  public var assetsTotal: Int?
  /// Over the last seconds; nil as long as nothing came.
  public var bytesPerSecond: Double?

  init(packID: UUID) {
    self.packID = packID
  }

  /// At the rate of the last seconds.
  public var timeLeft: Duration? {
    guard let bytesTotal, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    return .seconds(Double(bytesTotal - bytesDownloaded) / bytesPerSecond)
  }
}

/// Hands the progress of one download to whoever asks for it.
final class ProgressBoard: Sendable {
  private struct State {
    var progress: PackProgress
    var samples: [(time: ContinuousClock.Instant, bytes: Int64)] = []
    var listeners: [Int: AsyncStream<PackProgress>.Continuation] = [:]
    var nextListener = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  init(_ pack: UUID) {
    state = Mutex(State(progress: PackProgress(packID: pack)))
  }

  /// The progress now and as it changes; a listener that is slow gets the newest. Ends with the download.
  func listen() -> AsyncStream<PackProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PackProgress.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      continuation.yield(state.progress)
      guard !state.isFinished else {
        continuation.finish()
        return
      }
      let number = state.nextListener
      state.nextListener += 1
      state.listeners[number] = continuation
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners[number] = nil }
      }
    }
    return stream
  }

  var progress: PackProgress { state.withLock { $0.progress } }

  func update(_ change: (inout PackProgress) -> Void) {
    state.withLock { state in
      let old = state.progress
      change(&state.progress)
      guard state.progress != old else { return }
      for listener in state.listeners.values { listener.yield(state.progress) }
    }
  }

  /// Takes the bytes that are there, and the rate from those that came over the network.
  func update(bytes: Int64, received: Int64) {
    let rate = state.withLock { state -> Double? in
      let now = ContinuousClock.now
      state.samples.append((now, received))
      state.samples.removeAll { now - $0.time > .seconds(5) }
      guard let first = state.samples.first, received > first.bytes else { return nil }
      return Double(received - first.bytes) / ((now - first.time) / .seconds(1))
    }
    update { progress in
      progress.bytesDownloaded = max(progress.bytesDownloaded, bytes)
      progress.bytesPerSecond = rate
    }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
