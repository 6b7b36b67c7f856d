import CatalogModel
import CatalogTestSupport
import DownloadTestSupport
import DownloadsOverCurl
import Foundation
import Testing

@testable import Downloads

/// One asset, a server that may do anything, and a folder to download into.
final class AssetTrial: Sendable {
  static let name = "song.wav"
  static let content = PatternBytes.bytes(0..<300_000, seed: 5)

  let scratch: ScratchFolder
  let folder: FolderHandle
  let meter = ByteMeter()
  let transport: any DownloadTransport

  init(_ transport: any DownloadTransport = CurlTransport()) throws {
    scratch = try ScratchFolder()
    folder = try FolderHandle(scratch.path)
    self.transport = transport
  }

  /// Short pauses. The watches stay patient: on a busy machine this process itself may come to a halt.
  static var policy: DownloadPolicy {
    var policy = DownloadPolicy()
    policy.pauses = (.milliseconds(1), .milliseconds(5))
    policy.progressBytes = 1_000
    return policy
  }

  /// Watches that bite soon, and many attempts, for those may be bitten without a reason.
  static var hasty: DownloadPolicy {
    var policy = policy
    policy.headTimeout = .milliseconds(500)
    policy.stallWindow = .milliseconds(300)
    policy.attempts = 200
    return policy
  }

  /// Downloads to the end.
  ///
  /// - Parameter sha256: what the manifest says; by default the truth.
  func run(
    _ address: String, bytes: Int = content.count,
    sha256: String? = ServedPack.hash(content), policy: DownloadPolicy = AssetTrial.policy
  ) async throws -> StagedAsset {
    let asset = AssetRequest(
      id: EntityID(high: 1, low: 2), address: try DownloadAddress(address), bytes: Int64(bytes),
      sha256: sha256, fileName: Self.name)
    return try await AssetDownload(
      asset, index: 0, into: folder, transport: transport, policy: policy, meter: meter
    ).run()
  }

  /// The first bytes of a reply and, once they are read, another end: what a client has not read when a
  /// connection is reset is lost to it.
  func cut(
    _ reply: FaultServer.Reply, after count: Int64, by end: FaultServer.Step
  ) -> FaultServer.Reply {
    let goal = meter.received + count
    return reply.broken(after: count, by: .wait { [meter] in meter.received >= goal }, end)
  }

  /// Lays down what an earlier attempt left.
  func stage(_ bytes: some Collection<UInt8>, tag: String? = nil) throws {
    try scratch.write(Array(bytes), to: "\(Self.name).part")
    let tag = tag.map { "\"\($0.replacing("\"", with: "\\\""))\"" } ?? "null"
    try scratch.write(#"{"offset":\#(bytes.count),"tag":\#(tag)}"#, to: "\(Self.name).part.json")
  }

  /// The file is there with its bytes, and nothing else is.
  func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try folder.names() == [Self.name], sourceLocation: sourceLocation)
    #expect(try scratch.bytes(Self.name) == Self.content, sourceLocation: sourceLocation)
  }

  /// The download fails, and no whole file is there.
  @discardableResult
  func expectFailure(
    _ code: DownloadFailure.Code, isResumable: Bool, _ address: String,
    bytes: Int = content.count, sha256: String? = ServedPack.hash(content),
    policy: DownloadPolicy = AssetTrial.policy, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let failure = await #expect(throws: DownloadFailure.self, sourceLocation: sourceLocation) {
      try await run(address, bytes: bytes, sha256: sha256, policy: policy)
    }
    #expect(failure?.code == code, "\(failure as Any)", sourceLocation: sourceLocation)
    #expect(failure?.isResumable == isResumable, sourceLocation: sourceLocation)
    #expect(try !folder.names().contains(Self.name), sourceLocation: sourceLocation)
    return failure?.message ?? ""
  }

  /// What of the asset lies in the part.
  var part: [UInt8]? { try? scratch.bytes("\(Self.name).part") }
}

extension FaultServer {
  /// Replies with the first script to the first request, and so on; with the last one to all further.
  convenience init(_ replies: [@Sendable (Request) -> Reply]) throws {
    try self.init { request in replies[min(request.index, replies.count - 1)](request) }
  }

  /// What a right server says.
  static func right(_ request: Request) -> Reply {
    .file(AssetTrial.content, for: request, etag: "\"v1\"")
  }
}
