public import CatalogPages
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves a `CatalogInspector` to browsers of this machine, over HTTP on the loopback address.
///
/// ```swift
/// let server = try await CatalogServer.start(CatalogInspector(program, directory), port: 0)
/// print(server.address)  // http://127.0.0.1:40123/?token=…
/// try await server.run()
/// ```
///
/// The address lets its reader read the catalog. It has a random token, which the first answer puts into a cookie. The server
/// refuses requests from other pages, requests to other hosts and requests without the token, and it writes nothing.
public struct CatalogServer: Sendable {
  /// The address to open, with its token.
  public let address: String
  private let channel: any Channel

  /// Begins to listen.
  ///
  /// - Parameter port: 0 leaves it to the system.
  /// - Throws: if the port is taken.
  public static func start(_ inspector: CatalogInspector, port: Int) async throws -> CatalogServer {
    let token = Access.makeToken()
    let counts = Counts()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard counts.begin(.connection) else { throw ChannelError.ioOnClosedChannel }
          channel.closeFuture.whenComplete { _ in counts.end(.connection) }
          guard let port = channel.localAddress?.port else {
            throw ChannelError.unknownLocalAddress
          }
          let pipeline = channel.pipeline.syncOperations
          // Requests of one connection are answered one after the other, and what is no HTTP is refused.
          try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: true)
          try pipeline.addHandler(
            RequestHandler(inspector, Access(port: port, token: token), counts))
        }
      }
      .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 1)
    let channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
    guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
    return CatalogServer(address: "http://127.0.0.1:\(port)/?token=\(token)", channel: channel)
  }

  /// Serves until the server is ended.
  public func run() async throws { try await channel.closeFuture.get() }

  /// Stops listening.
  public func end() async throws { try await channel.close().get() }
}
