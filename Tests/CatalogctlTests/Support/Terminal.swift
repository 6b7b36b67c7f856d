import Foundation

/// Runs programs on a pseudo-terminal, as a person has them before the eyes.
enum Terminal {
  /// Keys, and one of the texts that the screen has to show first, after the text for the keys before.
  struct Typing: Encodable {
    var after: [String]
    var keys: String

    init(_ keys: String, after texts: String...) {
      (self.keys, after) = (keys, texts)
    }
  }

  /// Standard output and standard error are the terminal, unless the program sends them elsewhere.
  /// If a text does not come within a minute, nothing more is typed, and the terminal is closed.
  private static let script = """
    import json, os, pty, select, sys
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    typed = json.loads(sys.argv[1])
    shown, seen = b"", 0
    while True:
        while typed:
            texts = [text.encode() for text in typed[0]["after"]]
            ends = [shown.find(text, seen) + len(text) for text in texts if shown.find(text, seen) >= 0]
            if not ends:
                break
            seen = min(ends)
            os.write(terminal, typed.pop(0)["keys"].encode())
        ready, _, _ = select.select([terminal], [], [], 60)
        if not ready:
            break
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    sys.stdout.buffer.write(shown)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """

  /// - Parameters:
  ///   - environment: set on top of this process's; an empty value removes the name.
  ///   - typed: what is typed, one after the other.
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    typed: [Typing] = []
  ) async throws -> Outcome {
    let keys = String(decoding: try JSONEncoder().encode(typed), as: UTF8.self)
    var outcome = try await Program.run(
      "python3", ["-c", script, keys, program] + arguments,
      environment: ["TERM": "xterm"].merging(environment) { $1 })
    outcome.output = outcome.output.replacing("\r\n", with: "\n")
    return outcome
  }
}
