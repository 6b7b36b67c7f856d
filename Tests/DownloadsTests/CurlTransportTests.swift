import CatalogTestSupport
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import Foundation
import Promises
import Testing

/// What `CurlTransport` does beyond the contract of all transports.
@Suite(
  .promise(
    "Only a certificate of the address by a trusted authority is accepted, and no header "
      + "of a request becomes two",
    by: "nginx with TLS, `openssl`, 120 requests that are cancelled at any moment"),
  .timeLimit(.minutes(10)))
struct CurlTransportTests {
  // MARK: - Certificates

  /// A certificate for one address, which nobody but its owner has signed.
  private static func certificate(for address: String, in folder: ScratchFolder) throws -> String {
    let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
    let made = try Program(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:\(address)",
      "-keyout", key, "-out", certificate)
    try #require(made.status == 0, "\(made.errors)")
    return certificate
  }

  @Test func onlyACertificateOfTheAddressFromATrustedAuthorityIsTaken() async throws {
    let scratch = try ScratchFolder()
    let right = try Self.certificate(for: "127.0.0.1", in: scratch)
    let server = try FolderServer(certificate: right)
    try Data("la la".utf8).write(to: URL(filePath: "\(server.folder)/song"))
    let request = TransportRequest(address: "\(server.address)/song?key=secret")
    #expect(request.address.hasPrefix("https://"))

    let trusting = CurlTransport(authorities: right)
    #expect(try await trusting.get(request).body.collected() == Array("la la".utf8))
    await expectInsecure(request, "unable to get local issuer|self.signed", CurlTransport())

    let others = try ScratchFolder()
    let wrong = try Self.certificate(for: "127.0.0.2", in: others)
    let other = try FolderServer(certificate: wrong)
    await expectInsecure(
      TransportRequest(address: "\(other.address)/song?key=secret"), "127.0.0.1",
      CurlTransport(authorities: wrong))
  }

