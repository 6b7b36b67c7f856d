import Dispatch
import LibC
import Synchronization

/// Lets a command end well on Ctrl-C, or on being asked to terminate. The second time ends the process.
package final class Interruption {
  private final class Flag: Sendable {
    private let isRaised = Mutex(false)

    /// - Returns: whether it was not raised before.
    func raise() -> Bool {
      isRaised.withLock { isRaised in
        defer { isRaised = true }
        return !isRaised
      }
    }

    var value: Bool { isRaised.withLock { $0 } }
  }

  private static let signals = [SIGINT, SIGTERM]

  private let flag = Flag()
  private let sources: [any DispatchSourceSignal]

  /// - Parameter stop: called once, on a thread of its own.
  package init(_ stop: @escaping @Sendable () -> Void) {
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    let registered = DispatchSemaphore(value: 0)
    for source in sources {
      source.setRegistrationHandler { registered.signal() }
      source.setEventHandler { [flag] in
        let isFirst = flag.raise()
        // From the second one on the process ends as any other.
        for number in Self.signals { signal(number, SIG_DFL) }
        if isFirst { stop() }
      }
      source.resume()
    }
    // A signal that comes before the source is registered is lost, so nothing begins before that. If the system gives
    // no thread, nothing registers it.
    for _ in sources { _ = registered.wait(timeout: .now() + 1) }
  }

  package var wasAsked: Bool { flag.value }

  /// Waits until a time, or until a person asked to end.
  package func sleep(until end: ContinuousClock.Instant) async throws {
    while !wasAsked, .now < end {
      try await Task.sleep(for: min(.milliseconds(100), end - .now))
    }
  }

  package func end() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}
