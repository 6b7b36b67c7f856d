import AppleMusic
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import Promises
import Synchronization
import Testing

/// Servers and networks that fail, and how long they are put up with.
@Suite(
  .promise("No status line of a server ends the process", by: "Apple Music"),
  .promise(
    "A failing server is tried again with growing pauses, and given up in the end",
    by: "Apple Music"),
  .promise(
    "A list of tracks comes as a whole or not at all, in order, with its doubles",
    by: "failures at any page"),
  .timeLimit(.minutes(10)))
struct PatienceTests {
  private static let playlist = ServedPlaylist(id: MusicTrial.id, numbers: 0..<1_000)

  // MARK: Again, and then it works

  @Test(arguments: [429, 500, 502, 503, 504, 599, 408])
  func aStatusThatMayPassIsTriedAgain(status: Int) async throws {
    let trial = try MusicTrial([Self.playlist])
    trial.server.script { $0.index < 4 ? .response(status: status) : nil }
    #expect(try await trial.playlist().title == "Playlist \(MusicTrial.id)")
    #expect(trial.server.requests.count == 5)
    trial.expectHeaders()
  }

  @Test(arguments: [429, 500, 503])
  func aPauseThatIsAskedForIsMade(status: Int) async throws {
    let trial = try MusicTrial([Self.playlist])
    trial.server.script {
      $0.index == 0 ? AppleMusicServer.rateLimited(after: "1", status: status) : nil
    }
    let start = ContinuousClock.now
    _ = try await trial.playlist()
    #expect(ContinuousClock.now - start >= .seconds(1))
    #expect(trial.server.requests.count == 2)
    trial.expectHeaders()
  }

  @Test func eachPageHasPatienceOfItsOwn() async throws {
    let trial = try MusicTrial([Self.playlist])
    let failures = Mutex<[Int: Int]>([:])
    trial.server.script { request in
      let count = failures.withLock { failures in
        failures[request.offset, default: 0] += 1
        return failures[request.offset, default: 0]
      }
      guard count < 5 else { return nil }
      return count % 2 == 0 ? .init(.reset) : .response(status: 503)
    }
    #expect(try await trial.tracks().count == 1_000)
    #expect(trial.server.requests.count == 50)
    trial.expectHeaders()
  }

