import CatalogStore
import LibC

/// A process that the system gives less memory than it asks for (`ulimit -v`).
///
/// Memory that is refused ends a Swift program by a signal, and Dispatch waits for ever for a thread that it does not get.
/// So the program looks first, before anything is written, and puts a message in the place of the signal.
enum LimitedMemory {
  /// Threads with their stacks, and what the smallest catalog takes.
  private static let needed = 224 << 20
  /// If a piece of this size is refused, memory was the reason of a signal: a command asks for no greater one at once.
  private static let scarce = 256 << 20

  /// - Returns: why there is not enough; nil if there is, or if the system does not limit it.
  static func problem() -> String? {
    guard let free = MemoryLimit.freeAddresses else { return nil }
    guard free >= needed else {
      return
        "too little memory: this process may use \(free >> 20) MiB more, and needs \(needed >> 20); allow more with "
        + "`ulimit -v`, then try again. Nothing was changed"
    }
    handleSignals()
    return nil
  }

  /// Static, as a handler of signals may allocate nothing.
  nonisolated(unsafe) private static var message: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var length = 0

  private static func handleSignals() {
    let text =
      "\(ProgramName.current): the command was ended, because the system gives this process no more memory; allow it "
      + "more with `ulimit -v`, then try again. What was appended to the log stays; the next command applies it\n"
    message = strdup(text)
    length = text.utf8.count
    // The first thread cannot handle the end of its own stack on that stack.
    let size = 64 << 10
    var stack = stack_t()
    stack.ss_sp = malloc(size)
    stack.ss_size = size
    sigaltstack(&stack, nil)
    for number in [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS] {
      var action = sigaction()
      #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = Self.end
      #else
        action.__sigaction_u.__sa_handler = Self.end
      #endif
      action.sa_flags = Int32(SA_ONSTACK) | Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }

  /// Ends the process with the message if memory is scarce, and else by the signal.
  private static let end: @convention(c) (Int32) -> Void = { number in
    let probe = mmap(nil, scarce, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if probe == MAP_FAILED, errno == ENOMEM {
      write(STDERR_FILENO, message, length)
      _exit(ExitStatus.error.rawValue)
    }
    // The handler is not set any more.
    raise(number)
  }
}
