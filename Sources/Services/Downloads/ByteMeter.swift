import Synchronization

/// Counts the bytes of the assets of one download, from many tasks at once.
package final class ByteMeter: Sendable {
  private struct State {
    var bytes: [Int: Int64] = [:]
    var total: Int64 = 0
    var highest: Int64 = 0
    var received: Int64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// An asset has this many bytes now: more than before, or none if it is started over.
  package func set(_ bytes: Int64, of asset: Int) {
    state.withLock { state in
      state.total += bytes - state.bytes[asset, default: 0]
      state.bytes[asset] = bytes
      state.highest = max(state.highest, state.total)
    }
  }

  /// Counts what came over the network.
  func receive(_ bytes: Int64) {
    state.withLock { $0.received += bytes }
  }

  /// What is there. Does not fall where an asset is started over: what is shown must not run backwards.
  package var bytes: Int64 { state.withLock { $0.highest } }

  /// What came over the network, whatever became of it.
  package var received: Int64 { state.withLock { $0.received } }
}
