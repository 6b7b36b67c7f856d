import CatalogModel
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import EventLog
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// Assets that came, went and changed with a manifest, in its report and in its event.
@Suite(
  .promise(
    "A manifest's report and its event name the assets that came, went and changed since the manifest before, "
      + "downloaded or not"))
struct ManifestAssetsTests {
  private let scratch: ScratchCatalog
  private let catalog: SoundLibrary

  init() async throws {
    scratch = try ScratchCatalog()
    catalog = try await scratch.open()
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
  }

  /// A manifest of assets by their numbers: the item of each, and its bytes.
  private static func manifest(
    _ version: Int, _ assets: KeyValuePairs<Int, (item: Int, bytes: Int)>, tags: String = "{}"
  ) -> ManifestSource {
    let list = assets.map { number, asset in
      """
      {"assetId":"\(TestSeed.id(5_000 + number))","itemId":"\(TestSeed.id(asset.item))","bytes":\(asset.bytes),
       "url":"https://example.com/\(number)","codec":"wav","tags":\(tags)}
      """
    }
    let text = """
      {"packId":"\(TestSeed.id(100))","version":\(version),"totalBytes":\(assets.reduce(0) { $0 + $1.value.bytes }),
       "assets":[\(list.joined(separator: ","))]}
      """
    return .bytes(Array(text.utf8), name: "pack.json")
  }

  private static func words(_ changes: ManifestReport.Changes?) -> String? {
    guard let changes else { return nil }
    func numbers(_ assets: [ManifestReport.Asset]) -> String {
      assets.map { "\(Int($0.id.uuidString.suffix(4), radix: 10)! - 5_000)" }.joined(separator: ",")
    }
    return "came \(numbers(changes.came)) went \(numbers(changes.went)) "
      + "changed \(numbers(changes.changed))"
  }

  private func applied() throws -> [ManifestApplied] {
    var events: [ManifestApplied] = []
    let replay = try ReplayAhead(catalog.log.reader) { SoundLibraryDecoder(about: EntityID.zero) }
    defer { replay.close() }
    while try replay.nextBatch({ block, range in
      for record in SoundLibraryBlock.of(block).records[range] {
        if case .manifestApplied(let event) = record.event { events.append(event) }
      }
    }) != nil {}
    return events
  }

