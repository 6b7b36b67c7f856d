import LibC

/// Work on a thread of its own, for whose end its maker waits later.
///
/// A thread and no queue: it begins at once however many others wait, so that one that waits for it
/// cannot keep it from beginning. `@unchecked Sendable`: the result is written before the thread ends and
/// read after it was joined.
package final class BackgroundWork<Value>: @unchecked Sendable {
  private var result: Result<Value, any Error>?
  private var thread: pthread_t?

  /// Documents and lines may nest deeper than the half megabyte that some platforms give a thread.
  private static var stackSize: Int { 8 << 20 }

  /// - Throws: `NoThread`. The work is not done in its place: whoever waits for what it hands over bit by
  ///   bit would wait for ever.
  package init(_ work: @escaping @Sendable () throws -> Value) throws {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, Self.stackSize)
    let runner = Runner { self.result = Result { try work() } }
    let context = Unmanaged.passRetained(runner)
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(&thread, attributes, { Runner.run($0) }, context.toOpaque())
    #else
      var thread: pthread_t?
      let code = pthread_create(&thread, attributes, { Runner.run($0) }, context.toOpaque())
    #endif
    pthread_attr_destroy(attributes)
    guard code == 0 else {
      context.release()
      throw NoThread(reason: String(cString: strerror(code)))
    }
    self.thread = thread
  }

  /// Waits for the end. May be called again, by the same thread.
  package func wait() {
    guard let thread else { return }
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// Waits for the end and returns what the work gave, or throws what it threw.
  package func value() throws -> Value {
    wait()
    guard let result else { preconditionFailure("work ends with a value or an error") }
    return try result.get()
  }
}

/// The system gives this process no further thread.
package struct NoThread: Error, CustomStringConvertible {
  let reason: String

  package var description: String {
    "the system gives no further thread: \(reason); end other programs, or allow this one more threads or memory (ulimit -u, ulimit -v)"
  }
}

/// What a thread is given: it has no type parameter, so that a C function can take it.
private final class Runner {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
  }

  static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Runner>.fromOpaque(context).takeRetainedValue().body()
    return nil
  }
}
