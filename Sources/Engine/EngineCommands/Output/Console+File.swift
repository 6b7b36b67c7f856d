import Synchronization

extension Console {
  /// Lets `body` write to an open file by a console, so that the writers of answers write files, too.
  ///
  /// - Returns: the number of the error that stopped it; nil if nothing did.
  package static func writing(
    to descriptor: Int32, _ body: (Console) throws -> Void
  ) rethrows -> Int32? {
    let failure = FirstFailure()
    try body(
      Console(
        output: { text in
          if failure.number == nil { failure.number = TextOutput.write(text, to: descriptor) }
        },
        errors: { Console.current.error(verbatim: $0) }))
    return failure.number
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
