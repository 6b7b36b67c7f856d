/// Why one attempt to fetch something ended, and what may come next.
package enum AttemptFailure: Error, Hashable, Sendable {
  /// Again, with what is there, after a pause.
  case again(String)
  /// The server asked for a pause, and must get it before another attempt.
  case busy(String, after: Duration)
  /// The connection was kept alive and closed before the request reached the server.
  case closedBeforeHead(String)
  /// A redirect led to an address that is refused now: a signed link that ran out, perhaps.
  case redirectRefused(String)
  /// From byte 0, with nothing of what is there.
  case startOver(StartOver)
  /// For good.
  case failed(DownloadFailure)

  package struct StartOver: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
      /// The object on the server is another one than it was, or the server mistook the range.
      case changed
      case empty
      case encoded
      case wrongHash

      /// What fails a second time will fail a third time.
      var limit: Int? { self == .changed ? nil : 1 }
    }

    let cause: Cause
    let reason: String
  }

  static func startOver(_ cause: StartOver.Cause, _ reason: String) -> AttemptFailure {
    .startOver(StartOver(cause: cause, reason: reason))
  }
}
