import Downloads
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an error of the session means. The address, which the error holds, is left out.
func transportError(_ error: any Error, inBody: Bool) -> any Error {
  if error is TransportFailure || error is CancellationError { return error }
  guard let error = error as? URLError else {
    return TransportFailure(.other, "the URL session failed: \(type(of: error))")
  }
  let text = reason(of: error)
  #if canImport(FoundationNetworking)
    if !inBody, let kind = linuxKind(error.code, text) { return TransportFailure(kind, text) }
  #endif
  let kind: TransportFailure.Kind =
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet:
      .unreachable
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRequired,
      .clientCertificateRejected:
      .insecure
    case .badServerResponse, .cannotParseResponse: inBody ? .cut : .malformed
    case .networkConnectionLost: inBody ? .cut : .closedBeforeHead
    case .timedOut: inBody ? .cut : .unreachable
    case .cancelled: .other
    default: inBody ? .cut : .other
    }
  return TransportFailure(kind, text)
}

private func reason(of error: URLError) -> String {
  let code = "URL error \(error.code.rawValue)"
  #if canImport(FoundationNetworking)
    // The text of libcurl, one line without the address. Should one hold an address, it is left out.
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String
    guard let text, !text.isEmpty, !text.contains("://"), !text.contains("?") else { return code }
    return text
  #else
    return code
  #endif
}

#if canImport(FoundationNetworking)
  /// What Linux's session means by codes that say something else, or nothing, where no head came.
  private func linuxKind(_ code: URLError.Code, _ text: String) -> TransportFailure.Kind? {
    switch code {
    // The connection ended before a byte came.
    case .badServerResponse: .closedBeforeHead
    // An answer that is no HTTP/1: libcurl takes it for a protocol that it was not built with.
    case .unsupportedURL: .malformed
    // Handshakes and certificates have no code of their own.
    case .unknown where text.contains("SSL") || text.contains("certificate"): .insecure
    default: nil
    }
  }
#endif