  @Test func assetsThatWereNeverDownloadedAreCompared() async throws {
    let first = try await catalog.manifests.apply(
      Self.manifest(3, [1: (101, 10), 2: (102, 20)]))
    #expect(Self.words(first.changes) == "came 1,2 went  changed ")
    #expect(first.versionBefore == nil)
    let title = try await catalog.library.fetchItemDetail(
      itemId: #require(UUID(uuidString: TestSeed.id(101)))
    ).item.title
    #expect(first.changes?.came.first?.title == title)

    let source = Self.manifest(4, [2: (102, 21), 3: (103, 30)])
    let planned = try await catalog.manifests.planned(source)
    #expect(Self.words(planned.changes) == "came 3 went 1 changed 2")
    let second = try await catalog.manifests.apply(source)
    #expect(second.changes == planned.changes && second.versionBefore == 3)
    #expect(second.changes?.went.first?.title == title)
    let again = try await catalog.manifests.apply(source)
    #expect(again.events == 0 && Self.words(again.changes) == "came  went  changed ")

    let events = try applied()
    #expect(events.map { $0.listed?.count } == [2, 2])
    #expect(events[1].changes?.came.map(\.description) == [TestSeed.id(5_003)])
    #expect(events[1].changes?.went.map(\.asset.description) == [TestSeed.id(5_001)])
    #expect(events[1].changes?.changed.map(\.description) == [TestSeed.id(5_002)])
    let before = try await catalog.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before)
    #expect(try scratch.reduceInPython().status == 0)
  }

  /// Tags of an asset have events of their own.
  @Test func tagsAreNoChangeOfAnAsset() async throws {
    try await catalog.manifests.apply(Self.manifest(3, [1: (101, 10)]))
    let report = try await catalog.manifests.apply(
      Self.manifest(4, [1: (101, 10)], tags: #"{"moods":["Calm"]}"#))
    #expect(Self.words(report.changes) == "came  went  changed ")
  }

  /// A release without lists applied the manifest before.
  @Test func withoutAListAndWithoutFilesTheChangesAreUnknown() async throws {
    let pack = try #require(EntityID(TestSeed.id(100)))
    try catalog.change(by: "manifest:\(pack)") { _ in
      [
        .manifestApplied(
          ManifestApplied(
            pack: pack, version: 3, sha256: String(repeating: "a", count: 64), totalBytes: 10,
            assets: 1, tags: TagSet()))
      ]
    }
    let report = try await catalog.manifests.apply(Self.manifest(4, [1: (101, 10)]))
    #expect(report.changes == nil && report.versionBefore == 3)
    let event = try #require(try applied().last)
    #expect(event.changes == nil && event.listed?.count == 1)
    // The next one is compared with this one's list.
    let next = try await catalog.manifests.apply(Self.manifest(5, [1: (101, 10), 2: (102, 5)]))
    #expect(Self.words(next.changes) == "came 2 went  changed ")
  }

  /// A release without lists downloaded the version before: its files are the assets.
  @Test func withoutAListTheFilesOfADownloadedVersionAreCompared() async throws {
    let pack = try #require(EntityID(TestSeed.id(100)))
    func asset(_ number: Int, _ item: Int, _ bytes: Int64) throws -> PackDownloadCompleted.Asset {
      PackDownloadCompleted.Asset(
        asset: try #require(EntityID(TestSeed.id(5_000 + number))),
        item: try #require(EntityID(TestSeed.id(item))), url: "https://example.com/\(number)",
        path: "AudioAssets/\(pack)/\(number).wav", etag: nil,
        sha256: String(repeating: "b", count: 64), bytes: bytes, codec: "wav", sampleRate: nil,
        channels: nil, isLoopable: false)
    }
    try catalog.change(by: "download") { _ in
      [
        .manifestApplied(
          ManifestApplied(
            pack: pack, version: 3, sha256: String(repeating: "a", count: 64), totalBytes: 60,
            assets: 3, tags: TagSet())),
        .packDownloadStarted(
          PackDownloadStarted(pack: pack, version: 3, bytesTotal: 60, bytesDownloaded: 0)),
        .packDownloadCompleted(
          PackDownloadCompleted(
            pack: pack, version: 3, bytesTotal: 60,
            assets: [try asset(1, 101, 10), try asset(2, 102, 20), try asset(3, 103, 30)])),
      ]
    }
    let report = try await catalog.manifests.planned(
      Self.manifest(4, [4: (101, 10), 2: (102, 20), 3: (103, 31)]))
    #expect(Self.words(report.changes) == "came 4 went 1 changed 3")
  }

  /// A line of version 1 is read as if it had neither list nor changes.
  @Test func anEventOfVersion1IsLifted() throws {
    let line = #"""
      {"seq":7,"at":"2026-01-31T12:00:00.000Z","type":"manifest.applied","v":1,\#
      "op":"01234567-89ab-8cde-8123-456789abcdef","by":"cli","data":{"pack":"\#(TestSeed.id(100))",\#
      "version":3,"sha256":"aa","totalBytes":10,"assets":1,"tags":{}}}
      """#.replacing("\\\n", with: "")
    var decoder = SoundEventDecoder()
    let record = try decoder.decode(line: Array(line.utf8), expecting: 7)
    guard case .manifestApplied(let event) = record.event else {
      Issue.record("\(record)")
      return
    }
    #expect(event.assets == 1 && event.listed == nil && event.changes == nil)
    let spoilt = line.replacing(#""tags":{}"#, with: #""tags":{},"listed":null"#)
    #expect(throws: EventDecodingError.self) {
      var decoder = SoundEventDecoder()
      _ = try decoder.decode(line: Array(spoilt.utf8), expecting: 7)
    }
  }
}
