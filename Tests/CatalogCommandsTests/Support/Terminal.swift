import Foundation

/// Runs programs on a pseudo-terminal, as a person has them before the eyes.
enum Terminal {
  /// Standard output and standard error are the terminal, unless the program sends them elsewhere.
  /// What is typed comes line by line, or key by key, when the program has been still for a while.
  private static let script = """
    import os, pty, select, sys, time
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    typed = sys.argv[1].split("\\x1f") if sys.argv[1] else []
    shown = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 1.5 if typed else 60)
        if ready:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        elif typed:
            os.write(terminal, typed.pop(0).encode())
        else:
            break
    os.close(terminal)
    sys.stdout.buffer.write(shown)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """

  /// - Parameters:
  ///   - environment: set on top of this process's; an empty value removes the name.
  ///   - typed: keys, in pieces.
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    typed: [String] = []
  ) async throws -> Outcome {
    // No argument can hold a NUL: the pieces are parted by what nobody types.
    let keys = typed.joined(separator: "\u{1F}")
    var outcome = try await Program.run(
      "python3", ["-c", script, keys, program] + arguments,
      environment: ["TERM": "xterm"].merging(environment) { $1 })
    outcome.output = outcome.output.replacing("\r\n", with: "\n")
    return outcome
  }
}
