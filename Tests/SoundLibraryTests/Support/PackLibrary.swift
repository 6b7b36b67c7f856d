import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import EventLog
import Foundation
import Testing

@testable import SoundLibrary

/// A catalog with packs of a server, and a manager that downloads them.
final class PackLibrary: Sendable {
  let scratch: ScratchFolder
  let directory: CatalogDirectory
  let transport = CurlTransport()

  /// Short pauses. The watches stay patient: on a busy machine this process itself may come to a halt.
  static var policy: DownloadPolicy {
    var policy = DownloadPolicy()
    policy.pauses = (.milliseconds(1), .milliseconds(5))
    policy.progressBytes = 1
    policy.checkpoints = (64 << 10, .seconds(1))
    return policy
  }

  init(_ packs: [ServedPack], at address: String) async throws {
    scratch = try ScratchFolder()
    directory = CatalogDirectory(scratch.file("library"))
    try await open { catalog in
      let seed = try ServedPack.seed(packs, at: address)
      try await catalog.importer.applyUpdates(.bytes(seed, name: "seed.json"))
    }
  }

  func shutdown() { transport.shutdown() }

  @discardableResult
  func open<Result>(
    _ body: (SoundLibrary) async throws -> Result
  ) async throws -> Result {
    let catalog = try await SoundLibrary.open(
      directory, options: SoundLibrary.Options(wait: .seconds(20)))
    defer { catalog.close() }
    return try await body(catalog)
  }

  /// Opens the catalog with a manager.
  @discardableResult
  func manage<Result>(
    policy: DownloadPolicy = PackLibrary.policy,
    _ body: (SoundLibrary, PackDownloadManager) async throws -> Result
  ) async throws -> Result {
    try await open { catalog in
      try await body(
        catalog,
        // A machine that is busy takes as long as it takes.
        PackDownloadManager(catalog, transport: transport, policy: policy, wait: .seconds(600)))
    }
  }

  /// Downloads one pack to its end.
  @discardableResult
  func download(
    _ pack: ServedPack, policy: DownloadPolicy = PackLibrary.policy
  ) async throws -> PackDownloadResult {
    try await manage(policy: policy) { _, manager in
      try await manager.startDownload(packId: pack.uuid).result()
    }
  }

  func state(of pack: ServedPack) async throws -> PackWithState {
    try await open { try await $0.packs.packDetail(packId: pack.uuid).pack }
  }

  /// Files below a folder of the catalog's, by path.
  func files(in name: String) throws -> [String: [UInt8]] {
    guard FileManager.default.fileExists(atPath: "\(directory.path)/\(name)") else { return [:] }
    return try ScratchFolder.contents("\(directory.path)/\(name)").filter { path, _ in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: "\(directory.path)/\(name)/\(path)", isDirectory: &isFolder)
      return !isFolder.boolValue
    }
  }

  /// Every asset lies installed with its bytes, and nothing else of the pack does.
  func expectInstalled(
    _ pack: ServedPack, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let state = try await state(of: pack)
    #expect(state.state == .downloaded, "\(state)", sourceLocation: sourceLocation)
    #expect(state.installedVersion == pack.version, sourceLocation: sourceLocation)
    // An update that was cancelled leaves none.
    let bytes = state.bytesDownloaded ?? Int64(pack.totalBytes)
    #expect(bytes == Int64(pack.totalBytes), sourceLocation: sourceLocation)
    #expect(state.lastError == nil, sourceLocation: sourceLocation)
    let files = try files(in: "AudioAssets/\(pack.id)")
    #expect(
      files.keys.sorted() == pack.assets.map { "\($0.id).\($0.codec)" }.sorted(),
      sourceLocation: sourceLocation)
    for asset in pack.assets {
      #expect(
        files["\(asset.id).\(asset.codec)"] == asset.bytes, "\(asset.name)",
        sourceLocation: sourceLocation)
    }
    #expect(
      try self.files(in: ".staging/\(pack.id)").isEmpty, sourceLocation: sourceLocation)
  }

  /// Nothing of the pack is there.
  func expectNothing(
    of pack: ServedPack, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for folder in ["AudioAssets", ".staging"] {
      #expect(
        !FileManager.default.fileExists(atPath: "\(directory.path)/\(folder)/\(pack.id)"),
        sourceLocation: sourceLocation)
    }
  }

  /// A rebuild of the log gives the receipt of the live database, and the reducer in Python its rows.
  func expectReplays(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await open { catalog in
      let live = try await catalog.receipt()
      try await catalog.rebuild()
      #expect(try await catalog.receipt() == live, sourceLocation: sourceLocation)
    }
    let reducer = try Program(
      "python3", "Tools/reducer.py", directory.events, directory.database,
      in: ScratchFolder.repository)
    #expect(
      reducer.status == 0, "\(reducer.output) \(reducer.errors)", sourceLocation: sourceLocation)
  }

  /// The folder as it is at this moment, as a crash would leave it.
  func copy() throws -> PackLibrary { try PackLibrary(copyOf: self) }

  private init(copyOf other: PackLibrary) throws {
    scratch = try ScratchFolder()
    directory = CatalogDirectory(scratch.file("library"))
    try FileManager.default.copyItem(atPath: other.directory.path, toPath: directory.path)
  }

  /// Rows of the live database, a line each.
  func rows(_ sql: String) throws -> [String] {
    try Program("sqlite3", directory.database, sql).output.split(separator: "\n").map(String.init)
  }

  /// Types of the events about packs, in order, without those of imports and of progress, which depend on
  /// how fast the machine is.
  func packEvents() throws -> [String] {
    let types = try Program(
      "bash", "-c",
      "zstd -dc \(directory.events)/*.zst | jq -r .type | grep -E '^(pack.d|manifest)' | grep -v progressed || true"
    )
    return types.output.split(separator: "\n").map(String.init)
  }
}
