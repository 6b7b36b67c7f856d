import CCurl
import Downloads

/// What a code of libcurl means for a request, before its head has come or within its body.
func transportFailure(_ code: CURLcode, _ reason: String, inBody: Bool) -> TransportFailure {
  // Whatever is wrong with a body, the rest of it can be asked for.
  guard !inBody else { return TransportFailure(.cut, reason) }
  // What libcurl says of a line of a head that is longer than it takes: out of memory, or, since 8.6, too large.
  if code == CURLE_OUT_OF_MEMORY || code.rawValue == 100 {
    return TransportFailure(.malformed, "a header line is too long")
  }
  let kind: TransportFailure.Kind =
    switch code {
    // A handshake counts as part of the connection, which may take ten seconds.
    case CURLE_OPERATION_TIMEDOUT where reason.contains("SSL"): .insecure
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
      CURLE_OPERATION_TIMEDOUT:
      .unreachable
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
      .closedBeforeHead
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
      .insecure
    // The scheme is one of HTTP's: what is unsupported is the answer, "HTTP/0.9" in libcurl's words.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .malformed
    default: .other
    }
  return TransportFailure(kind, reason)
}
