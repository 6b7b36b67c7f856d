import NIOCore
import NIOHTTP1

/// Ends a connection whose server answers with a status below 100.
///
/// The parser takes any three digits. AsyncHTTPClient passes over every head below 200 and waits for
/// another one, but the parser sends a body and an end only behind heads of 100 to 199: behind any lower
/// status they reach a request that waits for its head, and the client ends the process. (A server
/// chooses the status; HTTP has none below 100, RFC 9110 15.) So such a head never reaches the client:
/// the request fails with an error of the parser, and nothing else of the connection is read.
final class StatusGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private var isEnded = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isEnded else { return }
    if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
      isEnded = true
      context.fireErrorCaught(HTTPParserError.invalidStatus)
      context.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
  }

  /// Stands between the parser and the client, which both must be there already.
  static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(StatusGuard(), position: .after(parser))
    }
  }
}
