import CatalogPages
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection.
final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long a request may take to arrive, and how long a connection may wait for the next one.
  private static let arrival = TimeAmount.seconds(10)
  private static let idleness = TimeAmount.seconds(60)
  /// How long an answer may take to be read.
  private static let departure = TimeAmount.minutes(5)

  private let inspector: CatalogInspector
  private let access: Access
  private let counts: Counts
  private var head: HTTPRequestHead?
  private var alarm: Scheduled<Void>?
  /// Makes the page that the client waits for; nil if it waits for none.
  private var page: Task<Void, Never>?

  init(_ inspector: CatalogInspector, _ access: Access, _ counts: Counts) {
    (self.inspector, self.access, self.counts) = (inspector, access, counts)
  }

  // MARK: Time

  func channelActive(context: ChannelHandlerContext) {
    closeUnless(Self.arrival, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    page?.cancel()
    context.fireChannelInactive()
  }

  /// Closes the connection if nothing stops the alarm before.
  private func closeUnless(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    alarm?.cancel()
    let channel = context.channel
    alarm = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      closeUnless(Self.arrival, context)
    case .body:
      // Nothing that reads sends a body.
      head = nil
      context.close(promise: nil)
    case .end:
      guard let head else { return }
      self.head = nil
      alarm?.cancel()
      answer(head, context)
    }
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    switch access.refusal(of: head) {
    case nil: break
    case .badRequest(let words): return write(Reply(400, words), to: head, context)
    case .forbidden(let words): return write(Reply(403, words), to: head, context)
    case .methodNotAllowed:
      var reply = Reply(405, "only GET and HEAD are answered")
      reply.headers.append(("Allow", "GET, HEAD"))
      return write(reply, to: head, context)
    case .tokenGiven(let path):
      var reply = Reply(303, "")
      reply.headers += [("Location", path), ("Set-Cookie", access.cookie)]
      return write(reply, to: head, context)
    }
    guard counts.begin(.page) else {
      var reply = Reply(503, "too many pages are asked for at once; try again")
      reply.headers.append(("Retry-After", "1"))
      return write(reply, to: head, context)
    }
    let (path, query) = Access.parts(of: head.uri)
    let (inspector, counts) = (inspector, counts)
    let promise = context.eventLoop.makePromise(of: CatalogInspector.Answer.self)
    page = promise.completeWithTask {
      defer { counts.end(.page) }
      return await inspector.answer(path: path, query: query)
    }
    promise.futureResult.assumeIsolated().whenSuccess { [self] answer in
      page = nil
      write(Reply(answer), to: head, context)
    }
  }

  private func write(_ reply: Reply, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    let body = context.channel.allocator.buffer(string: reply.body)
    var headers = HTTPHeaders([
      ("Content-Type", reply.type), ("Content-Length", "\(body.readableBytes)"),
      ("Content-Security-Policy", CatalogInspector.contentSecurityPolicy),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ])
    for (name, value) in reply.headers { headers.add(name: name, value: value) }
    let staysOpen = head.isKeepAlive && reply.status < 400
    if !staysOpen { headers.add(name: "Connection", value: "close") }
    let answer = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: headers)
    context.write(wrapOutboundOut(.head(answer)), promise: nil)
    if head.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    // A browser that does not read its answer is not waited for without end.
    closeUnless(Self.departure, context)
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    written.assumeIsolated().whenComplete { [self] _ in
      guard context.channel.isActive else { return }
      if staysOpen {
        if self.head == nil { closeUnless(Self.idleness, context) }
      } else {
        context.close(promise: nil)
      }
    }
  }
}

/// An answer that is not sent yet.
private struct Reply {
  let status: Int
  let type: String
  let body: String
  var headers: [(String, String)] = []

  init(_ status: Int, _ words: String) {
    (self.status, type, body) = (status, "text/plain; charset=utf-8", words + "\n")
  }

  init(_ answer: CatalogInspector.Answer) {
    (status, type, body) = (answer.status, answer.type, answer.body)
  }
}
