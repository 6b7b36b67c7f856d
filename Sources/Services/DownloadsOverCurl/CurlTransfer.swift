import CCurl
import Downloads

/// One request of the loop, and what comes back.
///
/// `@unchecked Sendable`: all but the request and the response is the loop's thread's alone.
final class CurlTransfer: @unchecked Sendable {
  /// The server is held back where more bytes than this wait to be read, until half of them were.
  private static let highWater = 1 << 20
  private static let connectSeconds = 10

  private let request: TransportRequest
  private let authorities: String?
  private let response = IncomingResponse()

  private var head = HeadLines()
  /// Why a callback ended the transfer.
  private var refusal: TransportFailure?
  private(set) var easy: UnsafeMutableRawPointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// - Parameter authorities: a file in PEM; nil for those that the system trusts.
  init(_ request: TransportRequest, authorities: String?) {
    self.request = request
    self.authorities = authorities
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    message.deallocate()
  }

  // MARK: - The reader's side

  func responseHead() async throws -> IncomingResponse.Head { try await response.head() }

  /// - Returns: bytes that wait; nil at the end.
  func chunk(from loop: CurlLoop) async throws -> [UInt8]? {
    try await response.chunk(below: Self.highWater / 2) { loop.resume(self) }
  }

  func finish(_ error: (any Error)?) { response.finish(error) }

  // MARK: - The loop's side

  /// - Returns: the handle that the loop adds; nil if the transfer cannot begin, which the reader is told.
  func begin() -> UnsafeMutableRawPointer? {
    guard let easy = libcurl_easy_init() else {
      response.finish(TransportFailure(.other, "libcurl cannot create a transfer: out of memory"))
      return nil
    }
    self.easy = easy
    let code = configure(easy)
    guard code == CURLE_OK else {
      response.finish(TransportFailure(.other, reason(code)))
      end()
      return nil
    }
    return easy
  }

  private func configure(_ easy: UnsafeMutableRawPointer) -> CURLcode {
    // "Accept:" keeps libcurl from adding a header of its own.
    var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    if !request.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      lines.append("Accept:")
    }
    for line in lines {
      guard let longer = libcurl_slist_append(headers, line) else { return CURLE_OUT_OF_MEMORY }
      headers = longer
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_NOPROGRESS, 1), (CURLOPT_PATH_AS_IS, 1),
      // One connection of HTTP/2 would cut all downloads of a host when it breaks.
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_HTTP09_ALLOWED, 0),
      (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_HTTP_CONTENT_DECODING, 0),
      (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      // The request's headers are for the server: a proxy is asked without them.
      (CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)), (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
    ]
    var codes = numbers.map { libcurl_easy_set_long(easy, $0, numericCast($1)) }
    codes.append(libcurl_easy_set_http_only(easy))
    // Older versions do not know it; the end of a transfer then waits for a name that is looked up.
    _ = libcurl_easy_set_quick_exit(easy)
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_URL, request.address))
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, headers))
    // An empty name: no proxy, whatever the environment says.
    if request.isToThisMachine { codes.append(libcurl_easy_set_pointer(easy, CURLOPT_PROXY, "")) }
    if let authorities {
      codes.append(libcurl_easy_set_pointer(easy, CURLOPT_CAINFO, authorities))
    }
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, message))
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_PRIVATE, context))
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, context))
    codes.append(libcurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, context))
    codes.append(
      libcurl_easy_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        CurlTransfer.of(context).received(
          line: UnsafeRawBufferPointer(start: bytes, count: size * count))
      })
    codes.append(
      libcurl_easy_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        CurlTransfer.of(context).received(UnsafeRawBufferPointer(start: bytes, count: size * count))
      })
    return codes.first { $0 != CURLE_OK } ?? CURLE_OK
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context else { preconditionFailure("callbacks are given their transfer") }
    return Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  /// - Returns: how many bytes were taken; another number ends the transfer.
  private func received(line: UnsafeRawBufferPointer) -> Int {
    switch head.read(line) {
    case .more: return line.count
    case .head(let head):
      response.receive(head)
      return line.count
    case .malformed(let reason):
      refusal = TransportFailure(.malformed, reason)
      return line.isEmpty ? 1 : 0
    }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    // libcurl keeps them, and reads no further, until it is told to go on.
    if response.pause(above: Self.highWater) { return Int(CURL_WRITEFUNC_PAUSE) }
    response.receive(bytes)
    return bytes.count
  }

  /// libcurl is done with it.
  func completed(_ code: CURLcode) {
    if let refusal {
      response.finish(refusal)
    } else if code != CURLE_OK {
      response.finish(transportFailure(code, reason(code), inBody: response.hasHead))
    } else if !response.hasHead {
      response.finish(
        TransportFailure(.closedBeforeHead, "the connection closed within the answer's headers"))
    } else {
      response.finish(nil)
    }
  }

  /// Frees what libcurl has of it. The loop has removed the handle.
  func end() {
    if let easy { libcurl_easy_cleanup(easy) }
    libcurl_slist_free_all(headers)
    (easy, headers) = (nil, nil)
  }

  /// What libcurl says, one line. Should it hold an address or anything odd, the general words for the code.
  private func reason(_ code: CURLcode) -> String {
    let said = String(cString: message)
    let isPlain = said.unicodeScalars.allSatisfy { (" "..."~").contains($0) }
    if isPlain, !said.isEmpty, !said.contains("://"), !said.contains("?") { return said }
    return String(cString: libcurl_easy_strerror(code))
  }
}
