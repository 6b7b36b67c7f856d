import CatalogTestSupport
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import DownloadsOverURLSession
import Foundation
import Promises
import Testing

/// What every transport must do. Where one cannot, the test says what it does instead.
@Suite(
  .promise("Both transports keep the same contract, or their limits are stated"),
  .promise(
    "No status line of a server ends the process",
    by: "statuses below 100, with and without a body, on a kept connection too"),
  .serialized, .timeLimit(.minutes(10)))
struct TransportContractTests {
  enum Client: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case curl
    case urlSession

    var testDescription: String { rawValue }

    func transport() -> any DownloadTransport {
      switch self {
      case .curl: CurlTransport()
      case .urlSession: URLSessionTransport()
      }
    }

    #if canImport(FoundationNetworking)
      var isLinuxURLSession: Bool { self == .urlSession }
    #else
      var isLinuxURLSession: Bool { false }
    #endif
  }

  // MARK: - Whole answers

  @Test(arguments: Client.allCases)
  func headAndBodyArrive(_ client: Client) async throws {
    let server = try FaultServer { _ in
      .response(status: 203, headers: ["X-Song": "one"], body: Array("la la".utf8))
    }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    #expect(response.status == 203)
    #expect(response[header: "x-song"] == "one")
    #expect(response[header: "content-length"] == "5")
    #expect(try await response.body.collected() == Array("la la".utf8))
  }

  @Test(arguments: Client.allCases)
  func headersAndTargetAreSentAsGiven(_ client: Client) async throws {
    let server = try FaultServer { .file(.pattern(count: 10, seed: 1), for: $0) }
    let request = TransportRequest(
      address: server.address("/a%20b?key=se%2Fcret"),
      headers: [
        .init("Range", "bytes=4-"), .init("If-Range", "\"a\""),
        .init("Accept-Encoding", "identity"), .init("User-Agent", "sound-catalog/1"),
      ])
    _ = try await client.transport().get(request).body.collected()
    let seen = try #require(server.requests.first)
    #expect(seen.method == "GET")
    #expect(seen.target == "/a%20b?key=se%2Fcret")
    #expect(seen.range == "bytes=4-")
    #expect(seen.ifRange == "\"a\"")
    #expect(seen.acceptEncoding == "identity")
    #expect(seen[header: "user-agent"] == "sound-catalog/1")
    #expect(seen[header: "cookie"] == nil)
  }

  @Test(arguments: Client.allCases)
  func rangeIsAnsweredWithItsPart(_ client: Client) async throws {
    let song = PatternBytes.bytes(0..<1000, seed: 2)
    let server = try FaultServer { .file(song, for: $0, etag: "\"a\"") }
    let response = try await client.transport().get(
      TransportRequest(address: server.address(), headers: [.init("Range", "bytes=990-")]))
    #expect(response.status == 206)
    #expect(response[header: "Content-Range"] == "bytes 990-999/1000")
    #expect(try await response.body.collected() == Array(song[990...]))
  }

  @Test(arguments: Client.allCases)
  func redirectsAreNotFollowed(_ client: Client) async throws {
    let server = try FaultServer { _ in
      .response(status: 302, headers: ["Location": "/elsewhere"], body: Array("there".utf8))
    }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    #expect(response.status == 302)
    #expect(response[header: "Location"] == "/elsewhere")
    _ = try await response.body.collected()
    #expect(server.requests.map(\.target) == ["/"])
  }

  @Test(arguments: Client.allCases)
  func compressedContentsAreNotDecoded(_ client: Client) async throws {
    let gzip: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x49, 0x54, 0xc8, 0x49, 4, 0, 0xb2, 0xce, 0xca,
      0xd2, 5, 0, 0, 0,
    ]
    let server = try FaultServer { _ in
      .response(headers: ["Content-Encoding": "gzip"], body: gzip)
    }
    let response = try await client.transport().get(
      TransportRequest(
        address: server.address(), headers: [.init("Accept-Encoding", "identity")]))
    #expect(response[header: "Content-Encoding"] == "gzip")
    #expect(response[header: "Content-Length"] == "\(gzip.count)")
    let body = try await response.body.collected()
    #expect(body == (client == .urlSession ? Array("la la".utf8) : gzip))
  }

  @Test(arguments: Client.allCases)
  func bodyWithoutLengthEndsWithTheConnection(_ client: Client) async throws {
    let server = try FaultServer { _ in .response(body: Array("la".utf8), length: .absent) }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    #expect(try await response.body.collected() == Array("la".utf8))
  }

  @Test(arguments: Client.allCases)
  func chunkedBodyArrives(_ client: Client) async throws {
    let server = try FaultServer { _ in .chunked(chunks: [Array("la ".utf8), Array("la".utf8)]) }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    #expect(try await response.body.collected() == Array("la la".utf8))
  }

  @Test(arguments: Client.allCases)
  func largeBodyArrivesWhole(_ client: Client) async throws {
    // As much as the buffer of URLSession holds: a reader slower than the server must not lose it here.
    let size = Int64(64 << 20)
    let server = try FaultServer { .file(.pattern(count: size, seed: 3), for: $0) }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    var offset: Int64 = 0
    for try await chunk in response.body {
      guard PatternBytes.matches(chunk, offset: offset, seed: 3) else {
        Issue.record("other bytes after \(offset)")
        return
      }
      offset += Int64(chunk.count)
    }
    #expect(offset == size)
  }

  // MARK: - Broken answers

  enum Fault: String, CaseIterable, Sendable {
    case reset, fin, finAtOnce, chunkedCutShort, emptyAfterHead

    /// The bytes of the body that are sent.
    var sent: Int {
      switch self {
      case .reset, .fin, .finAtOnce: 100_000
      case .chunkedCutShort: 5
      case .emptyAfterHead: 0
      }
    }

    /// - Parameter gate: what the client has not read when a connection ends may be lost to it, so the end
    ///   waits until the test has seen all of it.
    func reply(_ gate: FaultServer.Gate) -> FaultServer.Reply {
      let content = FaultServer.Content.pattern(count: 1 << 20, seed: 4)
      return switch self {
      case .reset: .response(content: content).broken(after: 100_000, by: .hold(gate), .reset)
      case .fin: .response(content: content).broken(after: 100_000, by: .hold(gate), .close)
      case .finAtOnce: .response(content: content).broken(after: 100_000, by: .close)
      case .chunkedCutShort:
        .chunked(chunks: [Array("la la".utf8)], isCutShort: true, with: .hold(gate))
      case .emptyAfterHead: .response(content: content).broken(after: 0, by: .hold(gate), .close)
      }
    }
  }

  @Test(arguments: Client.allCases, Fault.allCases)
  func brokenBodyIsCut(_ client: Client, _ fault: Fault) async throws {
    let gate = FaultServer.Gate()
    let server = try FaultServer { _ in fault.reply(gate) }
    let response = try await client.transport().get(TransportRequest(address: server.address()))
    #expect(response.status == 200)
    var received = 0
    if received == fault.sent { gate.open() }
    let failure = await failure {
      for try await chunk in response.body {
        received += chunk.count
        if received == fault.sent { gate.open() }
      }
    }
    #expect(failure?.kind == .cut, "\(String(describing: failure))")
    if fault == .finAtOnce {
      // What the system still holds when the connection is reset is nobody's.
      #expect(received <= fault.sent)
    } else {
      #expect(received == fault.sent)
    }
  }

  @Test(arguments: Client.allCases)
  func refusedConnectionIsUnreachable(_ client: Client) async throws {
    let address = try FaultServer.deadAddress("/song?key=secret")
    let failure = await failure {
      _ = try await client.transport().get(TransportRequest(address: address))
    }
    #expect(failure?.kind == .unreachable, "\(String(describing: failure))")
    #expect(failure?.reason.contains("secret") == false)
  }

  @Test(arguments: Client.allCases)
  func unknownHostIsUnreachable(_ client: Client) async throws {
    let failure = await failure {
      let address = "http://nonexistent.invalid/song?key=secret"
      _ = try await client.transport().get(TransportRequest(address: address))
    }
    #expect(failure?.kind == .unreachable, "\(String(describing: failure))")
    #expect(failure?.reason.contains("secret") == false)
  }

  @Test(arguments: Client.allCases, [FaultServer.Step.close, .reset])
  func closedBeforeTheHead(_ client: Client, _ step: FaultServer.Step) async throws {
    let server = try FaultServer { _ in FaultServer.Reply(step) }
    let failure = await failure {
      _ = try await client.transport().get(TransportRequest(address: server.address()))
    }
    #expect(failure?.kind == .closedBeforeHead, "\(String(describing: failure))")
  }

  @Test(arguments: Client.allCases)
  func failedHandshakeIsInsecure(_ client: Client) async throws {
    let server = try FaultServer(onConnect: [.send(Array("no TLS here\r\n".utf8))]) { _ in
      .response()
    }
    let address = "https" + server.address("/song?key=secret").dropFirst(4)
    let failure = await failure {
      _ = try await client.transport().get(TransportRequest(address: address))
    }
    #expect(failure?.kind == .insecure, "\(String(describing: failure))")
    #expect(failure?.reason.contains("secret") == false)
  }

  @Test func closedWithinTheHead() async throws {
    let server = try FaultServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Le") }
    let failure = await failure {
      _ = try await CurlTransport().get(TransportRequest(address: server.address()))
    }
    #expect(failure?.kind == .closedBeforeHead, "\(String(describing: failure))")
  }

  #if canImport(FoundationNetworking)
    @Test func urlSessionTrapsWhereTheServerClosesWithinTheHead() async {
      // NativeProtocol.swift: "Transfer completed, but there's no response." Any server can do this.
      await #expect(processExitsWith: .failure) {
        let server = try FaultServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Le") }
        _ = try? await URLSessionTransport().get(TransportRequest(address: server.address()))
        exit(EXIT_SUCCESS)
      }
    }
  #endif

  @Test(arguments: Client.allCases)
  func garbageIsMalformed(_ client: Client) async throws {
    let server = try FaultServer { _ in .raw("la la la\r\n\r\nla la la\r\n") }
    let failure = await failure {
      _ = try await client.transport().get(TransportRequest(address: server.address()))
    }
    #expect(failure?.kind == .malformed, "\(String(describing: failure))")
  }

  @Test(arguments: Client.allCases, ["unix:///tmp/x", "file:///etc/passwd", "ftp://a/b", "", "x"])
  func otherSchemesAreRefused(_ client: Client, _ address: String) async throws {
    let failure = await failure {
      _ = try await client.transport().get(TransportRequest(address: address))
    }
    #expect(failure?.kind == .other)
  }

  // MARK: - Cancelling

  @Test(arguments: Client.allCases)
  func cancellingEndsTheWaitForTheHead(_ client: Client) async throws {
    let server = try FaultServer { _ in FaultServer.Reply(.hang) }
    let transport = client.transport()
    let address = server.address()
    let task = Task {
      _ = try await transport.get(TransportRequest(address: address))
    }
    try await Wait.until("the request") { server.requests.count == 1 }
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The server holds on for a minute, and neither client gives up sooner by itself.
    #expect(ContinuousClock.now - start < .seconds(30))
    try await Wait.until("the end of all connections") { server.openConnections == 0 }
  }

  @Test(arguments: Client.allCases)
  func cancellingEndsTheWaitForTheBody(_ client: Client) async throws {
    let server = try FaultServer { _ in
      .response(body: [1, 2, 3], length: .declared(100)).broken(after: 3, by: .hang)
    }
    let transport = client.transport()
    let (received, receiver) = AsyncStream.makeStream(of: Int.self)
    let address = server.address()
    let task = Task {
      let response = try await transport.get(TransportRequest(address: address))
      for try await chunk in response.body { receiver.yield(chunk.count) }
    }
    for await _ in received { break }
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The server holds on for a minute, and neither client gives up sooner by itself.
    #expect(ContinuousClock.now - start < .seconds(30))
    try await Wait.until("the end of all connections") { server.openConnections == 0 }
  }

  @Test(arguments: Client.allCases)
  func cancelledTaskSendsNothing(_ client: Client) async throws {
    let server = try FaultServer { _ in .response() }
    let address = server.address()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.transport().get(TransportRequest(address: address))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Client.allCases)
  func droppedResponsesFreeTheirConnections(_ client: Client) async throws {
    let server = try FaultServer { _ in
      .response(body: [1], length: .declared(100)).broken(after: 1, by: .hang)
    }
    let transport = client.transport()
    // More than there may be connections to a host.
    for _ in 0..<6 {
      let response = try await transport.get(TransportRequest(address: server.address()))
      #expect(response.status == 200)
    }
    try await Wait.until("the end of all connections") { server.openConnections == 0 }
  }

  // MARK: - Resources

  @Test(arguments: Client.allCases)
  func answeredConnectionServesTheNextRequest(_ client: Client) async throws {
    let server = try FaultServer { _ in .response(body: [1, 2, 3]) }
    let transport = client.transport()
    for _ in 0..<3 {
      let response = try await transport.get(TransportRequest(address: server.address()))
      _ = try await response.body.collected()
    }
    #expect(server.requests.map(\.connection) == [0, 0, 0])
    #expect(server.requests.map(\.indexOnConnection) == [0, 1, 2])
  }

  @Test(arguments: Client.allCases)
  func closedIdleConnectionIsReplaced(_ client: Client) async throws {
    let server = try FaultServer { _ in
      .response(body: [1, 2, 3]).broken(after: 3, by: .pause(.milliseconds(50)), .close)
    }
    let transport = client.transport()
    for _ in 0..<3 {
      let response = try await transport.get(TransportRequest(address: server.address()))
      #expect(try await response.body.collected() == [1, 2, 3])
      try await Wait.until("the end of all connections") { server.openConnections == 0 }
      // The client has to hear of it too.
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(server.requests.map(\.connection) == [0, 1, 2])
  }

  @Test func slowReaderHoldsTheServerBack() async throws {
    let size = Int64(256 << 20)
    let server = try FaultServer { .file(.pattern(count: size, seed: 5), for: $0) }
    let response = try await CurlTransport().get(TransportRequest(address: server.address()))
    var most: Int64 = 0
    var received: Int64 = 0
    var pauses = 0
    for try await chunk in response.body {
      received += Int64(chunk.count)
      // A pause every 64 MiB, until the server sends no more: were it let, it would send all.
      if received >> 26 > pauses {
        pauses += 1
        most = max(most, try await sentAtRest(server) - received)
      }
    }
    #expect(received == size)
    #expect(pauses == 4)
    // What the transport holds, and what the system does for both ends of the connection.
    #expect(most < 64 << 20, "\(most >> 20) MiB were sent and not read")
  }

  /// What a server has sent when it has sent nothing for half a second.
  private func sentAtRest(_ server: FaultServer) async throws -> Int64 {
    var (sent, looks) = (server.sentBytes, 0)
    while looks < 50 {
      try await Task.sleep(for: .milliseconds(10))
      let now = server.sentBytes
      (sent, looks) = (now, now == sent ? looks + 1 : 0)
    }
    return sent
  }

  /// A request that waited for a connection would use up its time limits: none waits for another one.
  @Test(arguments: Client.allCases)
  func requestsToOneHostDoNotWaitForEachOther(_ client: Client) async throws {
    let count = 12
    let gate = FaultServer.Gate()
    let server = try FaultServer { _ in
      .head(headers: ["Content-Length": "2"], then: .hold(gate), .send(Array("la".utf8)), .keepOpen)
    }
    let transport = client.transport()
    let address = server.address()
    let bodies = Task {
      try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<count {
          group.addTask {
            try await transport.get(TransportRequest(address: address)).body.collected()
          }
        }
        return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
      }
    }
    try await Wait.until("\(count) requests") { server.requests.count == count }
    gate.open()
    #expect(try await bodies.value == Array(repeating: Array("la".utf8), count: count))
  }

  #if canImport(FoundationNetworking)
    @Test func slowReaderOfURLSessionLosesItsRequestAtTheLimit() async throws {
      let size = Int64(URLSessionTransport.bufferLimit) * 8
      let server = try FaultServer { .file(.pattern(count: size, seed: 6), for: $0) }
      let response = try await URLSessionTransport().get(
        TransportRequest(address: server.address()))
      // Nothing is read until the request is gone.
      try await Wait.until("the end of all connections") { server.openConnections == 0 }
      var received: Int64 = 0
      let failure = await failure {
        for try await chunk in response.body { received += Int64(chunk.count) }
      }
      #expect(failure?.kind == .other)
      #expect(failure?.reason.contains("64 MiB") == true)
      #expect(received >= URLSessionTransport.bufferLimit)
    }
  #endif

  @Test func shutDownCurlRefusesRequests() async throws {
    let server = try FaultServer { _ in .response() }
    let transport = CurlTransport()
    transport.shutdown()
    transport.shutdown()
    let failure = await failure {
      _ = try await transport.get(TransportRequest(address: server.address()))
    }
    #expect(failure?.kind == .other)
    #expect(server.requests.isEmpty)
  }

  // MARK: - Status lines

  /// Parsers take any three digits, though one below 100 begins no answer: neither a final nor an informational one.
  @Test(arguments: ["000 No", "001 ", "042 Half", "099 Nearly"], ["", "la", "chunks"])
  func aStatusBelow100IsNoHTTP(line: String, body: String) async throws {
    let server = try FaultServer { _ in
      switch body {
      case "chunks":
        .raw("HTTP/1.1 \(line)\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nla\r\n0\r\n\r\n")
      default: .raw("HTTP/1.1 \(line)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    let transport = CurlTransport()
    for _ in 0..<2 {
      let failure = await failure {
        _ = try await transport.get(TransportRequest(address: server.address()))
      }
      #expect(failure?.kind == .malformed, "\(failure as Any)")
    }
    transport.shutdown()
  }

  /// Behind informational answers, and behind a right answer on the same connection.
  @Test func aStatusBelow100IsNoHTTPWhereverItStands() async throws {
    let server = try FaultServer { request in
      switch request.index {
      case 0: .raw("HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\nHTTP/1.1 000 No\r\n\r\n")
      case 1: .response(body: [1])
      default: .raw("HTTP/1.1 000 No\r\n\r\n")
      }
    }
    let transport = CurlTransport()
    func ask() async throws -> [UInt8] {
      try await transport.get(TransportRequest(address: server.address())).body.collected()
    }
    #expect(await failure { _ = try await ask() }?.kind == .malformed)
    #expect(try await ask() == [1])
    #expect(await failure { _ = try await ask() }?.kind == .malformed)
    transport.shutdown()
  }

  @Test(arguments: [100, 102, 103, 199])
  func informationalAnswersArePassedOver(status: Int) async throws {
    let server = try FaultServer { _ in
      .raw("HTTP/1.1 \(status) Wait\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nla")
    }
    let transport = CurlTransport()
    let response = try await transport.get(TransportRequest(address: server.address()))
    #expect(response.status == 200)
    #expect(try await response.body.collected() == Array("la".utf8))
    transport.shutdown()
  }

  // MARK: - Support

  /// The failure that an operation throws; records an issue where it throws none.
  private func failure(
    sourceLocation: SourceLocation = #_sourceLocation, _ operation: () async throws -> Void
  ) async -> TransportFailure? {
    do {
      try await operation()
      Issue.record("no error", sourceLocation: sourceLocation)
    } catch let failure as TransportFailure {
      return failure
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
  }
}
