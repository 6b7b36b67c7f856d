import Promises
import Testing

@testable import Downloads

@Suite(
  .promise(
    "A failing server is tried again with growing pauses, and given up in the end",
    by: "downloads"),
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"))
struct PerseveranceTests {
  @Test func progressResetsTheCount() throws {
    var retryBudget = RetryBudget(DownloadPolicy())
    for _ in 0..<50 {
      for _ in 0..<3 { _ = try retryBudget.pause(after: .again("cut"), progress: 0) }
      _ = try retryBudget.pause(after: .again("cut"), progress: 1 << 20)
    }
    for _ in 0..<3 { _ = try retryBudget.pause(after: .again("cut"), progress: 0) }
    let failure = #expect(throws: DownloadFailure.self) {
      try retryBudget.pause(after: .again("cut"), progress: 0)
    }
    #expect(failure?.code == .network)
    #expect(failure?.isResumable == true)
  }

  @Test func aDripIsNoProgress() throws {
    var retryBudget = RetryBudget(DownloadPolicy())
    #expect(throws: DownloadFailure.self) {
      for _ in 0..<5 { _ = try retryBudget.pause(after: .again("stalled"), progress: 30) }
    }
  }

  @Test func pausesGrowToALimitAndAreSpread() throws {
    var policy = DownloadPolicy()
    policy.attempts = 1_000
    var longest: [Duration] = []
    for attempt in 0..<10 {
      var pauses: [Duration] = []
      for _ in 0..<200 {
        var retryBudget = RetryBudget(policy)
        for _ in 0..<attempt { _ = try retryBudget.pause(after: .again("cut"), progress: 0) }
        pauses.append(try retryBudget.pause(after: .again("cut"), progress: 0))
      }
      let limit = min(Duration.seconds(1 << attempt), .seconds(60))
      #expect(pauses.allSatisfy { $0 >= .zero && $0 <= limit })
      #expect(Set(pauses).count > 100)
      longest.append(pauses.max() ?? .zero)
    }
    #expect(longest[0] < longest[4])
  }

  /// Doubled more often than an integer has bits, the pause was none.
  @Test func pausesStayBehindManyAttempts() throws {
    var policy = DownloadPolicy()
    policy.attempts = 10_000
    var retryBudget = RetryBudget(policy)
    var pauses: [Duration] = []
    for _ in 0..<9_000 {
      pauses.append(try retryBudget.pause(after: .again("cut"), progress: 0))
    }
    #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .seconds(60) })
    #expect(pauses.dropFirst(60).filter { $0 > .seconds(1) }.count > 8_000)
  }

  @Test func aServerThatAsksForTooMuchFailsAndCanBeResumed() {
    var retryBudget = RetryBudget(DownloadPolicy())
    #expect(
      throws: Never.self,
      performing: { try retryBudget.pause(after: .busy("503", after: .seconds(300)), progress: 0) }
    )
    let failure = #expect(throws: DownloadFailure.self) {
      try retryBudget.pause(after: .busy("503", after: .seconds(301)), progress: 0)
    }
    #expect(failure?.code == .busy)
    #expect(failure?.isResumable == true)
  }

  @Test func startingOverHasABudget() throws {
    var retryBudget = RetryBudget(DownloadPolicy())
    let changed = AttemptFailure.startOver(.init(cause: .changed, reason: "changed"))
    _ = try retryBudget.pause(after: changed, progress: 0)
    _ = try retryBudget.pause(after: changed, progress: 0)
    #expect(throws: DownloadFailure.self) {
      try retryBudget.pause(after: changed, progress: 1 << 30)
    }
    for cause in [AttemptFailure.StartOver.Cause.wrongHash, .encoded, .empty] {
      var retryBudget = RetryBudget(DownloadPolicy())
      let failure = AttemptFailure.startOver(.init(cause: cause, reason: "once"))
      _ = try retryBudget.pause(after: failure, progress: 0)
      #expect(throws: DownloadFailure.self) { try retryBudget.pause(after: failure, progress: 0) }
    }
  }

  @Test func aClosedConnectionIsTriedAgainOnceWithoutAPause() throws {
    var policy = DownloadPolicy()
    policy.attempts = 2
    var retryBudget = RetryBudget(policy)
    #expect(try retryBudget.pause(after: .closedBeforeHead("closed"), progress: 0) == .zero)
    _ = try retryBudget.pause(after: .closedBeforeHead("closed"), progress: 0)
    #expect(throws: DownloadFailure.self) {
      try retryBudget.pause(after: .closedBeforeHead("closed"), progress: 0)
    }
  }
}