  private func expectInsecure(
    _ request: TransportRequest, _ reason: String, _ transport: CurlTransport
  ) async {
    let failure = await #expect(throws: TransportFailure.self) {
      _ = try await transport.get(request)
    }
    #expect(failure?.kind == .insecure, "\(failure as Any)")
    let said = failure?.reason ?? ""
    #expect(said.range(of: reason, options: .regularExpression) != nil, "\(said)")
    #expect(!said.contains("secret"))
  }

  @Test func noSecretsOfSessionsAreWrittenToAFile() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      setenv("SSLKEYLOGFILE", scratch.file("secrets"), 1)
      let certificate = try Self.certificate(for: "127.0.0.1", in: scratch)
      let server = try FolderServer(certificate: certificate)
      try Data("la".utf8).write(to: URL(filePath: "\(server.folder)/song"))
      let response = try await CurlTransport(authorities: certificate).get(
        TransportRequest(address: "\(server.address)/song"))
      guard try await response.body.collected() == Array("la".utf8), !scratch.exists("secrets")
      else { throw ProxyTests.Unexpected(what: "the secrets were written") }
    }
  }

  // MARK: - What is sent

  @Test(arguments: [
    TransportRequest.Header("X", "a\r\nHost: elsewhere"), .init("X", "a\nb"), .init("X", "a\u{0}b"),
    .init("X: a\r\nY", "b"), .init("", "a"), .init("X;", "a"), .init("X Y", "a"),
  ])
  func headersThatWouldBeOthersAreNotSent(_ header: TransportRequest.Header) async throws {
    let server = try FaultServer { _ in .response() }
    let failure = await #expect(throws: TransportFailure.self) {
      _ = try await CurlTransport().get(
        TransportRequest(address: server.address(), headers: [header]))
    }
    #expect(failure?.kind == .other)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["/a b", "/a\r\nHost: elsewhere", "/a\u{0}b", "/a\u{7F}"])
  func addressesThatWouldBeOthersAreNotAsked(_ path: String) async throws {
    let server = try FaultServer { _ in .response() }
    let failure = await #expect(throws: TransportFailure.self) {
      _ = try await CurlTransport().get(TransportRequest(address: server.address(path)))
    }
    #expect(failure?.kind == .other)
    #expect(server.requests.isEmpty)
  }

  @Test func nothingIsAddedButTheHost() async throws {
    let server = try FaultServer { _ in .response() }
    let transport = CurlTransport()
    _ = try await transport.get(TransportRequest(address: server.address("/a/../b/./c")))
    _ = try await transport.get(
      TransportRequest(address: server.address(), headers: [.init("X-Empty", "")]))
    #expect(server.requests.map(\.target) == ["/a/../b/./c", "/"])
    #expect(server.values(of: "accept") == [nil, nil])
    #expect(server.values(of: "user-agent") == [nil, nil])
    #expect(server.values(of: "accept-encoding") == [nil, nil])
    #expect(server.values(of: "x-empty") == [nil, ""])
  }

  // MARK: - Heads

  enum OddHead: String, CaseIterable, Sendable {
    case manyHeaders, oneLongHeader, informationalWithoutEnd, twoLengths, noColon, noName
    case foldOfNothing, noNumber, fourDigits

    var text: String {
      switch self {
      case .manyHeaders:
        "200 Fine\r\n"
          + String(repeating: "X: \(String(repeating: "la", count: 500))\r\n", count: 300)
      case .oneLongHeader: "200 Fine\r\nX: \(String(repeating: "la", count: 200_000))\r\n"
      case .informationalWithoutEnd:
        String(repeating: "100 Wait\r\nX: y\r\n\r\nHTTP/1.1 ", count: 12_000) + "200 Fine\r\n"
      case .twoLengths: "200 Fine\r\nContent-Length: 2\r\ncontent-length: 3\r\n"
      case .noColon: "200 Fine\r\nla\r\n"
      case .noName: "200 Fine\r\n: la\r\n"
      case .foldOfNothing: "200 Fine\r\n la\r\n"
      case .noNumber: "Fine\r\n"
      case .fourDigits: "2000 Fine\r\n"
      }
    }
  }

  @Test(arguments: OddHead.allCases)
  func anOddHeadIsMalformed(_ head: OddHead) async throws {
    let server = try FaultServer { _ in .raw("HTTP/1.1 \(head.text)\r\nla") }
    let failure = await #expect(throws: TransportFailure.self) {
      _ = try await CurlTransport().get(TransportRequest(address: server.address()))
    }
    #expect(failure?.kind == .malformed, "\(failure as Any)")
  }

  @Test func headersHaveTheirOrderTheirCaseAndTheirFolds() async throws {
    let server = try FaultServer { _ in
      .raw(
        "HTTP/1.1 200\r\nB: \t2 \r\na:1\r\nB: 3\r\nFolded: one\r\n  two\r\nEmpty:\r\n"
          + "Content-Length: 0\r\n\r\n")
    }
    let response = try await CurlTransport().get(TransportRequest(address: server.address()))
    #expect(
      response.headers == [
        .init("B", "2"), .init("a", "1"), .init("B", "3"), .init("Folded", "one two"),
        .init("Empty", ""), .init("Content-Length", "0"),
      ])
    #expect(response[header: "b"] == "2, 3")
  }

  @Test func whatFollowsABodyInChunksIsNoHead() async throws {
    let server = try FaultServer { _ in
      .raw(
        "HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nla\r\n0\r\n"
          + "X: y\r\n\r\n")
    }
    let response = try await CurlTransport().get(TransportRequest(address: server.address()))
    #expect(try await response.body.collected() == Array("la".utf8))
    #expect(response.headers.map(\.name) == ["Transfer-Encoding", "Trailer"])
  }

  /// Header lines behind a body in chunks are counted, though nobody reads them.
  @Test func trailersWithoutEndAreCut() async throws {
    let line = Array("X: \(String(repeating: "la", count: 500))\r\n".utf8)
    let server = try FaultServer { _ in
      .chunked(
        chunks: [Array("la".utf8)],
        with: .send(Array("0\r\n".utf8) + Array(repeatElement(line, count: 100).joined())), .hang)
    }
    let response = try await CurlTransport().get(TransportRequest(address: server.address()))
    var received: [UInt8] = []
    let failure = await #expect(throws: TransportFailure.self) {
      for try await chunk in response.body { received += chunk }
    }
    #expect(received == Array("la".utf8))
    #expect(failure?.kind == .malformed)
    #expect(failure?.reason == "more than 64 KiB of header lines after the body")
  }

  // MARK: - Lives of transports and connections

  /// A kept connection that the server closes in the moment in which a request leaves.
  @Test func aConnectionThatClosesAsARequestLeavesIsReplaced() async throws {
    let server = try FaultServer { request in
      request.indexOnConnection == 0 ? .response(body: [1]) : FaultServer.Reply(.close)
    }
    let transport = CurlTransport()
    for _ in 0..<3 {
      let response = try await transport.get(TransportRequest(address: server.address()))
      #expect(try await response.body.collected() == [1])
    }
    #expect(server.requests.map(\.indexOnConnection) == [0, 1, 0, 1, 0])
  }

  @Test func aResponseKeepsItsTransport() async throws {
    let size: Int64 = 8 << 20
    let server = try FaultServer { .file(.pattern(count: size, seed: 1), for: $0) }
    var transport: CurlTransport? = CurlTransport()
    let response = try #require(
      try await transport?.get(TransportRequest(address: server.address())))
    transport = nil
    #expect(try await response.body.collected().count == size)
  }

  @Test func shuttingDownEndsWhatIsUnderWay() async throws {
    let server = try FaultServer { request in
      request.target == "/head"
        ? FaultServer.Reply(.hang)
        : .response(body: [1], length: .declared(100)).broken(after: 1, by: .hang)
    }
    let transport = CurlTransport()
    let response = try await transport.get(TransportRequest(address: server.address("/body")))
    let address = server.address("/head")
    let waiting = Task { _ = try await transport.get(TransportRequest(address: address)) }
    try await Wait.until("both requests") { server.requests.count >= 2 }
    transport.shutdown()
    let failures = [
      await #expect(throws: TransportFailure.self) { try await waiting.value },
      await #expect(throws: TransportFailure.self) { _ = try await response.body.collected() },
    ]
    #expect(
      failures.map { $0?.reason } == Array(repeating: "the HTTP client was shut down", count: 2))
  }

  /// Cancelled at any moment, from any thread: each request ends, and no connection stays.
  @Test func requestsThatAreCancelledAtAnyMomentEnd() async throws {
    let size: Int64 = 1 << 20
    let server = try FaultServer { .file(.pattern(count: size, seed: 2), for: $0) }
    let transport = CurlTransport()
    let address = server.address()
    let ended = await withTaskGroup(of: Bool?.self) { group in
      for number in 0..<120 {
        group.addTask {
          let request = Task {
            let response = try await transport.get(TransportRequest(address: address))
            return try await response.body.collected().count
          }
          try? await Task.sleep(for: .microseconds(number * 97 % 4_000))
          if number % 3 > 0 { request.cancel() }
          switch await request.result {
          case .success(let count): return count == size
          case .failure(let error):
            if !(error is CancellationError) { Issue.record(error) }
            return error is CancellationError ? nil : false
          }
        }
      }
      return await group.reduce(into: [Bool?]()) { $0.append($1) }
    }
    #expect(ended.count == 120 && !ended.contains(false))
    #expect(ended.count { $0 == true } >= 40)
    transport.shutdown()
    try await Wait.until("the end of all connections") { server.openConnections == 0 }
  }
}
