import LibC
import Promises
import Support
import Testing

@Suite(
  .promise("An error has a message, a remedy in the words of the program, and a cause"))
struct ErrorMessageTests {
  private struct Failure: RecoverableError {
    let explanation: ErrorMessage
  }

  /// Words of a program, as the command line has them.
  private let shelfctl = RecoveryWords { recovery in
    switch recovery {
    case .rebuild: .command("shelfctl rebuild")
    case .wait: .phrase(", or wait for it with --wait")
    default: RecoveryWords.plain.word(for: recovery)
    }
  }

  private let failure = Failure(
    explanation: "a.sqlite is damaged; \(do: .rebuild) rebuilds it, \(do: .verify) shows more")

  @Test func eachProgramHasItsWords() {
    #expect("\(failure)" == "a.sqlite is damaged; `rebuild` rebuilds it, `verify` shows more")
    RecoveryWords.$current.withValue(shelfctl) {
      #expect(
        "\(failure)" == "a.sqlite is damaged; `shelfctl rebuild` rebuilds it, `verify` shows more")
    }
  }

  @Test func whatAnotherErrorProposesIsKept() {
    #expect(failure.recoveries == [.rebuild, .verify])
    let other = Failure(explanation: "the import stopped: \(failure)" + "; or \(do: .showEvent(7))")
    #expect(other.recoveries == [.rebuild, .verify, .showEvent(7)])
    #expect(other.description.hasPrefix("the import stopped: a.sqlite is damaged; `rebuild`"))
    let plain = Failure(explanation: ErrorMessage("nothing to be done"))
    #expect(plain.recoveries.isEmpty)
  }

  /// What is nothing but a command is to be typed as it is.
  @Test func aCommandAloneHasNoQuotes() {
    let remedy: ErrorMessage = "\(do: .rebuild)"
    #expect(remedy.worded(shelfctl) == "shelfctl rebuild")
    let sentence: ErrorMessage = "try again\(do: .wait)"
    #expect(sentence.worded(shelfctl) == "try again, or wait for it with --wait")
    #expect(sentence.worded(.plain) == "try again, or wait for it longer")
  }

  /// Advice about something that is used up comes first, since no remedy of a caller mends that; permissions come last.
  @Test func whatTheSystemRefusesHasOneRemedy() {
    #expect(
      SystemError.words(for: EACCES).hasSuffix(
        "; let this user read and write it, or run the program as its owner"))
    #expect(SystemError.words(for: EACCES, otherwise: "ask them").hasSuffix("denied; ask them"))
    #expect(SystemError.words(for: EMFILE, otherwise: "ask them").contains("(ulimit -n)"))
    #expect(!SystemError.words(for: EMFILE, otherwise: "ask them").contains("ask them"))
    #expect(SystemError.words(for: EISDIR) == "Is a directory")
    #expect(SystemError.words(for: EISDIR, otherwise: "ask them").hasSuffix("; ask them"))
  }

  @Test func anythingElseIsTold() {
    let message: ErrorMessage = "\(3) of \("four") \(Optional<Int>.none as Any)"
    #expect(message.description == "3 of four nil")
    #expect(message == "\(3) of \("four") \(Optional<Int>.none as Any)")
  }
}
