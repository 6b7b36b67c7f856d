import CCurl
import Downloads
import LibC
import Synchronization

/// The transfers that are under way, all on one thread, which calls libcurl and nothing else does.
///
/// `@unchecked Sendable`: other threads give commands, under a lock, and wake it up.
final class CurlLoop: @unchecked Sendable {
  private struct Commands {
    var begin: [CurlTransfer] = []
    var resume: [CurlTransfer] = []
    var cancel: [CurlTransfer] = []
    var isClosed = false
  }

  private static let shutDown = TransportFailure(.other, "the HTTP client was shut down")

  private let multi: UnsafeMutableRawPointer
  private let commands = Mutex(Commands())
  /// By their handles; the thread's alone.
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]

  /// Why libcurl cannot be used; nil if it can.
  private static let problem: String? = libcurl_load().map { String(cString: $0) }

  /// - Throws: `TransportFailure` if there is no libcurl.
  init() throws(TransportFailure) {
    if let problem = Self.problem { throw TransportFailure(.unusable, problem) }
    guard let multi = libcurl_multi_init() else {
      throw TransportFailure(.other, "libcurl cannot create transfers: out of memory")
    }
    self.multi = multi
  }

  // MARK: - From any thread

  var isClosed: Bool { commands.withLock { $0.isClosed } }

  func begin(_ transfer: CurlTransfer) {
    if !enqueue({ $0.begin.append(transfer) }) { transfer.finish(Self.shutDown) }
  }

  func resume(_ transfer: CurlTransfer) { _ = enqueue { $0.resume.append(transfer) } }

  /// Ends a transfer; whoever waits for it gets a `CancellationError` now.
  func cancel(_ transfer: CurlTransfer) {
    transfer.finish(CancellationError())
    _ = enqueue { $0.cancel.append(transfer) }
  }

  /// Ends all transfers, and the thread soon after.
  func close() { _ = enqueue { $0.isClosed = true } }

  /// - Returns: false after the end: nobody would carry it out.
  private func enqueue(_ change: (inout Commands) -> Void) -> Bool {
    commands.withLock { commands in
      guard !commands.isClosed else { return false }
      change(&commands)
      libcurl_multi_wakeup(multi)
      return true
    }
  }

  // MARK: - On its thread

  /// Runs until `close`.
  func run() {
    var failure = Self.shutDown
    while processCommands() {
      var code = libcurl_multi_perform(multi)
      completeTransfers()
      if code == CURLM_OK { code = libcurl_multi_wait_for_work(multi, 60_000) }
      if code != CURLM_OK {
        failure = TransportFailure(.other, "libcurl failed with code \(code.rawValue)")
        break
      }
    }
    // Nobody may wake it up from here on.
    let late = commands.withLock { commands in
      commands.isClosed = true
      defer { commands.begin = [] }
      return commands.begin
    }
    for transfer in late { transfer.finish(failure) }
    for transfer in transfers.values {
      transfer.finish(failure)
      remove(transfer)
    }
    libcurl_multi_cleanup(multi)
  }

  /// A connection that is gone must be an error and no signal. libcurl is told to leave signals alone, and older ones
  /// let OpenSSL write in a way that raises it in this thread.
  static func blockBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// - Returns: false if there is to be an end.
  private func processCommands() -> Bool {
    let taken = commands.withLock { commands in
      defer { (commands.begin, commands.resume, commands.cancel) = ([], [], []) }
      return commands
    }
    for transfer in taken.begin { add(transfer) }
    for transfer in taken.resume {
      if let easy = transfer.easy { libcurl_easy_go_on(easy) }
    }
    for transfer in taken.cancel { remove(transfer) }
    return !taken.isClosed
  }

  private func add(_ transfer: CurlTransfer) {
    guard let easy = transfer.begin() else { return }
    guard libcurl_multi_add_handle(multi, easy) == CURLM_OK else {
      transfer.finish(TransportFailure(.other, "libcurl cannot start another transfer"))
      transfer.end()
      return
    }
    transfers[easy] = transfer
  }

  private func completeTransfers() {
    var code = CURLE_OK
    while let easy = libcurl_multi_next_done(multi, &code) {
      guard let transfer = transfers[easy] else { continue }
      transfer.completed(code)
      remove(transfer)
    }
  }

  private func remove(_ transfer: CurlTransfer) {
    guard let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil else { return }
    libcurl_multi_remove_handle(multi, easy)
    transfer.end()
  }
}
