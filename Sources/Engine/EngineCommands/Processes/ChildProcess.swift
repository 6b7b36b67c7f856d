import CatalogEngine
import Dispatch
import LibC
import Support
import Synchronization

/// A process that this one started, with a pipe to each of its three streams.
///
/// Foundation's `Process` closes descriptors by numbers that a process with few open files does not have, which fails
/// with error 9 of Cocoa, and ends this process if it gets no descriptor for an event loop.
/// swift-subprocess 1.0.2 ends this process if the system gives no descriptor for a pipe ("was not closed"). It starts a
/// process no faster, and adds 0.9 MB to the program.
package final class ChildProcess {
  /// How a process ended.
  package enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Its standard input is the other end.
  private(set) var input: Descriptor?
  private let output: Descriptor
  private let errors: Descriptor
  private let process: pid_t
  private var end: End?

  /// A descriptor that is closed with its last reference, and that no other process inherits.
  package final class Descriptor {
    let number: Int32

    fileprivate init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Reads what the other end writes next; empty at the end.
    fileprivate func read() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, filled in
        while true {
          let count = LibC.read(number, buffer.baseAddress, buffer.count)
          if count < 0, errno == EINTR { continue }
          filled = max(0, count)
          return
        }
      }
    }

    /// Writes bytes to the other end.
    ///
    /// - Returns: whether the other end took all of them.
    fileprivate func write(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { LibC.write(number, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Writes to the process's standard input.
  ///
  /// - Returns: false if the process reads no more.
  package func write(_ bytes: [UInt8]) -> Bool {
    guard let input else { return false }
    // The end of the other process is an answer here, and the signal would end this one. It comes to the thread that writes.
    var (pipe, before) = (sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    guard !input.write(bytes) else { return true }
    var pending = sigset_t()
    sigpending(&pending)
    var number: Int32 = 0
    if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &number) }
    return false
  }

  /// Closes the process's standard input.
  package func closeInput() { input = nil }

  /// Reads what the process writes to standard output next; empty at the end.
  ///
  /// For a process that writes little to standard error: nothing reads that meanwhile.
  package func readOutput() -> [UInt8] { output.read() }

  /// Reads both streams until the process closes them.
  ///
  /// Both at once: a process whose pipe is full waits for its reader.
  ///
  /// - Parameter body: receives pieces of standard output.
  /// - Returns: what the process wrote to standard error.
  package func read(_ body: ([UInt8]) throws -> Void) rethrows -> [UInt8] {
    var written: [UInt8] = []
    var streams = [output, errors].map {
      pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
    }
    // A negative descriptor is left out.
    while streams.contains(where: { $0.fd >= 0 }) {
      guard poll(&streams, 2, -1) > 0 else {
        guard errno == EINTR else { break }
        continue
      }
      for (index, stream) in [output, errors].enumerated() where streams[index].revents != 0 {
        let bytes = stream.read()
        if bytes.isEmpty { streams[index].fd = -1 }
        if index == 0 { try body(bytes) } else { written += bytes }
      }
    }
    return written
  }

  /// Starts a process in a process group of its own: Ctrl-C reaches this process alone.
  ///
  /// - Parameters:
  ///   - program: a path, or a name that is looked up on `PATH`.
  ///   - purpose: for the error: `a replay`.
  /// - Throws: `CatalogError` with `verification` if the system does not start it.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String],
    for purpose: String = "a replay"
  ) throws {
    let input = try Self.pipe(purpose)
    let output = try Self.pipe(purpose)
    let errors = try Self.pipe(purpose)
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // All pipes are above 2, so that none is closed before it is copied.
    posix_spawn_file_actions_adddup2(&actions, input.reading.number, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.writing.number, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.writing.number, STDERR_FILENO)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let code = Self.withStrings([program] + arguments) { arguments in
      Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
        posix_spawnp(&process, program, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw Self.failure("start \(program)", purpose, code) }
    self.process = process
    (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
  }

  deinit {
    guard end == nil else { return }
    kill(process, SIGTERM)
    // Else it might still write to a folder that is removed next.
    _ = wait()
  }

  /// Reads what the process writes until it ends; one that takes longer than a limit is killed.
  ///
  /// - Returns: what it wrote to standard error, and how it ended; nil if it was killed.
  func run(within limit: Duration) throws -> (errors: [UInt8], end: End?) {
    let alarm = Timeout(process)
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .milliseconds(Int(limit / .milliseconds(1)))
    ) { alarm.ring() }
    let errors = read { _ in }
    // Its number is its own until `wait`.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    let isLate = alarm.stop()
    let end = wait()
    return (errors, isLate ? nil : end)
  }

  /// Kills a process and those that it started, unless it is stopped before.
  private final class Timeout: Sendable {
    private enum State {
      case set
      case rung
      case stopped
    }

    private let process: pid_t
    private let state = Mutex(State.set)

    init(_ process: pid_t) { self.process = process }

    func ring() {
      state.withLock { state in
        guard case .set = state else { return }
        state = .rung
        kill(-process, SIGKILL)
      }
    }

    /// - Returns: whether it has rung.
    func stop() -> Bool {
      state.withLock { state in
        if case .rung = state { return true }
        state = .stopped
        return false
      }
    }
  }

  /// Waits until the process ends.
  package func wait() -> End {
    if let end { return end }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7F
    let end = number == 0 ? End.exit((status >> 8) & 0xFF) : .signal(number)
    self.end = end
    return end
  }

  /// - Throws: `CatalogError` with `verification` if the system gives no descriptor.
  private static func pipe(
    _ purpose: String
  ) throws -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [0, 0]
    let code = LibC.pipe(&ends)
    guard code == 0 else { throw failure("make a pipe", purpose, errno) }
    defer { for end in ends { close(end) } }
    let reading = fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard reading >= 0 else { throw failure("make a pipe", purpose, errno) }
    let read = Descriptor(reading)
    let writing = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard writing >= 0 else { throw failure("make a pipe", purpose, errno) }
    return (read, Descriptor(writing))
  }

  private static func failure(
    _ action: String, _ purpose: String, _ number: Int32
  ) -> CatalogError {
    CatalogError(
      .verification, "cannot \(action) for \(purpose): \(SystemError.words(for: number))")
  }

  /// Calls `body` with an array of C strings that ends with nil.
  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("the array has a nil") }
      return body(start)
    }
  }
}
