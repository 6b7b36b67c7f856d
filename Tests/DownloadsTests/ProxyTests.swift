import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import DownloadsOverURLSession
import Foundation
import Promises
import Testing

/// What a proxy may read. Each test in a process of its own: the environment is all of a process's.
@Suite(
  .promise(
    "A proxy reads no more than the host and port of HTTPS, and nothing that is sent to "
      + "this machine"),
  .timeLimit(.minutes(5)))
struct ProxyTests {
  struct Unexpected: Error {
    let what: String
  }

  /// A server that says what it is, and records what it reads.
  private static func server(_ name: String) throws -> FaultServer {
    try FaultServer { _ in .response(body: Array(name.utf8)) }
  }

  private static func useProxy(_ address: String) {
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
      setenv(name, address, 1)
    }
    for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
  }

  private static let token = TransportRequest.Header("Authorization", "Bearer secret")

  @Test func noProxyReadsWhatIsSentToThisMachine() async {
    await #expect(processExitsWith: .success) {
      let (proxy, server) = (try Self.server("proxy"), try Self.server("server"))
      Self.useProxy(proxy.address())
      let transport = CurlTransport()
      for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
        let address = server.address("/song?key=secret").replacing("127.0.0.1", with: host)
        let response = try await transport.get(
          TransportRequest(address: address, headers: [Self.token]))
        guard try await response.body.collected() == Array("server".utf8) else {
          throw Unexpected(what: "\(host) was asked through the proxy")
        }
      }
      guard proxy.requests.isEmpty else { throw Unexpected(what: "\(proxy.requests)") }
    }
  }

  @Test func ofHTTPSAProxyReadsHostAndPort() async {
    await #expect(processExitsWith: .success) {
      let proxy = try Self.server("proxy")
      Self.useProxy(proxy.address())
      _ = try? await CurlTransport().get(
        TransportRequest(
          address: "https://music.example.invalid/song?key=secret", headers: [Self.token]))
      let seen = proxy.requests
      guard seen.first?.method == "CONNECT", seen.first?.target == "music.example.invalid:443",
        !"\(seen)".contains("secret")
      else { throw Unexpected(what: "\(seen)") }
    }
  }

  #if canImport(FoundationNetworking)
    @Test func urlSessionRefusesWhatAProxyWouldRead() async {
      await #expect(processExitsWith: .success) {
        let (proxy, server) = (try Self.server("proxy"), try Self.server("server"))
        Self.useProxy(proxy.address())
        let request = TransportRequest(address: server.address(), headers: [Self.token])
        do {
          _ = try await URLSessionTransport().get(request)
          throw Unexpected(what: "it was asked")
        } catch let failure as TransportFailure where failure.kind == .unusable {
        }
        setenv("no_proxy", "example.com,127.0.0.1", 1)
        let body = try await URLSessionTransport().get(request).body.collected()
        guard body == Array("server".utf8), proxy.requests.isEmpty else {
          throw Unexpected(what: "\(proxy.requests)")
        }
      }
    }
  #endif
}
