import CatalogEngine
import LibC
import Support
import Synchronization

extension Console {
  /// Lets `body` write a new file by a console, so that the writers of answers write files, too.
  ///
  /// - Parameters:
  ///   - path: the file to create.
  ///   - name: the file's name in errors, if `path` is the one that it has until it is complete.
  /// - Throws: `CatalogError` with `directory` if the file cannot be created or written.
  package static func writing<Result>(
    _ path: String, as name: String, _ body: (Console) throws -> Result
  ) throws -> Result {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure("create", name, errno) }
    defer { close(descriptor) }
    let stopped = FirstFailure()
    let console = Console(
      output: { text in
        guard stopped.number == nil else { return }
        if let number = TextOutput.write(text, to: descriptor) { stopped.number = number }
      },
      errors: { Console.current.error(verbatim: $0) })
    let result = try body(console)
    if let number = stopped.number { throw failure("write", name, number) }
    return result
  }

  private static func failure(_ verb: String, _ path: String, _ number: Int32) -> CatalogError {
    let reason = SystemError.words(
      for: number, otherwise: "name a file in a folder that can be written")
    return CatalogError(.directory, "cannot \(verb) \(path): \(reason)")
  }

  /// The number of the error after which nothing more is written; nil if there is none.
  private final class FirstFailure: Sendable {
    private let value = Mutex<Int32?>(nil)

    var number: Int32? {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }
}
