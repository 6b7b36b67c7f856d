import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// What must not be downloaded is not: no event but the failure, no file written.
@Suite(
  .promise(
    "Hostile manifests, links and addresses change nothing, and no secret of an address "
      + "gets into an event or an error"),
  .promise("No status line of a server ends the process", by: "a manifest"),
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"))
struct RefusedDownloadTests {
  private let pack = ServedPack(sizes: [20_000, 5_000])
  private let server: PackServer
  private let library: PackLibrary

  init() async throws {
    server = try PackServer([pack])
    library = try await PackLibrary([pack], at: server.address)
  }

  /// - Returns: what went wrong.
  private func refusal(_ change: (inout [String: Any]) throws -> Void) async throws -> String {
    var document = try #require(
      JSONSerialization.jsonObject(with: Data(pack.manifest(at: server.address)))
        as? [String: Any])
    try change(&document)
    let bytes = Array(try JSONSerialization.data(withJSONObject: document))
    return try await refusal(of: bytes)
  }

  private func refusal(of manifest: [UInt8]) async throws -> String {
    server.script("/\(pack.manifestName)") { _ in .response(body: manifest) }
    let before = try library.packEvents()
    var message = ""
    var line = ""
    do {
      try await library.download(pack)
      Issue.record("the manifest was accepted")
    } catch {
      message = "\(error)"
      line = (error as? DocumentError)?.oneLine ?? message
    }
    #expect(try library.packEvents() == before + ["pack.download.failed"])
    let state = try await library.state(of: pack)
    #expect(state.state == .failed && state.lastError == line)
    #expect(try library.files(in: "AudioAssets").isEmpty)
    #expect(try library.files(in: ".staging").isEmpty)
    #expect(!server.requests.contains { $0.path.hasSuffix(".wav") })
    return message
  }

  private func inFirstAsset(_ key: String, _ value: Any?) async throws -> String {
    try await refusal { document in
      var assets = try #require(document["assets"] as? [[String: Any]])
      assets[0][key] = value
      document["assets"] = assets
    }
  }

  @Test func manifestsThatAreWrongFailAndChangeNothing() async throws {
    let whole = try pack.manifest(at: server.address)
    #expect(try await refusal(of: Array(whole.dropLast(10))).contains("byte"))
    #expect(try await refusal(of: []).contains("empty"))
    #expect(try await refusal(of: Array("<html>".utf8)).contains(pack.manifestName))
    #expect(
      try await refusal(of: [UInt8](repeating: 0x20, count: 4 << 20) + whole).contains("4194304"))
    #expect(try await refusal { $0["packId"] = ServedPack(7, sizes: []).id }.contains("packId"))
    #expect(try await refusal { $0["version"] = 0 }.contains("version"))
    #expect(try await inFirstAsset("assetId", pack.assets[1].id).contains("assetId"))
    #expect(try await inFirstAsset("assetId", "../../../etc/passwd").contains("assetId"))
    #expect(try await inFirstAsset("itemId", pack.assets[1].item).contains("itemId"))
    #expect(try await inFirstAsset("itemId", pack.id).contains("itemId"))
    #expect(try await inFirstAsset("sha256", "12").contains("sha256"))
    #expect(try await inFirstAsset("bytes", -1).contains("bytes"))
    #expect(try await inFirstAsset("codec", "").contains("codec"))
    #expect(try await inFirstAsset("codec", "../wav").contains("codec"))
    for url in [
      "http://example.com/a.wav", "file:///etc/passwd", "https://user:pw@example.com/a", "../a",
      "/a.wav", "unix:///x",
    ] {
      #expect(try await inFirstAsset("url", url).contains("url"))
    }
  }

  /// Addresses in a manifest may be signed, wherever in it they stand.
  @Test func whatMayBeASecretIsInNoErrorAndNoEvent() async throws {
    let secret = "s3cr3t"
    let address = "https://example.com/a.wav?sig=\(secret)"
    for key in ["url", "sha256", "codec", "assetId", "itemId", "bytes", "sampleRate"] {
      for value in [address as Any, [address], ["a": address]] {
        #expect(
          try await !inFirstAsset(key, key == "url" && value is String ? "x" + address : value)
            .contains(secret), "\(key)")
      }
    }
    for text in [
      "{\"url\" \"\(address)\"}", "{} \"\(address)\"", "[\"\(address)\"]", "\(address)",
      "{\"packId\":\"\(address)\"}", "{\"packId\":\"\(pack.id)\",\"version\":\"\(address)\"}",
    ] {
      #expect(try await !refusal(of: Array(text.utf8)).contains(secret), "\(text)")
    }
    let log = try Program("bash", "-c", "zstd -dc \(library.directory.events)/*.zst").output
    #expect(!log.contains(secret))
  }

  @Test(arguments: [
    (404, "404"), (200, "text/html"), (500, "500"),
  ])
  func aManifestThatDoesNotCome(status: Int, words: String) async throws {
    server.script("/\(pack.manifestName)") { _ in
      .response(status: status, headers: ["Content-Type": "text/html"], body: Array("<p>".utf8))
    }
    let failure = await #expect(throws: DownloadFailure.self) { try await library.download(pack) }
    #expect(failure?.message.contains(words) == true)
    #expect(failure?.message.contains("manifest of pack \(pack.id)") == true)
    #expect(failure?.isResumable == (status == 500))
    #expect(try library.packEvents() == ["pack.download.failed"])
  }

  @Test func aManifestBehindAStatusLineThatIsNoneFailsAndCanBeResumed() async throws {
    server.script("/\(pack.manifestName)") { _ in .raw("HTTP/1.1 000 No\r\n\r\n") }
    let failure = await #expect(throws: DownloadFailure.self) { try await library.download(pack) }
    #expect(failure?.code == .network && failure?.isResumable == true)
    #expect(failure?.message.contains("the answer is not HTTP") == true)
    #expect(try library.packEvents() == ["pack.download.failed"])
    server.script("/\(pack.manifestName)", nil)
    try await library.download(pack)
    try await library.expectInstalled(pack)
  }

  @Test func aNumberThatNoLaterOneCanFollowIsRefused() async throws {
    for number in ["9007199254740992", "9223372036854775807", "1e30"] {
      let manifest = String(decoding: try pack.manifest(at: server.address), as: UTF8.self)
        .replacing(#/"version":\s*\d+/#, with: "\"version\":\(number)")
      let message = try await refusal(of: Array(manifest.utf8))
      #expect(message.contains("$.version: \(number) is too large"), "\(message)")
      #expect(message.contains("write a whole number from 1 to 9007199254740991"), "\(message)")
    }
    #expect(try await inFirstAsset("bytes", 1 << 53).contains("is too large"))
    #expect(try await inFirstAsset("sampleRate", Int64.max).contains("is too large"))
    #expect(try await inFirstAsset("channels", Int64.max).contains("is too large"))
  }

  /// A policy with which nothing would begin, or nothing end.
  @Test func aPolicyWithANumberThatIsNotAllowedIsRefused() async throws {
    for count in [0, -1, Int.max] {
      var policy = PackLibrary.policy
      policy.parallelAssets = count
      let error = await #expect(throws: DownloadPolicyError.self) {
        try await library.download(pack, policy: policy)
      }
      #expect(error?.property == "parallelAssets" && error?.value == "\(count)")
      #expect(error?.allowed == "1 to 1000")
    }
    #expect(try library.packEvents().isEmpty)
    #expect(server.requests.isEmpty)
    try await library.download(pack)
    try await library.expectInstalled(pack)
  }

  @Test func manifestsThatAreCutShortComeWholeTheNextTime() async throws {
    server.script("/\(pack.manifestName)") { [server, pack] request in
      let right = server.right(request)
      let isFirst = server.requests.filter { $0.path == "/\(pack.manifestName)" }.count == 1
      return isFirst ? right.broken(after: 50, by: .close) : right
    }
    try await library.download(pack)
    try await library.expectInstalled(pack)
  }

  @Test func anOlderManifestOrOtherContentOfTheSameVersionIsRefused() async throws {
    var second = pack
    second.version = 2
    server.publish(second)
    try await library.download(second)
    let events = try library.packEvents()
    for (version, words) in [(1, "version 2"), (2, "different content")] {
      var wrong = pack
      wrong.version = version
      wrong.assets[0].bytes = [UInt8](repeating: 0, count: 20_000)
      wrong.assets[0].sha256 = ServedPack.hash(wrong.assets[0].bytes)
      server.publish(wrong)
      let error = await #expect(throws: DocumentError.self) { try await library.download(wrong) }
      #expect(error?.description.contains(words) == true, "\(error as Any)")
    }
    // What is installed and whole stays what it is.
    #expect(try library.packEvents() == events)
    let state = try await library.state(of: second)
    #expect(state.state == .downloaded && state.installedVersion == 2 && state.version == 2)
    #expect(try library.files(in: "AudioAssets").count == 2)
    server.publish(second)
    #expect(try await library.download(second).wasInstalled)
    try await library.expectInstalled(second)
    try await library.expectReplays()
  }

  // MARK: Links

  @Test(arguments: [".staging", "AudioAssets", "staging/pack", "audio/pack", "part", "target"])
  func linksThatWerePlantedAreNotFollowed(place: String) async throws {
    let outside = try ScratchFolder()
    try outside.write("precious", to: "precious")
    let root = library.directory.path
    let staging = "\(root)/.staging"
    let audio = "\(root)/AudioAssets"
    let files = FileManager.default
    let name = "\(pack.assets[0].id).wav"
    let link: String
    switch place {
    case ".staging": link = staging
    case "AudioAssets": link = audio
    case "staging/pack": link = "\(staging)/\(pack.id)"
    case "audio/pack": link = "\(audio)/\(pack.id)"
    case "part": link = "\(staging)/\(pack.id)/\(name).part"
    default: link = "\(audio)/\(pack.id)/\(name)"
    }
    let isFile = place == "part" || place == "target"
    if place != ".staging", place != "AudioAssets" {
      try files.createDirectory(
        atPath: (link as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    }
    if isFile {
      // What lies in a folder of a pack that is not installed is swept before packs are worked on: the
      // link is planted behind that.
      try await library.manage { _, manager in
        try await manager.recover()
        try? files.removeItem(atPath: link)
        try files.createDirectory(
          atPath: (link as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try files.createSymbolicLink(
          atPath: link, withDestinationPath: outside.file("precious"))
        let download = try await manager.startDownload(packId: pack.uuid)
        let failure = await #expect(throws: DownloadFailure.self) { try await download.result() }
        #expect(failure?.code == .file)
        #expect(failure?.message.contains(name) == true, "\(failure as Any)")
      }
    } else {
      try files.createSymbolicLink(atPath: link, withDestinationPath: outside.path)
      let failure = await #expect(throws: DownloadFailure.self) { try await library.download(pack) }
      #expect(failure?.code == .file)
      #expect(failure?.message.contains("symbolic link") == true, "\(failure as Any)")
    }
    #expect(try ScratchFolder.contents(outside.path) == ["precious": Array("precious".utf8)])
    try? files.removeItem(atPath: link)
    try await library.download(pack)
    try await library.expectInstalled(pack)
    try await library.expectReplays()
  }

  @Test func deletingFollowsNoLinkAndLeavesWhatIsNotOurs() async throws {
    try await library.download(pack)
    let outside = try ScratchFolder()
    try outside.write("precious", to: "precious")
    let folder = "\(library.directory.path)/AudioAssets/\(pack.id)"
    let files = FileManager.default
    let first = "\(folder)/\(pack.assets[0].id).wav"
    try files.removeItem(atPath: first)
    try files.createSymbolicLink(atPath: first, withDestinationPath: outside.file("precious"))
    try Data("mine".utf8).write(to: URL(filePath: "\(folder)/notes.txt"))
    try await library.manage { catalog, manager in
      try await manager.deletePack(packId: pack.uuid)
      let findings = try await catalog.doctor.findings()
      #expect(findings.map(\.path) == ["AudioAssets/\(pack.id)/notes.txt"])
      #expect(findings.first?.remedy == "remove it by hand")
    }
    #expect(outside.exists("precious"))
    #expect(try library.files(in: "AudioAssets").keys.sorted() == ["\(pack.id)/notes.txt"])
  }

  // MARK: No room

  @Test(.enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"))
  func aFolderOnAnotherVolumeIsRefusedBeforeTheCommit() async throws {
    let audio = "\(library.directory.path)/AudioAssets"
    let volume = try MemoryVolume(at: audio, size: "10m")
    let failure = await #expect(throws: DownloadFailure.self) { try await library.download(pack) }
    let events = Result { try library.packEvents() }
    // Before anything throws: a volume outlives the test that mounted it.
    try volume.unmount()
    #expect(failure?.message.contains("a different volume") == true, "\(failure as Any)")
    #expect(!(try events.get().contains("pack.download.completed")))
    // What was fetched is used.
    #expect(try await library.download(pack).bytesReceived == 0)
    try await library.expectInstalled(pack)
  }

  @Test func whatIsStagedWholeNeedsNoRoom() async throws {
    server.script("/\(pack.assets[1].name)") { [server, pack] request in
      // Not before the other one is there.
      let isAlone = !server.requests.contains { $0.path == "/\(pack.assets[0].name)" }
      return .response(status: isAlone ? 500 : 404)
    }
    var policy = PackLibrary.policy
    policy.parallelAssets = 1
    await #expect(throws: DownloadFailure.self) {
      try await library.download(pack, policy: policy)
    }
    // By hand, as another attempt might have brought it.
    try Data(pack.assets[1].bytes).write(
      to: URL(
        filePath: "\(library.directory.path)/.staging/\(pack.id)/\(pack.assets[1].id).wav"))
    policy.reservedBytes = 1 << 52
    #expect(try await library.download(pack, policy: policy).bytesReceived == 0)
    try await library.expectInstalled(pack)
  }

  @Test func roomIsLookedAtFirst() async throws {
    var policy = PackLibrary.policy
    policy.reservedBytes = 1 << 52
    let failure = await #expect(throws: DownloadFailure.self) {
      try await library.download(pack, policy: policy)
    }
    #expect(failure?.code == .noSpace && failure?.isResumable == true)
    #expect(failure?.message.contains("25000 more bytes") == true)
    #expect(try library.packEvents() == ["manifest.applied", "pack.download.failed"])
    #expect(!server.requests.contains { $0.path.hasSuffix(".wav") })
    try await library.download(pack)
    try await library.expectInstalled(pack)
  }
}
