package import CatalogModel
import Foundation

/// Sends a request and follows redirects, each of them looked at first.
package struct ResourceOpening: Sendable {
  let transport: any DownloadTransport
  let policy: DownloadPolicy

  package init(transport: any DownloadTransport, policy: DownloadPolicy) {
    self.transport = transport
    self.policy = policy
  }

  struct Opened: Sendable {
    let response: TransportResponse
    let isRedirected: Bool
  }

  /// - Throws: `AttemptFailure`, `CancellationError`.
  func open(
    _ address: DownloadAddress, headers: [TransportRequest.Header]
  ) async throws -> Opened {
    var current = address
    var visited: Set<String> = [address.text]
    var hop = 0
    while true {
      let request = TransportRequest(address: current.text, headers: headers)
      let response = try await head(of: request, at: current)
      guard [301, 302, 303, 307, 308].contains(response.status) else {
        return Opened(response: response, isRedirected: hop > 0)
      }
      guard hop < policy.redirects else {
        throw Self.unsafe("more than \(policy.redirects) redirects from \(address.withoutQuery)")
      }
      current = try Self.target(of: response, from: current)
      guard visited.insert(current.text).inserted else {
        throw Self.unsafe("\(address.withoutQuery) redirects in a circle")
      }
      hop += 1
    }
  }

  /// The head of one answer, a redirect's too.
  ///
  /// - Throws: `AttemptFailure`, `CancellationError`.
  package func head(
    of request: TransportRequest, at address: DownloadAddress
  ) async throws -> TransportResponse {
    do {
      return try await withTimeLimit(policy.headTimeout) { try await transport.get(request) }
    } catch is TimeLimitExceeded {
      throw AttemptFailure.again(
        "no answer within \(policy.headTimeout) (\(address.withoutQuery))")
    } catch let failure as TransportFailure {
      let reason = "\(failure) (\(address.withoutQuery))"
      throw switch failure.kind {
      case .closedBeforeHead: AttemptFailure.closedBeforeHead(reason)
      case .unusable:
        AttemptFailure.failed(DownloadFailure(.network, failure.reason, isResumable: true))
      default: AttemptFailure.again(reason)
      }
    }
  }

  private static func target(
    of response: TransportResponse, from address: DownloadAddress
  ) throws -> DownloadAddress {
    guard let location = response[header: "Location"],
      let url = URL(string: location, relativeTo: URL(string: address.text))
    else {
      throw unsafe("\(address.withoutQuery) redirects without an address")
    }
    let text = String(url.absoluteString.prefix { $0 != "#" })
    guard let target = try? DownloadAddress(text),
      target.isSecure || !address.isSecure
    else {
      throw unsafe(
        "\(address.withoutQuery) redirects to an unsafe address; only https without a user, or http "
          + "on this machine, is allowed")
    }
    return target
  }

  private static func unsafe(_ text: String) -> AttemptFailure {
    .failed(DownloadFailure(.unsafeAddress, text, isResumable: false))
  }
}
