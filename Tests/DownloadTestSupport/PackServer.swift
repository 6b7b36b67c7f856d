import Foundation
import Synchronization

/// A server of packs that does what a test says for some of its paths, and is right for all others.
package final class PackServer: Sendable {
  private let packs: Mutex<[ServedPack]>
  private let scripts = Mutex<[String: FaultServer.Handler]>([:])
  private let server: Mutex<FaultServer?>
  package let address: String

  package init(_ packs: [ServedPack]) throws {
    self.packs = Mutex(packs)
    let holder = Holder()
    let server = try FaultServer { request in
      holder.owner.withLock { $0.value }?.reply(to: request) ?? .init(.close)
    }
    address = server.address("")
    self.server = Mutex(server)
    holder.owner.withLock { $0.value = self }
  }

  /// The server's handler is made before this object is.
  private final class Holder: Sendable {
    struct Owner {
      weak var value: PackServer?
    }

    let owner = Mutex(Owner())
  }

  /// Puts another version in the place of a pack.
  package func publish(_ pack: ServedPack) {
    packs.withLock { packs in
      packs.removeAll { $0.id == pack.id }
      packs.append(pack)
    }
  }

  /// What to say for a path (`/name`); nil for what is right.
  package func script(_ name: String, _ handler: FaultServer.Handler?) {
    scripts.withLock { $0[name] = handler }
  }

  package func stop() { server.withLock { $0?.stop() } }

  package var requests: [FaultServer.Request] { server.withLock { $0?.requests ?? [] } }

  /// Lets the first answer for an asset come to a halt behind so many bytes, until the gate is opened.
  package func halt(_ asset: ServedPack.Asset, after count: Int) -> FaultServer.Gate {
    let gate = FaultServer.Gate()
    script("/\(asset.name)") { [weak self] request in
      guard let self else { return .init(.close) }
      let whole = right(request)
      guard request.range == nil, case .send(let bytes)? = whole.steps.first else { return whole }
      return whole.broken(
        after: Int64(count), by: .hold(gate), .send(Array(bytes.dropFirst(count))), .keepOpen)
    }
    return gate
  }

  /// What is right for a request.
  package func right(_ request: FaultServer.Request) -> FaultServer.Reply {
    for pack in packs.withLock({ $0 }) {
      if request.path == "/\(pack.manifestName)" {
        return .response(
          headers: ["Content-Type": "application/json"],
          body: (try? pack.manifest(at: address)) ?? [])
      }
      if let asset = pack.assets.first(where: { request.path == "/\($0.name)" }) {
        return .file(asset.bytes, for: request, etag: "\"\(asset.sha256?.prefix(16) ?? "none")\"")
      }
    }
    return .response(status: 404, body: [])
  }

  private func reply(to request: FaultServer.Request) -> FaultServer.Reply {
    scripts.withLock { $0[request.path] }?(request) ?? right(request)
  }
}
