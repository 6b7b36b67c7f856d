import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// Manifests: what is accepted, what is refused, and where their tags go.
@Suite(
  .promise(
    "Manifests are refused as a whole; their tags reach facets, filters and items that "
      + "join the pack later"))
struct ManifestImporterTests {
  private struct Manifest: Encodable {
    struct Asset: Encodable {
      var assetId = TestSeed.id(5_001)
      var itemId = TestSeed.id(101)
      var url = "https://example.com/a.aac"
      var sha256: String? = String(repeating: "Ab", count: 32)
      var bytes = 100
      var codec = "aac"
      var sampleRate: Int? = 48_000
      var channels: Int? = 2
      var loopable: Bool? = true
      var tags: [String: [String]]?
    }

    var packId = TestSeed.id(100)
    var version = 3
    var totalBytes = 100
    var tags: [String: [String]]?
    var assets = [Asset()]

    var source: ManifestSource {
      get throws { .bytes(Array(try JSONEncoder().encode(self)), name: "pack.json") }
    }
  }

  private let scratch: ScratchCatalog
  private let catalog: SoundLibrary
  private let item = UUID(uuidString: TestSeed.id(101))!
  private let pack = UUID(uuidString: TestSeed.id(100))!

  init() async throws {
    scratch = try ScratchCatalog()
    catalog = try await scratch.open()
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
  }

  private func tags(_ number: Int, _ dimension: TagDimension) async throws -> [String: [String]] {
    let id = try #require(UUID(uuidString: TestSeed.id(number)))
    let detail = try await catalog.library.fetchItemDetail(itemId: id)
    var tags: [String: [String]] = [:]
    for tag in detail.dimensions.first(where: { $0.dimension == dimension })?.tags ?? [] {
      tags[tag.value.name] = tag.sources
    }
    return tags
  }

