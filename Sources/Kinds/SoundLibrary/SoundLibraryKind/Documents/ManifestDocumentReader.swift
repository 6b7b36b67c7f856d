package import CatalogModel

/// Reads the manifests of packs: the brief's contract, its keys exactly.
package enum ManifestDocumentReader {
  /// Larger manifests are refused before anything is allocated: 4 MiB.
  package static let sizeLimit = 4 << 20

  /// Reads and checks a whole manifest.
  ///
  /// - Parameters:
  ///   - file: what errors call the document.
  ///   - kindOfPack: the kind of a pack of the catalog; nil for one that it does not have. What `themes`
  ///     means depends on it.
  /// - Throws: `DocumentError` for the first thing that is wrong.
  package static func read(
    _ bytes: [UInt8], file: String, kindOfPack: (EntityID) -> Kind?
  ) throws(DocumentError) -> ManifestDocument {
    guard bytes.count <= sizeLimit else {
      throw DocumentError(
        code: .fileTooLarge, file: file, message: "the manifest has \(bytes.count) bytes",
        advice: "the limit is \(sizeLimit)")
    }
    guard !bytes.isEmpty else {
      throw DocumentError(
        code: .fileEmpty, file: file, message: "the manifest is empty",
        advice: "a manifest is one JSON object")
    }
    let result = bytes.withUnsafeBytes { bytes -> Result<ManifestDocument, DocumentError> in
      do throws(JSONError) {
        let reader = JSONReader(bytes)
        try reader.validate()
        var parser = ManifestParser(json: reader)
        var document = try parser.document(kindOfPack)
        document.ignoredKeys = parser.ignored.map { JSONPath.text(at: $0, in: bytes) }
        return .success(document)
      } catch {
        var error = DocumentError(error, in: bytes, file: file)
        // A manifest holds signed links, and errors are kept in the log: whatever may be a piece of an
        // address is not shown.
        if let value = error.value, !value.allSatisfy(isPlain) { error.value = nil }
        return .failure(error)
      }
    }
    return try result.get()
  }
}

private func isPlain(_ character: Character) -> Bool {
  character.isLetter || character.isNumber || " .-_\"".contains(character)
}

private enum ManifestKey: String, CaseIterable {
  case packId
  case version
  case totalBytes
  case assets
  case tags
}

private enum ManifestAssetKey: String, CaseIterable {
  case assetId
  case itemId
  case url
  case sha256
  case bytes
  case codec
  case sampleRate
  case channels
  case loopable
  case tags
}

private struct ManifestParser: DocumentParser {
  var json: JSONReader
  private var assetIDs: Set<EntityID> = []
  private var itemIDs: Set<EntityID> = []
  private var packIDs: Set<EntityID> = []
  /// Offsets of keys that are not known here.
  private(set) var ignored: [Int] = []

  private let keys = JSONKeyTable<ManifestKey>()
  private let assetKeys = JSONKeyTable<ManifestAssetKey>()

  init(json: JSONReader) {
    self.json = json
  }

  mutating func document(
    _ kindOfPack: (EntityID) -> Kind?
  ) throws(JSONError) -> ManifestDocument {
    let (packID, kind) = try pack(kindOfPack)
    var version: Int64?
    var total: (bytes: Int64, offset: Int)?
    var tags = TagSet()
    var assets: [ManifestDocument.Asset]?
    var object = try json.openObject()
    while let text = try json.nextKey(in: &object) {
      switch keys.match(text, in: json) {
      case .packId: try json.skipValue()
      case .version: version = try integer(atLeast: 1)
      case .totalBytes:
        let offset = json.nextOffset
        total = (try integer(atLeast: 0), offset)
      case .assets: assets = try self.assets(of: kind)
      case .tags: tags = try json.readNull() ? TagSet() : try self.tags(of: kind)
      case nil: try ignore(text)
      }
    }
    guard let version else { throw missing(ManifestKey.version, at: object.offset) }
    guard let total else { throw missing(ManifestKey.totalBytes, at: object.offset) }
    guard let assets else { throw missing(ManifestKey.assets, at: object.offset) }
    try check(total.bytes, at: total.offset, is: assets)
    return ManifestDocument(
      packID: packID, version: version, totalBytes: total.bytes, tags: tags, assets: assets,
      ignoredKeys: [])
  }