  @Test(arguments: [FaultServer.Step.reset, .close])
  func aConnectionThatBreaksWithinAPageIsTriedAgain(end: FaultServer.Step) async throws {
    let trial = try MusicTrial([Self.playlist])
    trial.server.script { request in
      guard request.index == 2 else { return nil }
      return .head(
        headers: ["Content-Type": "application/json", "Content-Length": "50000"],
        then: .send(Array(#"{"data":["#.utf8)), end)
    }
    #expect(try await trial.tracks().count == 1_000)
    #expect(trial.server.requests.count == 11)
    trial.expectHeaders()
  }

  // MARK: Again, in vain

  @Test func aServerThatLimitsForEverIsGivenUp() async throws {
    let trial = try MusicTrial { _ in AppleMusicServer.rateLimited(after: "0") }
    let error = try await trial.expectErrorOfPlaylist(.rateLimited)
    #expect(trial.server.requests.count == 5)
    #expect(error.errors.map(\.title) == ["Slow down"])
    #expect(error.message.contains("429"))
    #expect(error.message.contains("5 times"))
    trial.expectHeaders()
  }

  @Test(arguments: [
    (500, AppleMusicError.Code.serverFailed), (503, .serverFailed), (429, .rateLimited),
    (408, .network),
  ])
  func aStatusThatDoesNotPassIsGivenUp(status: Int, code: AppleMusicError.Code) async throws {
    let trial = try MusicTrial { _ in .response(status: status) }
    let error = try await trial.expectErrorOfTracks(code)
    #expect(error.message.contains("answered \(status)"))
    #expect(trial.server.requests.count == 5)
  }

  @Test(arguments: [
    ("301", 429, AppleMusicError.Code.rateLimited), ("3600", 503, .serverFailed),
    ("99999999999999999999", 429, .rateLimited),
    ("Fri, 31 Dec 2999 23:59:59 GMT", 500, .serverFailed),
  ])
  func aPauseThatIsTooLongIsAnErrorAtOnce(
    pause: String, status: Int, code: AppleMusicError.Code
  ) async throws {
    let trial = try MusicTrial { _ in AppleMusicServer.rateLimited(after: pause, status: status) }
    let error = try await trial.expectErrorOfPlaylist(code)
    #expect(error.message.contains("asks to wait for"))
    #expect(pause.count > 4 || error.message.contains("\(pause) s"))
    #expect(trial.server.requests.count == 1)
  }

  @Test func aFailureOfPageFiveGivesAnErrorAndNoList() async throws {
    let trial = try MusicTrial([Self.playlist])
    trial.server.script { $0.offset == 400 ? .response(status: 500) : nil }
    try await trial.expectErrorOfTracks(.serverFailed)
    #expect(trial.server.requests.map(\.offset) == [0, 100, 200, 300, 400, 400, 400, 400, 400])
    trial.expectHeaders()
  }

  @Test func whereNobodyListensThereIsNoNetwork() async throws {
    let client = try AppleMusicClient(
      transport: CurlTransport(), tokens: FixedToken(),
      baseURL: FaultServer.deadAddress(""), policy: MusicTrial.policy)
    let error = await #expect(throws: AppleMusicError.self) {
      try await client.playlist(MusicTrial.id, storefront: "us")
    }
    #expect(error?.code == .network)
    #expect(error?.message.contains("cannot be reached") == true)
  }

  @Test(arguments: [FaultServer.Reply(.reset), FaultServer.Reply(.close), .raw("no HTTP\r\n\r\n")])
  func aServerThatSpeaksNoHTTPIsNoNetwork(reply: FaultServer.Reply) async throws {
    let trial = try MusicTrial { _ in reply }
    try await trial.expectErrorOfPlaylist(.network)
    #expect((5...6).contains(trial.server.requests.count))
    trial.expectHeaders()
  }

  @Test func aStatusLineThatIsNoneIsNoHTTP() async throws {
    let trial = try MusicTrial { _ in .raw("HTTP/1.1 000 No\r\nContent-Length: 2\r\n\r\n{}") }
    let error = try await trial.expectErrorOfPlaylist(.network)
    #expect(error.message.contains("the answer is not HTTP"), "\(error)")
    try await trial.expectErrorOfTracks(.network)
    trial.expectHeaders()
  }

  @Test func aPolicyWithANumberThatIsNotAllowedIsRefused() throws {
    var policy = MusicTrial.policy
    policy.attempts = 0
    let error = #expect(throws: DownloadPolicyError.self) { try MusicTrial(policy: policy) }
    #expect(error?.description == "DownloadPolicy.attempts is 0; 1 to 9007199254740991 is allowed")
  }

  @Test func aServerThatNeverAnswersIsGivenUp() async throws {
    var policy = MusicTrial.policy
    policy.headTimeout = .milliseconds(200)
    policy.attempts = 2
    let trial = try MusicTrial(policy: policy) { _ in .init(.hang) }
    let error = try await trial.expectErrorOfPlaylist(.network)
    #expect(error.message.contains("no answer within"))
  }

  @Test func aServerThatComesToAHaltWithinAPageIsGivenUp() async throws {
    var policy = MusicTrial.policy
    policy.stallWindow = .milliseconds(200)
    policy.attempts = 2
    let trial = try MusicTrial(policy: policy) { _ in
      .head(headers: ["Content-Type": "application/json"], then: .send([0x7B]), .hang)
    }
    let error = try await trial.expectErrorOfPlaylist(.network)
    #expect(error.message.contains("too little"))
  }

  @Test func anErrorDocumentThatNeverComesLeavesTheStatus() async throws {
    var policy = MusicTrial.policy
    policy.stallWindow = .milliseconds(200)
    let trial = try MusicTrial(policy: policy) { _ in
      .head(403, headers: ["Content-Type": "application/json"], then: .send([0x7B]), .hang)
    }
    try await trial.expectErrorOfPlaylist(.forbidden)
  }

  // MARK: Cancellation

  /// Starts, waits until the server has been asked so often, cancels, and looks at how it ends.
  private func expectCancellation(
    of trial: MusicTrial, afterRequests count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let task = Task { try await trial.tracks() }
    try await Wait.until("request \(count)") { trial.server.requests.count >= count }
    task.cancel()
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) {
      try await task.value
    }
    #expect(trial.server.requests.count == count, sourceLocation: sourceLocation)
  }

  @Test func withinAPageItIsCancelledAtOnce() async throws {
    let trial = try MusicTrial([Self.playlist])
    trial.server.script { request in
      guard request.offset == 300 else { return nil }
      return .head(
        headers: ["Content-Type": "application/json", "Content-Length": "50000"],
        then: .send(Array(#"{"data":["#.utf8)), .hang)
    }
    try await expectCancellation(of: trial, afterRequests: 4)
  }

  @Test func beforeAnAnswerItIsCancelledAtOnce() async throws {
    try await expectCancellation(of: MusicTrial { _ in .init(.hang) }, afterRequests: 1)
  }

  @Test func withinAnErrorDocumentItIsCancelledAtOnce() async throws {
    let trial = try MusicTrial { _ in .head(404, then: .send([0x7B]), .hang) }
    try await expectCancellation(of: trial, afterRequests: 1)
  }

  @Test func withinAPauseItIsCancelledAtOnce() async throws {
    let trial = try MusicTrial { _ in AppleMusicServer.rateLimited(after: "250") }
    try await expectCancellation(of: trial, afterRequests: 1)
  }

  @Test func whatIsCancelledBeforeSendsNothing() async throws {
    let trial = try MusicTrial([Self.playlist])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await trial.playlist()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(trial.server.requests.isEmpty)
  }

  @Test func aTransportThatTakesCancellationForAFailureChangesNothing() async throws {
    var policy = MusicTrial.policy
    policy.attempts = 1
    let isAsked = Mutex(false)
    let transport = ScriptedTransport { _ in
      isAsked.withLock { $0 = true }
      do { try await Task.sleep(for: .seconds(600)) } catch {
        throw TransportFailure(.cut, "cancelled")
      }
      throw TransportFailure(.other, "never")
    }
    let client = try AppleMusicClient(
      transport: transport, tokens: FixedToken(), baseURL: "http://127.0.0.1:1", policy: policy)
    let task = Task { try await client.playlist(MusicTrial.id, storefront: "us") }
    try await Wait.until("the request") { isAsked.withLock { $0 } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
