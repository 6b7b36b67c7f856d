import CatalogTestSupport
import DownloadTestSupport
import DownloadsOverCurl
import Foundation
import Promises
import Testing

@testable import Downloads

/// What servers do, and what comes of it: from requests that are asserted to files that are there or not.
@Suite(
  .promise("No status line of a server ends the process", by: "an asset"),
  .promise(
    "Whatever a server does, a download ends as PACKS.md says",
    by: "raw bytes and asserted requests; a complete file in the place of a range is used"))
struct ServerBehaviourTests {
  private let trial: AssetTrial
  private var content: [UInt8] { AssetTrial.content }

  init() throws {
    trial = try AssetTrial()
  }

  // MARK: Connections that break

  @Test(arguments: [FaultServer.Step.reset, .close])
  func aBrokenConnectionIsGoneOnWith(end: FaultServer.Step) async throws {
    let server = try FaultServer([
      { [trial] in trial.cut(FaultServer.right($0), after: 100_000, by: end) },
      { [trial] in trial.cut(FaultServer.right($0), after: 50_000, by: end) },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song?signature=secret"))
    try trial.expectWhole()
    #expect(server.requests.map(\.acceptEncoding) == ["identity", "identity", "identity"])
    #expect(server.requests.map(\.offset) == [0, 100_000, 150_000])
    #expect(server.requests.map(\.ifRange) == [nil, "\"v1\"", "\"v1\""])
    #expect(server.requests.allSatisfy { $0.target == "/song?signature=secret" })
    #expect(trial.meter.received == 300_000)
  }

  @Test func aBodyWithoutALengthThatIsCutShortIsGoneOnWith() async throws {
    let content = content
    let server = try FaultServer([
      { [trial] _ in
        trial.cut(.response(body: content, length: .absent), after: 120_000, by: .close)
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.count == 2)
    #expect(server.requests[1].offset == 120_000)
  }

  @Test func chunksThatAreCutShortAreGoneOnWith() async throws {
    let content = content
    let server = try FaultServer([
      { _ in .chunked(chunks: [Array(content.prefix(9_000))], isCutShort: true) },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.count == 2)
  }

  @Test func aBodyWithoutALengthThatIsWholeIsTaken() async throws {
    let content = content
    let server = try FaultServer { _ in .chunked(chunks: [content]) }
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
  }

  @Test(arguments: ["hang", "drip", "no head", "slow head"])
  func aServerThatStallsIsLeftByTheWatch(how: String) async throws {
    let content = content
    let server = try FaultServer([
      { request in
        switch how {
        case "hang": FaultServer.right(request).broken(after: 100_000, by: .hang)
        case "drip":
          FaultServer.right(request)
            .broken(after: 100_000, by: .drip(Array(content[100_000...]), every: .milliseconds(50)))
        case "no head": .init(.hang)
        default:
          .init(.drip(Array("HTTP/1.1 200 OK\r\nX: y\r\n".utf8), every: .milliseconds(200)))
        }
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"), policy: AssetTrial.hasty)
    try trial.expectWhole()
    #expect(server.requests.count >= 2)
    if how.hasSuffix("head") { #expect(server.requests[1].range == nil) }
  }

  @Test func aDripThatNeverEndsFailsAndCanBeResumed() async throws {
    let server = try FaultServer { request in
      FaultServer.right(request).broken(
        // Longer than a busy machine needs to find it slow.
        after: 0, by: .drip(Array(1...60), every: .seconds(1)))
    }
    var policy = AssetTrial.hasty
    policy.attempts = 2
    policy.headTimeout = .seconds(20)
    let message = try await trial.expectFailure(
      .network, isResumable: true, server.address("/song"), policy: policy)
    #expect(message.contains("bytes a second"))
  }

  @Test func aKeptConnectionThatIsClosedIsTriedAgainAtOnce() async throws {
    let server = try FaultServer { request in
      // The second request finds the connection of the first, and that closed.
      request.index == 1 ? .init(.close) : FaultServer.right(request)
    }
    var policy = AssetTrial.policy
    policy.attempts = 1
    _ = try await trial.run(server.address("/song"), policy: policy)
    try FileManager.default.removeItem(atPath: trial.scratch.file(AssetTrial.name))
    _ = try await trial.run(server.address("/song"), policy: policy)
    try trial.expectWhole()
    #expect(server.requests.count == 3)
  }

  @Test func nobodyThereFailsAndCanBeResumed() async throws {
    let refused = try await trial.expectFailure(
      .network, isResumable: true, FaultServer.deadAddress("/song?key=secret"))
    #expect(refused.contains("cannot be reached") && refused.contains("5 times"))
    #expect(!refused.contains("secret"))
    let unknown = try await trial.expectFailure(
      .network, isResumable: true, "https://nonexistent.invalid/song?key=secret")
    #expect(unknown.contains("cannot be reached") && !unknown.contains("secret"))
  }

  // MARK: Lengths and contents

  @Test func aStatusLineThatIsNoneFailsAndCanBeResumed() async throws {
    try trial.stage(content.prefix(100_000))
    let server = try FaultServer { _ in .raw("HTTP/1.1 000 No\r\n\r\n") }
    let message = try await trial.expectFailure(
      .network, isResumable: true, server.address("/song?key=secret"))
    #expect(message.contains("the answer is not HTTP") && !message.contains("secret"))
    #expect(trial.part == Array(content.prefix(100_000)))
  }

  @Test func anotherLengthThanTheManifestsFailsBeforeTheBody() async throws {
    let server = try FaultServer { _ in .response(content: .pattern(count: 1 << 30, seed: 1)) }
    let message = try await trial.expectFailure(
      .unexpectedContent, isResumable: false, server.address("/song"))
    #expect(message.contains("1073741824 bytes") && message.contains("300000"))
    #expect(trial.meter.received == 0)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func moreThanDeclaredIsStopped(isChunked: Bool) async throws {
    let server = try FaultServer { _ in
      isChunked
        ? .chunked(chunks: [AssetTrial.content, AssetTrial.content])
        : .response(content: .pattern(count: 1 << 30, seed: 5), length: .absent)
    }
    let message = try await trial.expectFailure(
      .unexpectedContent, isResumable: false, server.address("/song"))
    #expect(message.contains("more than the 300000 bytes"))
    // Nothing beyond was written, and not much was read.
    #expect((trial.part?.count ?? 0) <= 300_000)
    #expect(trial.meter.received < 2 << 20)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [FaultServer.Length.actual, .absent])
  func nothingAtAllIsAskedForOnceMore(length: FaultServer.Length) async throws {
    let server = try FaultServer { _ in .response(body: [], length: length) }
    let message = try await trial.expectFailure(
      .unexpectedContent, isResumable: false, server.address("/song"))
    #expect(message.contains("sent nothing"))
    #expect(server.requests.count == 2)
  }

  @Test func theWrongHashIsFetchedOnceMoreAndNeverInstalled() async throws {
    var wrong = content
    wrong[123_456] ^= 1
    let server = try FaultServer { [wrong] request in .file(wrong, for: request) }
    let message = try await trial.expectFailure(
      .wrongHash, isResumable: false, server.address("/song?key=secret"))
    #expect(message.contains(ServedPack.hash(wrong)) && message.contains(ServedPack.hash(content)))
    #expect(!message.contains("secret"))
    #expect(server.requests.map(\.range) == [nil, nil])
  }

  @Test(arguments: ["text/html", "Text/HTML; charset=utf-8", "application/json"])
  func aPageIsNoAudio(type: String) async throws {
    let server = try FaultServer { _ in
      .response(headers: ["Content-Type": type], body: AssetTrial.content)
    }
    let message = try await trial.expectFailure(
      .unexpectedContent, isResumable: false, server.address("/song"))
    #expect(message.contains(type.prefix { $0 != ";" }.lowercased()))
    #expect(trial.part?.isEmpty ?? true)
    #expect(server.requests.count == 1)
  }

  @Test func whatWasEncodedIsAskedForOnceMore() async throws {
    let server = try FaultServer { _ in
      .response(headers: ["Content-Encoding": "gzip"], body: [0x1F, 0x8B, 8])
    }
    let message = try await trial.expectFailure(
      .unexpectedContent, isResumable: false, server.address("/song"))
    #expect(message.contains("gzip"))
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.acceptEncoding == "identity" })
  }

  @Test(arguments: [401, 403, 404, 410, 400, 451, 300, 304, 204])
  func aRefusalFailsAtOnce(status: Int) async throws {
    let server = try FaultServer { _ in .response(status: status, body: []) }
    let message = try await trial.expectFailure(
      .refused, isResumable: false, server.address("/song?key=secret"))
    #expect(message.contains("\(status)") && !message.contains("secret"))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [500, 502, 504, 408])
  func aFaultOfTheServerIsTriedAgain(status: Int) async throws {
    let server = try FaultServer([
      { _ in .response(status: status, headers: ["Content-Type": "text/html"], body: [60]) },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
  }

  // MARK: Ranges

  @Test(arguments: [404, 500])
  func anErrorPageNeverGetsIntoThePart(status: Int) async throws {
    let server = try FaultServer([
      { [trial] in trial.cut(FaultServer.right($0), after: 100_000, by: .reset) },
      { _ in
        .response(
          status: status, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8))
      },
    ])
    try await trial.expectFailure(
      status == 404 ? .refused : .network, isResumable: status == 500, server.address("/song"))
    #expect(trial.part == Array(AssetTrial.content.prefix(100_000)))
  }

  @Test func theWholeFileOfAServerThatDoesNotKnowRangesIsTaken() async throws {
    let whole: @Sendable (FaultServer.Request) -> FaultServer.Reply = { _ in
      .response(body: AssetTrial.content)
    }
    let server = try FaultServer([
      { [trial] in trial.cut(whole($0), after: 100_000, by: .reset) }, whole,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map { $0.range == nil } == [true, false])
    #expect(trial.meter.received == 400_000)
  }

  /// Its tag is of the new bytes, and so is what is asked for next.
  @Test func theWholeFileThatBreaksOffIsGoneOnWith() async throws {
    try trial.stage(PatternBytes.bytes(0..<100_000, seed: 9), tag: "\"old\"")
    let server = try FaultServer([
      { [trial] in
        trial.cut(
          .file(AssetTrial.content, for: $0, etag: "\"new\""), after: 150_000, by: .reset)
      },
      { .file(AssetTrial.content, for: $0, etag: "\"new\"") },
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", "bytes=150000-"])
    #expect(server.requests.map(\.ifRange) == ["\"old\"", "\"new\""])
    #expect(trial.meter.received == 300_000)
  }

  @Test func startingOverEnds() async throws {
    let server = try FaultServer { [trial] _ in
      trial.cut(.response(body: AssetTrial.content), after: 100_000, by: .reset)
    }
    try await trial.expectFailure(.unexpectedContent, isResumable: false, server.address("/song"))
    #expect(server.requests.map { $0.range == nil } == [true, false, false, false])
  }

  @Test(arguments: [
    "bytes 0-199999/300000", "bytes 100001-299999/300000", "", "bytes 100000-299999",
    "bytes 100000-299999/*", "octets 100000-299999/300000", "bytes 299999-100000/300000",
  ])
  func aPartThatIsNotTheOneAskedForIsRefused(range: String) async throws {
    try trial.stage(content.prefix(100_000))
    let server = try FaultServer([
      { _ in
        .head(
          206, headers: ["Content-Length": "200000", "Content-Range": range],
          then: .send([UInt8](repeating: 7, count: 200_000)), .keepOpen)
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", nil])
    // Its body was not even read.
    #expect(trial.meter.received == 300_000)
  }

  @Test func severalPartsInOneAreRefused() async throws {
    try trial.stage(content.prefix(100_000))
    let server = try FaultServer([
      { _ in
        .response(
          status: 206, headers: ["Content-Type": "multipart/byteranges; boundary=x"],
          body: Array("--x\r\n".utf8))
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", nil])
  }

  @Test func aPartOfAnotherTotalIsOfAnotherFile() async throws {
    try trial.stage(content.prefix(100_000))
    let server = try FaultServer([
      { .file(.pattern(count: 400_000, seed: 5), for: $0) }, FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", nil])
  }

  @Test func aPartThatIsShorterIsTakenAndTheRestAskedFor() async throws {
    try trial.stage(content.prefix(100_000))
    let content = content
    let server = try FaultServer([
      { _ in
        .response(
          status: 206, headers: ["Content-Range": "bytes 100000-149999/300000"],
          body: Array(content[100_000..<150_000]))
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", "bytes=150000-"])
    #expect(trial.meter.received == 200_000)
  }

  @Test(arguments: ["bytes */300000", "bytes */100000", "", "nonsense"])
  func aRangeThatTheServerDoesNotHaveStartsOver(range: String) async throws {
    try trial.stage(content.prefix(100_000))
    let server = try FaultServer([
      { _ in .response(status: 416, headers: ["Content-Range": range], body: []) },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", nil])
  }

  @Test func whatIsWholeAlreadyIsVerifiedWithoutARequest() async throws {
    try trial.stage(content)
    let server = try FaultServer(FaultServer.right)
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.isEmpty)
  }

  // MARK: Versions of a file

  @Test(arguments: ["W/\"v1\"", nil])
  func withoutAStrongTagThereIsNoCondition(tag: String?) async throws {
    let server = try FaultServer([
      { [trial] in
        trial.cut(
          .file(AssetTrial.content, for: $0, etag: tag), after: 100_000, by: .reset)
      },
      { .file(AssetTrial.content, for: $0, etag: tag) },
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map { $0.range == nil } == [true, false])
    #expect(server.requests.map(\.ifRange) == [nil, nil])
  }

  @Test(arguments: [true, false])
  func aTagThatChangesMidwayStartsOver(honoursCondition: Bool) async throws {
    try trial.stage([UInt8](repeating: 9, count: 100_000), tag: "\"v0\"")
    let content = content
    let server = try FaultServer([
      { request in
        honoursCondition
          ? FaultServer.right(request)
          : .response(
            status: 206,
            headers: ["Content-Range": "bytes 100000-299999/300000", "ETag": "\"v1\""],
            body: Array(content[100_000...]))
      },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    // The whole file that comes instead of the rest is taken.
    #expect(server.requests.map(\.ifRange) == (honoursCondition ? ["\"v0\""] : ["\"v0\"", nil]))
    #expect(
      server.requests.map(\.range)
        == (honoursCondition ? ["bytes=100000-"] : ["bytes=100000-", nil]))
  }

  @Test func twoVersionsInOneFailTheHashAndStartOver() async throws {
    try trial.stage([UInt8](repeating: 9, count: 100_000))
    let server = try FaultServer(FaultServer.right)
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.range) == ["bytes=100000-", nil])
  }

  @Test func withoutAHashOnlyAStrongTagIsGoneOnWith() async throws {
    try trial.stage([UInt8](repeating: 9, count: 100_000))
    let server = try FaultServer(FaultServer.right)
    let staged = try await trial.run(server.address("/song"), sha256: nil)
    try trial.expectWhole()
    #expect(staged.tag == "\"v1\"")
    #expect(server.requests.map(\.range) == [nil])

    let tagged = try AssetTrial()
    try tagged.stage(content.prefix(100_000), tag: "\"v1\"")
    _ = try await tagged.run(server.address("/song"), sha256: nil)
    try tagged.expectWhole()
    #expect(server.requests.last?.range == "bytes=100000-")
  }

  // MARK: Redirects

  @Test func redirectsAreFollowedWithTheSameHeaders() async throws {
    try trial.stage(content.prefix(100_000), tag: "\"v1\"")
    let server = try FaultServer { request in
      switch request.path {
      case "/song": .response(status: 302, headers: ["Location": "/a/there?key=secret#part"])
      case "/a/there": .response(status: 307, headers: ["Location": "../song.wav"])
      default: FaultServer.right(request)
      }
    }
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(server.requests.map(\.target) == ["/song", "/a/there?key=secret", "/song.wav"])
    #expect(server.requests.allSatisfy { $0.range == "bytes=100000-" && $0.ifRange == "\"v1\"" })
  }

  @Test func aCircleOfRedirectsFails() async throws {
    let server = try FaultServer { request in
      .response(status: 302, headers: ["Location": request.path == "/song" ? "/b" : "/song"])
    }
    let message = try await trial.expectFailure(
      .unsafeAddress, isResumable: false, server.address("/song?key=secret"))
    #expect(message.contains("circle") && !message.contains("secret"))
    #expect(server.requests.count <= 3)
  }

  @Test func moreThanFiveRedirectsFail() async throws {
    let server = try FaultServer { request in
      .response(status: 302, headers: ["Location": "/\(request.index)"])
    }
    try await trial.expectFailure(.unsafeAddress, isResumable: false, server.address("/song"))
    #expect(server.requests.count == 6)
  }

  @Test(arguments: [
    "file:///etc/passwd", "unix:///run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/x",
    "http://user:password@127.0.0.1/", "https://user@example.com/", "http://example.com/song",
    "http://127.0.0.1.example.com/", "ftp://127.0.0.1/", "", "http://", "javascript:alert(1)",
  ])
  func whereNoDownloadMayGoNoneGoes(location: String) async throws {
    let server = try FaultServer { _ in
      .response(status: 302, headers: ["Location": location])
    }
    let message = try await trial.expectFailure(
      .unsafeAddress, isResumable: false, server.address("/song"))
    #expect(!message.contains("password"))
    #expect(server.requests.count <= 2)
  }

  @Test func fromHTTPSNoRedirectLeadsToHTTP() async throws {
    let asked = Addresses()
    let trial = try AssetTrial(
      ScriptedTransport { request in
        await asked.add(request.address)
        return TransportResponse(
          status: 302, headers: [.init("Location", "http://127.0.0.1/song")],
          body: ScriptedBody(chunks: []))
      })
    try await trial.expectFailure(.unsafeAddress, isResumable: false, "https://example.com/song")
    #expect(await asked.all == ["https://example.com/song"])
  }

  @Test func aSignedLinkThatRanOutIsFetchedAnewOnce() async throws {
    let server = try FaultServer { request in
      switch request.path {
      case "/song":
        .response(
          status: 302, headers: ["Location": request.index == 0 ? "/signed?old" : "/signed?new"])
      default:
        request.target == "/signed?old"
          ? .response(status: 403, body: []) : FaultServer.right(request)
      }
    }
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(
      server.requests.map(\.target) == ["/song", "/signed?old", "/song", "/signed?new"])

    let always = try FaultServer { request in
      request.path == "/song"
        ? .response(status: 302, headers: ["Location": "/signed"])
        : .response(status: 403, body: [])
    }
    try await AssetTrial().expectFailure(.refused, isResumable: false, always.address("/song"))
    #expect(always.requests.count == 4)
  }

  // MARK: Busy servers

  @Test(arguments: [429, 503])
  func aServerThatAsksForAPauseGetsIt(status: Int) async throws {
    let server = try FaultServer([
      { _ in .response(status: status, headers: ["Retry-After": "1"], body: []) },
      FaultServer.right,
    ])
    let start = ContinuousClock.now
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
    #expect(ContinuousClock.now - start >= .seconds(1))
  }

  @Test(arguments: ["301", "99999999999999999999", "Fri, 31 Dec 2999 23:59:59 GMT"])
  func aServerThatAsksForTooLongAPauseFailsAndCanBeResumed(pause: String) async throws {
    let server = try FaultServer { _ in
      .response(status: 503, headers: ["Retry-After": pause], body: [])
    }
    try await trial.expectFailure(.busy, isResumable: true, server.address("/song"))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["soon", "-1", "Fri, 31 Dec 1999 23:59:59 GMT"])
  func aPauseThatIsNoneIsOneOfOurs(pause: String) async throws {
    let server = try FaultServer([
      { _ in .response(status: 429, headers: ["Retry-After": pause], body: []) },
      FaultServer.right,
    ])
    _ = try await trial.run(server.address("/song"))
    try trial.expectWhole()
  }
}

extension FaultServer.Request {
  /// From which byte on the rest is asked for; 0 without a range.
  fileprivate var offset: Int {
    range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
  }
}

/// Addresses that were asked for.
private actor Addresses {
  private(set) var all: [String] = []

  func add(_ address: String) { all.append(address) }
}