  private func expectReplays() async throws {
    let before = try await catalog.receipt()
    let reducer = try scratch.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output) \(reducer.errors)")
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before)
  }

  @Test(
    """
    Packs can introduce new tag values; those tags appear in facets and can be used in filters without \
    app update.
    """)
  func newValuesAreInFacetsAndFiltersAtOnce() async throws {
    var manifest = Manifest()
    manifest.tags = ["moods": ["Weightless"]]
    manifest.assets[0].tags = [
      "locations": ["Space Elevator"], "themes": ["Zero G"], "creatureTypes": ["Robot"],
    ]
    let report = try await catalog.manifests.apply(manifest.source)
    #expect(report.events == 6)
    let facets = try await catalog.facets.facetCounts(kind: .sfx)
    for (dimension, name, count) in [
      (TagDimension.locations, "Space Elevator", 1), (.moods, "Weightless", 3),
      (.sfxThemes, "Zero G", 1), (.creatureTypes, "Robot", 1),
    ] {
      let facet = try #require(facets[dimension].first { $0.value.name == name })
      #expect(facet.count == count, "\(name)")
      var filters = Filters()
      filters[dimension] = [facet.value.id]
      #expect(
        try await catalog.library.countItems(kind: .sfx, filters: filters) == count, "\(name)")
    }
    let source = "manifest:\(TestSeed.id(100))"
    #expect(
      try await tags(101, .locations) == ["Forest": ["seed:test"], "Space Elevator": [source]])
    let detail = try await catalog.packs.packDetail(packId: pack)
    #expect(detail.pack.version == 3)
    #expect(detail.pack.state == .notDownloaded)
    try await expectReplays()
  }

  @Test func aSeedUpdateKeepsWhatAManifestSaid() async throws {
    var manifest = Manifest()
    manifest.assets[0].tags = ["locations": ["Hell"]]
    try await catalog.manifests.apply(manifest.source)
    var seed = TestSeed.sample(revision: 2)
    seed.packs[0].items[0].tags["locations"] = []
    try await catalog.importer.applyUpdates(seed.source)
    #expect(try await tags(101, .locations) == ["Hell": ["manifest:\(TestSeed.id(100))"]])
    // The seed still says version 1.
    #expect(try await catalog.packs.packDetail(packId: pack).pack.version == 3)
    try await expectReplays()
  }

  @Test func tagsOfTheWholePackReachItemsThatJoinItLater() async throws {
    var manifest = Manifest()
    manifest.tags = ["moods": ["Slimy"]]
    try await catalog.manifests.apply(manifest.source)
    let source = "pack:\(TestSeed.id(100))"
    #expect(try await tags(103, .moods) == ["Slimy": [source]])
    var seed = TestSeed.sample(revision: 2)
    seed.packs[0].items.append(TestSeed.sound(110))
    try await catalog.importer.applyUpdates(seed.source)
    #expect(try await tags(110, .moods) == ["Slimy": [source]])
    // And follow a merge.
    let slimy = try await catalog.vocabulary.value(named: "Slimy", in: .moods)
    let ominous = try await catalog.vocabulary.value(named: "Ominous", in: .moods)
    try await catalog.tags.merge(slimy.id, into: ominous.id, in: .moods)
    seed.revision = 3
    seed.packs[0].items.append(TestSeed.sound(111))
    try await catalog.importer.applyUpdates(seed.source)
    #expect(try await tags(111, .moods) == ["Ominous": [source]])
    try await expectReplays()
  }

  @Test func aNewerManifestReplacesWhatTheOlderSaid() async throws {
    var manifest = Manifest()
    manifest.tags = ["moods": ["Slimy"]]
    manifest.assets[0].tags = ["locations": ["Hell"]]
    try await catalog.manifests.apply(manifest.source)
    manifest.version = 4
    manifest.tags = nil
    manifest.assets[0].itemId = TestSeed.id(102)
    try await catalog.manifests.apply(manifest.source)
    #expect(try await tags(101, .locations).keys.sorted() == ["Forest"])
    #expect(try await tags(102, .locations).keys.sorted() == ["Forest", "Hell"])
    #expect(try await tags(101, .moods).isEmpty)
    try await expectReplays()
  }

  @Test func theSameManifestAppendsNothingWhateverItsSignatures() async throws {
    var manifest = Manifest()
    manifest.assets[0].url += "?signature=one"
    try await catalog.manifests.apply(manifest.source)
    let head = try scratch.head
    manifest.assets[0].url = "https://example.com/a.aac?signature=two#part"
    #expect(try await catalog.manifests.apply(manifest.source).events == 0)
    #expect(try scratch.head == head)
    let log = try Program(
      "sh", "-c", "zstd -dcq \(scratch.directory.events)/*.zst | grep -c signature")
    #expect(log.output == "0\n")
  }

  @Test func unknownKeysAreReportedAndIgnored() async throws {
    let json = """
      {"packId":"\(TestSeed.id(100))","version":3,"totalBytes":5,"later":{"a":[1]},
       "assets":[{"assetId":"\(TestSeed.id(5_001))","itemId":"\(TestSeed.id(101))","bytes":5,
        "url":"http://127.0.0.1:8080/a","codec":"wav","loudness":-12.5}]}
      """
    let report = try await catalog.manifests.apply(.bytes(Array(json.utf8), name: "pack.json"))
    #expect(report.ignoredKeys == ["$.later", "$.assets[0].loudness"])
  }

  /// Each change makes the manifest wrong in one way.
  private static let faults:
    [(name: String, path: String, change: @Sendable (inout Manifest) -> Void)] =
      [
        ("another pack", "$.packId", { $0.packId = TestSeed.id(999) }),
        ("no UUID", "$.packId", { $0.packId = "../../etc" }),
        (
          "an item of another pack", "$.assets[0].itemId",
          { $0.assets[0].itemId = TestSeed.id(301) }
        ),
        ("no item", "$.assets[0].itemId", { $0.assets[0].itemId = "x" }),
        (
          "an asset twice", "$.assets[1].assetId",
          {
            $0.assets.append(Manifest.Asset(itemId: TestSeed.id(102)))
            $0.totalBytes = 200
          }
        ),
        (
          "an item twice", "$.assets[1].itemId",
          {
            $0.assets.append(Manifest.Asset(assetId: TestSeed.id(5_002)))
            $0.totalBytes = 200
          }
        ),
        (
          "a number of bytes that is none", "$.assets[0].bytes",
          {
            $0.assets[0].bytes = .max
            $0.assets.append(
              Manifest.Asset(assetId: TestSeed.id(5_002), itemId: TestSeed.id(102), bytes: .max))
          }
        ),
        ("no bytes", "$.assets[0].bytes", { $0.assets[0].bytes = 0 }),
        ("a short hash", "$.assets[0].sha256", { $0.assets[0].sha256 = "abcd" }),
        (
          "no hex", "$.assets[0].sha256",
          {
            $0.assets[0].sha256 = String(repeating: "g", count: 64)
          }
        ),
        (
          "more bytes than may be counted", "$.assets[1].bytes",
          {
            $0.assets[0].bytes = 9_007_199_254_740_991
            $0.assets.append(
              Manifest.Asset(assetId: TestSeed.id(5_002), itemId: TestSeed.id(102), bytes: 1))
          }
        ),
        ("a blank codec", "$.assets[0].codec", { $0.assets[0].codec = " " }),
        ("a path as a codec", "$.assets[0].codec", { $0.assets[0].codec = "../x" }),
        ("a file", "$.assets[0].url", { $0.assets[0].url = "file:///etc/passwd" }),
        ("a socket", "$.assets[0].url", { $0.assets[0].url = "unix:/run/x.sock" }),
        ("plain http", "$.assets[0].url", { $0.assets[0].url = "http://example.com/a" }),
        ("a user", "$.assets[0].url", { $0.assets[0].url = "https://me:secret@example.com/a" }),
        (
          "nearly this machine", "$.assets[0].url",
          {
            $0.assets[0].url = "http://127.0.0.1.example.com/a"
          }
        ),
        ("a dimension that sfx does not have", "$.tags.playlists", { $0.tags = ["playlists": []] }),
        ("a blank tag", "$.assets[0].tags.moods[0]", { $0.assets[0].tags = ["moods": [" "]] }),
        ("version 0", "$.version", { $0.version = 0 }),
      ]

  @Test(arguments: faults.indices)
  func whatIsWrongIsRefusedWhole(index: Int) async throws {
    let fault = Self.faults[index]
    var manifest = Manifest()
    fault.change(&manifest)
    let head = try scratch.head
    let error = await #expect(throws: DocumentError.self) {
      try await catalog.manifests.apply(manifest.source)
    }
    #expect(error?.path == fault.path, "\(fault.name): \(String(describing: error))")
    #expect(error.map { !"\($0)".contains("secret") } == true)
    #expect(try scratch.head == head)
  }

  @Test func theSumOfTheAssetsCounts() async throws {
    var manifest = Manifest()
    let sum = manifest.totalBytes
    manifest.totalBytes = sum - 1
    let report = try await catalog.manifests.apply(manifest.source)
    #expect(
      report.remarks == [
        "$.totalBytes says \(sum - 1), and the assets have \(sum) bytes, which count"
      ])
    // The same bytes are the same content, whatever sum a manifest names.
    manifest.totalBytes = sum
    let again = try await catalog.manifests.apply(manifest.source)
    #expect(again.events == 0 && again.remarks.isEmpty, "\(again)")
  }

  @Test(arguments: [
    ("MP3", "mp3", "mp3"), ("AMR-WB", "amr-wb", "audio"), ("exe", "exe", "audio"),
  ])
  func aCodecIsAnyText(text: String, name: String, fileExtension: String) async throws {
    let codec = try #require(AudioCodec(text))
    #expect(codec.name == name && codec.fileExtension == fileExtension)
    #expect(PackFolders.isOurs("\(TestSeed.id(1)).\(fileExtension)"))
    var manifest = Manifest()
    manifest.assets[0].codec = text
    #expect(try await catalog.manifests.apply(manifest.source).outcome == .applied)
  }

  @Test func aDryRunChangesNothing() async throws {
    let head = try scratch.head
    let manifest = Manifest()
    let planned = try await catalog.manifests.planned(manifest.source)
    #expect(try scratch.head == head)
    #expect(planned.events > 0 && planned.sequence == head?.sequence)
    let applied = try await catalog.manifests.apply(manifest.source)
    #expect(applied.events == planned.events && applied.assets == planned.assets)
    #expect(try await catalog.manifests.planned(manifest.source).outcome == .unchanged)
  }

  @Test func olderOnesAndOtherContentUnderTheSameVersionAreRefused() async throws {
    var manifest = Manifest()
    try await catalog.manifests.apply(manifest.source)
    let head = try scratch.head
    manifest.assets[0].bytes = 101
    manifest.totalBytes = 101
    for version in [3, 2] {
      manifest.version = version
      let error = await #expect(throws: DocumentError.self) {
        try await catalog.manifests.apply(manifest.source)
      }
      #expect(error?.code == .conflict)
      #expect(error?.path == "$.version")
    }
    #expect(try scratch.head == head)
  }

  @Test func whatIsNoManifestIsRefused() async throws {
    let large = [UInt8](repeating: 0x20, count: (4 << 20) + 1)
    for (bytes, code) in [
      ([], DocumentError.Code.fileEmpty), (Array("{".utf8), .invalidJSON),
      (Array("[]".utf8), .wrongType), (Array("{}".utf8), .missingKey), (large, .fileTooLarge),
      (Array(#"{"packId":"a","packId":"b"}"#.utf8), .duplicateKey),
    ] {
      let error = await #expect(throws: DocumentError.self) {
        try await catalog.manifests.apply(.bytes(bytes, name: "pack.json"))
      }
      let faults = error.map { [$0] + $0.furtherFaults } ?? []
      #expect(faults.contains { $0.code == code })
    }
  }

  /// Faults are listed in the document's order, whatever the order in which the reader finds them.
  @Test func everyFaultOfAManifestIsListed() async throws {
    let text = """
      {"version":0,"totalBytes":1,"tags":{"mood":[]},"assets":[
       {"assetID":"\(TestSeed.id(5_001))","itemId":"\(TestSeed.id(101))","url":"ftp://secret","bytes":0,
        "codec":" ","tags":{"moods":[" "]}},
       {"assetId":"\(TestSeed.id(5_001))","itemId":"\(TestSeed.id(101))","url":["https://secret"],
        "bytes":2,"codec":"aac","sampleRate":"48000","loopable":1}],
       "packId":"\(TestSeed.id(100))"}
      """
    let head = try scratch.head
    let error = try #require(
      await #expect(throws: DocumentError.self) {
        try await catalog.manifests.apply(.bytes(Array(text.utf8), name: "pack.json"))
      })
    #expect(
      ([error] + error.furtherFaults).map { "\($0.code) \($0.path ?? "")" } == [
        "invalidValue $.version", "unknownKey $.tags.mood", "unknownKey $.assets[0].assetID",
        "invalidValue $.assets[0].url", "invalidValue $.assets[0].bytes",
        "invalidValue $.assets[0].codec", "invalidValue $.assets[0].tags.moods[0]",
        "duplicateValue $.assets[1].itemId", "wrongType $.assets[1].url",
        "wrongType $.assets[1].sampleRate",
      ])
    #expect(error.unlistedFaults == 1)
    #expect("\(error)".contains("did you mean \"assetId\"?"))
    #expect(!"\(error)".contains("secret"))
    #expect(try scratch.head == head)
  }

  @Test func everyItemThatIsNotInThePackIsListed() async throws {
    var manifest = Manifest()
    manifest.assets = (0..<12).map { number in
      var asset = Manifest.Asset()
      asset.assetId = TestSeed.id(5_001 + number)
      asset.itemId = TestSeed.id(9_001 + number)
      return asset
    }
    manifest.totalBytes = 1_200
    let error = try #require(
      await #expect(throws: DocumentError.self) {
        try await catalog.manifests.apply(manifest.source)
      })
    #expect(
      ([error] + error.furtherFaults).map(\.path) == (0..<10).map { "$.assets[\($0)].itemId" })
    #expect(error.unlistedFaults == 2)
  }

  /// Tags of a pack that the catalog does not have cannot be judged, and are not called wrong.
  @Test func aPackThatIsNotKnownIsOneFault() async throws {
    var manifest = Manifest()
    manifest.packId = TestSeed.id(999)
    manifest.tags = ["whatever": []]
    let error = await #expect(throws: DocumentError.self) {
      try await catalog.manifests.apply(manifest.source)
    }
    #expect(error?.faultCount == 1)
    #expect(error?.code == .conflict)
  }
}
