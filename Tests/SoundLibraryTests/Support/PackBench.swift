import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Testing

@testable import SoundLibrary

/// A catalog that lists a pack, whose server is in memory and whose files are touched by calls that a
/// test chooses. The log and the database are on a real disk.
final class PackBench: Sendable {
  static let address = "https://packs.example"

  let scratch: ScratchFolder
  let directory: CatalogDirectory
  /// All versions of the one pack, oldest first.
  let versions: [ServedPack]

  /// Parts are made durable every KiB, and time decides nothing.
  static var policy: DownloadPolicy {
    var policy = DownloadPolicy()
    policy.pauses = (.milliseconds(1), .milliseconds(2))
    policy.progressBytes = 1
    policy.checkpoints = (1 << 10, .seconds(100_000))
    return policy
  }

  /// A catalog that lists the pack and has nothing of it.
  init(_ versions: [ServedPack]) async throws {
    scratch = try ScratchFolder(inMemory: true)
    directory = CatalogDirectory(scratch.file("library"))
    self.versions = versions
    let seed = try ServedPack.seed(Array(versions.prefix(1)), at: Self.address)
    try await open { catalog in
      try await catalog.importer.applyUpdates(.bytes(seed, name: "seed.json"))
    }
  }

  /// The same catalog in another folder, as it lies there.
  func copy() throws -> PackBench { try PackBench(copyOf: self) }

  private init(copyOf other: PackBench) throws {
    scratch = try ScratchFolder(inMemory: true)
    directory = CatalogDirectory(scratch.file("library"))
    versions = other.versions
    try FileManager.default.copyItem(atPath: other.directory.path, toPath: directory.path)
  }

  @discardableResult
  func open<Result>(
    over calls: any FolderCalls = FaultyFolderCalls(),
    _ body: (SoundLibrary) async throws -> Result
  ) async throws -> Result {
    var options = SoundLibrary.Options(wait: .seconds(20))
    options.folderCalls = calls
    let catalog = try await SoundLibrary.open(directory, options: options)
    defer { catalog.close() }
    return try await body(catalog)
  }

  /// A manager whose server has one version, the newest where none is named.
  func manager(_ catalog: SoundLibrary, serving version: Int? = nil) throws -> PackDownloadManager {
    let pack = try #require(version.map { versions[$0 - 1] } ?? versions.last)
    let transport = try ScriptedTransport.serving([pack], at: Self.address, chunk: 900)
    return PackDownloadManager(catalog, transport: transport, policy: Self.policy)
  }

  var uuid: UUID { versions[0].uuid }

  /// Downloads a version to its end, or the newest.
  func download(_ catalog: SoundLibrary, serving version: Int? = nil) async throws {
    _ = try await manager(catalog, serving: version).startDownload(packId: uuid).result()
  }

  // MARK: What must be

  // The first difference ends a test: it would be one of hundreds.

  /// What a real folder of the catalog has of packs, by path below the catalog's folder. The file of a
  /// lock, which a fault may leave and a loss of power bring back, is of no harm: whoever takes the lock
  /// next removes it.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in [".staging", "AudioAssets"] where scratch.exists("library/\(name)") {
      for (path, bytes) in try ScratchFolder.contents("\(directory.path)/\(name)") {
        if !path.hasSuffix(".lock") { files["\(name)/\(path)"] = bytes }
      }
    }
    return files
  }

  /// Nothing is told to be installed that is not there with its bytes.
  ///
  /// - Parameter isPending: whether files of what is installed may still lie in the staging folder.
  func expectSound(
    _ catalog: SoundLibrary, isPending: Bool, _ note: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let state = try await catalog.packs.packDetail(packId: uuid).pack
    try #require(state.state != .downloading, note, sourceLocation: sourceLocation)
    let files = try files()
    guard let version = state.installedVersion else {
      try #require(state.state != .downloaded, note, sourceLocation: sourceLocation)
      return
    }
    for asset in versions[version - 1].assets {
      let place = asset.path(in: versions[0])
      let isThere =
        files[place] == asset.bytes
        || isPending
          && files[place.replacing("AudioAssets/", with: ".staging/")] == asset.bytes
      try #require(isThere, "\(note): \(place)", sourceLocation: sourceLocation)
    }
  }

  /// The newest version lies there with its bytes, and nothing else of the pack does.
  func expectInstalled(
    _ catalog: SoundLibrary, _ note: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let state = try await catalog.packs.packDetail(packId: uuid).pack
    try #require(state.state == .downloaded, note, sourceLocation: sourceLocation)
    try #require(state.installedVersion == versions.count, note, sourceLocation: sourceLocation)
    var expected: [String: [UInt8]] = ["AudioAssets/\(versions[0].id)": []]
    for asset in try #require(versions.last).assets {
      expected[asset.path(in: versions[0])] = asset.bytes
    }
    let files = try files()
    try #require(
      files.keys.sorted() == expected.keys.sorted(), note, sourceLocation: sourceLocation)
    // Not the bytes themselves in the words of a failure.
    let wrong = expected.keys.filter { files[$0] != expected[$0] }
    try #require(wrong.isEmpty, note, sourceLocation: sourceLocation)
  }

  /// No file of the pack is there.
  func expectNothing(
    _ note: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let files = try files().keys
    try #require(files.isEmpty, "\(note): \(files.sorted())", sourceLocation: sourceLocation)
  }
}