  /// Looks for the pack first: keys come in any order, and what tags mean depends on the pack's kind.
  private mutating func pack(
    _ kindOfPack: (EntityID) -> Kind?
  ) throws(JSONError) -> (EntityID, Kind) {
    var parser = self
    var object = try parser.json.openObject()
    while let text = try parser.json.nextKey(in: &object) {
      guard keys.match(text, in: parser.json) == .packId else {
        try parser.json.skipValue()
        continue
      }
      let start = parser.json.nextOffset
      let id = try parser.entityID(\.packIDs, what: "pack")
      guard let kind = kindOfPack(id) else {
        throw JSONError(
          .conflict, at: start, "is not a pack of this catalog",
          advice: "import a seed that lists the pack first")
      }
      return (id, kind)
    }
    throw missing(ManifestKey.packId, at: object.offset)
  }

  private func check(
    _ total: Int64, at offset: Int, is assets: [ManifestDocument.Asset]
  ) throws(JSONError) {
    var sum: Int64 = 0
    var isTooLarge = false
    for asset in assets {
      let (next, overflow) = sum.addingReportingOverflow(asset.bytes)
      sum = next
      isTooLarge = isTooLarge || overflow
    }
    guard !isTooLarge, sum == total else {
      throw JSONError(
        .invalidValue, at: offset,
        "is not the sum of the assets"
          + (isTooLarge ? "" : ", \(sum)"),
        advice: "write the sum of all \"bytes\"")
    }
  }

  private mutating func assets(of kind: Kind) throws(JSONError) -> [ManifestDocument.Asset] {
    var assets: [ManifestDocument.Asset] = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) { assets.append(try asset(of: kind)) }
    return assets
  }

  private mutating func asset(of kind: Kind) throws(JSONError) -> ManifestDocument.Asset {
    var assetID: EntityID?
    var itemID: EntityID?
    var address: DownloadAddress?
    var sha256: String?
    var bytes: Int64?
    var codec: AudioCodec?
    var sampleRate: Int64?
    var channels: Int64?
    var isLoopable = false
    var tags = TagSet()
    var object = try json.openObject()
    while let text = try json.nextKey(in: &object) {
      switch assetKeys.match(text, in: json) {
      case .assetId: assetID = try entityID(\.assetIDs, what: "asset")
      case .itemId: itemID = try entityID(\.itemIDs, what: "asset's item")
      case .url: address = try self.address()
      case .sha256: sha256 = try hash()
      case .bytes: bytes = try integer(atLeast: 1)
      case .codec: codec = try self.codec()
      case .sampleRate: sampleRate = try optionalInteger(atLeast: 1)
      case .channels: channels = try optionalInteger(atLeast: 1)
      case .loopable: isLoopable = try json.readNull() ? false : try json.readBool()
      case .tags: tags = try json.readNull() ? TagSet() : try self.tags(of: kind)
      case nil: try ignore(text)
      }
    }
    guard let assetID else { throw missing(ManifestAssetKey.assetId, at: object.offset) }
    guard let itemID else { throw missing(ManifestAssetKey.itemId, at: object.offset) }
    guard let address else { throw missing(ManifestAssetKey.url, at: object.offset) }
    guard let bytes else { throw missing(ManifestAssetKey.bytes, at: object.offset) }
    guard let codec else { throw missing(ManifestAssetKey.codec, at: object.offset) }
    return ManifestDocument.Asset(
      assetID: assetID, itemID: itemID, address: address, sha256: sha256, bytes: bytes,
      codec: codec, sampleRate: sampleRate, channels: channels, isLoopable: isLoopable, tags: tags)
  }

  // MARK: Values

  private mutating func ignore(_ key: JSONText) throws(JSONError) {
    ignored.append(key.offset)
    try json.skipValue()
  }

  private mutating func optionalInteger(atLeast bound: Int64) throws(JSONError) -> Int64? {
    try json.readNull() ? nil : try integer(atLeast: bound)
  }

  /// Errors do not show the address: its query may be a signature.
  private mutating func address() throws(JSONError) -> DownloadAddress {
    let start = json.nextOffset
    let text = try json.readString()
    do throws(TextProblem) {
      return try DownloadAddress(text)
    } catch {
      throw JSONError(
        .invalidValue, at: start, showsValue: false, "the address " + error.message,
        advice: error.advice)
    }
  }

  private mutating func hash() throws(JSONError) -> String? {
    if try json.readNull() { return nil }
    let start = json.nextOffset
    let text = try json.readString().lowercased()
    guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isHexDigit) else {
      throw JSONError(
        .invalidValue, at: start, "is not a SHA-256", advice: "write 64 hexadecimal digits, or null"
      )
    }
    return text
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
  }

  private mutating func codec() throws(JSONError) -> AudioCodec {
    let start = json.nextOffset
    let name = try json.readString()
    guard let codec = AudioCodec.named(name) else {
      throw JSONError(
        .invalidValue, at: start, "is an unknown codec",
        advice: NearMiss.advice(for: name, among: AudioCodec.all.map(\.name)))
    }
    return codec
  }
}
