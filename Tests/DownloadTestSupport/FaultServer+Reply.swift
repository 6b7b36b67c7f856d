import Synchronization

extension FaultServer {
  /// What a reply waits at until a test opens it.
  package final class Gate: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    package func open() { flag.store(true, ordering: .releasing) }

    var isOpen: Bool { flag.load(ordering: .acquiring) }
  }

  /// One thing that a server does while it replies.
  package enum Step: Sendable {
    case send([UInt8])
    /// Ends early where the server is stopped.
    case pause(Duration)
    /// Byte by byte.
    case drip([UInt8], every: Duration)
    /// Bytes of `PatternBytes`, in blocks of 64 KiB.
    case generate(offset: Int64 = 0, count: Int64, seed: UInt64)
    /// Ends the connection with RST. What the client had not read yet is lost to it.
    case reset
    /// Ends the connection with FIN.
    case close
    /// The connection serves the next request.
    case keepOpen
    /// Sends nothing more until the client goes or the server stops.
    case hang
    /// Waits until something has come true, for instance that the client has read what was sent; for a
    /// minute at most.
    case wait(until: @Sendable () -> Bool)

    /// Waits until somebody opens the gate; for a minute at most.
    package static func hold(_ gate: Gate) -> Step { .wait { gate.isOpen } }
  }

  /// The bytes of a file, held or made.
  package enum Content: Sendable {
    case bytes([UInt8])
    case pattern(count: Int64, seed: UInt64)

    package var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .pattern(let count, _): count
      }
    }

    package func step(_ range: Range<Int64>) -> Step {
      switch self {
      case .bytes(let bytes):
        .send(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
      case .pattern(_, let seed):
        .generate(
          offset: range.lowerBound, count: range.upperBound - range.lowerBound, seed: seed)
      }
    }
  }

  /// What a response says of its body's length.
  package enum Length: Sendable {
    case actual
    /// No Content-Length: the body ends with the connection.
    case absent
    /// A Content-Length, true or not.
    case declared(Int64)
  }

  /// What a server does with a request. Closes the connection at the end where no step says otherwise.
  package struct Reply: Sendable {
    /// Status line and headers; empty for replies that are no HTTP.
    package var head: [UInt8]
    /// All after the head.
    package var steps: [Step]

    /// Steps and nothing else.
    package init(_ steps: Step...) {
      head = []
      self.steps = steps
    }

    package init(head: String, steps: [Step]) {
      self.head = Array(head.utf8)
      self.steps = steps
    }

    /// A status line and headers in front of steps. Closes at the end where no step says otherwise.
    package static func head(
      _ status: Int = 200, headers: KeyValuePairs<String, String> = [:], then steps: Step...
    ) -> Reply {
      Reply(head: text(status, headers.map { ($0.key, $0.value) }), steps: steps)
    }

    /// A whole response. The connection stays open where the length is the actual one.
    package static func response(
      status: Int = 200, headers: KeyValuePairs<String, String> = [:], body: [UInt8] = [],
      length: Length = .actual
    ) -> Reply {
      response(status, headers.map { ($0.key, $0.value) }, body: .bytes(body), length: length)
    }

    package static func response(
      status: Int = 200, headers: KeyValuePairs<String, String> = [:], content: Content,
      length: Length = .actual
    ) -> Reply {
      response(status, headers.map { ($0.key, $0.value) }, body: content, length: length)
    }

    /// What a correct server answers for a file: 200, 206 for one range, 416. `If-Range` is honoured
    /// with a strong entity tag or the exact date; else the whole file is sent.
    ///
    /// - Parameter etag: as it stands in the header: with its quotation marks.
    package static func file(
      _ content: Content, for request: Request, etag: String? = nil, lastModified: String? = nil,
      contentType: String = "application/octet-stream"
    ) -> Reply {
      var headers = [("Content-Type", contentType), ("Accept-Ranges", "bytes")]
      if let etag { headers.append(("ETag", etag)) }
      if let lastModified { headers.append(("Last-Modified", lastModified)) }
      let isConditionMet =
        request.ifRange.map { condition in
          (condition == etag && !condition.hasPrefix("W/")) || condition == lastModified
        } ?? true
      guard isConditionMet, let range = request.range.flatMap(ByteRange.init) else {
        return response(200, headers, body: content, length: .actual)
      }
      guard let part = range.resolved(total: content.count) else {
        headers.append(("Content-Range", "bytes */\(content.count)"))
        return response(416, headers, body: .bytes([]), length: .actual)
      }
      let span = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)"
      headers.append(("Content-Range", span))
      headers.append(("Content-Length", String(part.upperBound - part.lowerBound)))
      return Reply(head: text(206, headers), steps: [content.step(part), .keepOpen])
    }

    package static func file(
      _ bytes: [UInt8], for request: Request, etag: String? = nil, lastModified: String? = nil,
      contentType: String = "application/octet-stream"
    ) -> Reply {
      file(
        .bytes(bytes), for: request, etag: etag, lastModified: lastModified,
        contentType: contentType)
    }

    /// A response in chunks.
    ///
    /// - Parameters:
    ///   - isCutShort: the last chunk, the empty one, is left out and the connection closed.
    ///   - others: steps behind the chunks.
    package static func chunked(
      status: Int = 200, headers: KeyValuePairs<String, String> = [:], chunks: [[UInt8]],
      isCutShort: Bool = false, with others: Step...
    ) -> Reply {
      let fields = headers.map { ($0.key, $0.value) } + [("Transfer-Encoding", "chunked")]
      var steps = chunks.map { chunk in
        Step.send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
      }
      steps += others
      steps += isCutShort ? [.close] : [.send(Array("0\r\n\r\n".utf8)), .keepOpen]
      return Reply(head: text(status, fields), steps: steps)
    }

    /// Any text, then the end of the connection.
    package static func raw(_ text: String) -> Reply {
      Reply(.send(Array(text.utf8)), .close)
    }

    /// The same reply up to a number of bytes behind its head, then other steps.
    package func broken(after count: Int64, by others: Step...) -> Reply {
      var left = count
      var kept: [Step] = []
      for step in steps where left > 0 {
        switch step {
        case .send(let bytes):
          kept.append(.send(Array(bytes.prefix(Int(left)))))
          left -= Int64(bytes.count)
        case .drip(let bytes, let interval):
          kept.append(.drip(Array(bytes.prefix(Int(left))), every: interval))
          left -= Int64(bytes.count)
        case .generate(let offset, let size, let seed):
          kept.append(.generate(offset: offset, count: min(size, left), seed: seed))
          left -= size
        case .pause: kept.append(step)
        case .reset, .close, .keepOpen, .hang, .wait: break
        }
      }
      var reply = self
      reply.steps = kept + others
      return reply
    }

    private static func response(
      _ status: Int, _ headers: [(String, String)], body: Content, length: Length
    ) -> Reply {
      var headers = headers
      var end = Step.keepOpen
      switch length {
      case .actual: headers.append(("Content-Length", String(body.count)))
      case .absent: end = .close
      case .declared(let count):
        headers.append(("Content-Length", String(count)))
        if count != body.count { end = .close }
      }
      return Reply(head: text(status, headers), steps: [body.step(0..<body.count), end])
    }

    private static func text(_ status: Int, _ headers: [(String, String)]) -> String {
      let fields = headers.map { "\($0): \($1)\r\n" }.joined()
      return "HTTP/1.1 \(status) \(status < 400 ? "Fine" : "Refused")\r\n\(fields)\r\n"
    }
  }
}

/// One range of a Range header.
private enum ByteRange {
  case from(Int64)
  case closed(Int64, Int64)
  case last(Int64)

  /// - Returns: nil if there are several ranges or none: a server then sends the whole.
  init?(_ header: String) {
    guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
    let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    switch (Int64(parts[0]), Int64(parts[1])) {
    case (let first?, let last?) where first <= last: self = .closed(first, last)
    case (let first?, nil) where parts[1].isEmpty: self = .from(first)
    case (nil, let count?) where parts[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// - Returns: nil if no byte of the range is there.
  func resolved(total: Int64) -> Range<Int64>? {
    switch self {
    case .from(let first): first < total ? first..<total : nil
    case .closed(let first, let last): first < total ? first..<min(last + 1, total) : nil
    case .last(let count): count > 0 && total > 0 ? max(0, total - count)..<total : nil
    }
  }
}
