import CatalogModel

/// Reads the manifests of packs: the brief's contract, its keys exactly.
enum ManifestDocumentReader {
  /// Larger manifests are refused before anything is allocated: 4 MiB.
  static let sizeLimit = 4 << 20

  /// Reads and checks a whole manifest.
  ///
  /// - Parameters:
  ///   - file: what errors call the document.
  ///   - kindOfPack: the kind of a pack of the catalog; nil for one that it does not have. What `themes`
  ///     means depends on it.
  /// - Throws: `DocumentError` with all that is wrong.
  static func read(
    _ bytes: [UInt8], file: String, kindOfPack: (EntityID) -> Kind?
  ) throws(DocumentError) -> ManifestDocument {
    guard bytes.count <= sizeLimit else {
      throw DocumentError(
        code: .fileTooLarge, file: file, message: "the manifest has \(bytes.count) bytes",
        advice: "the limit is \(sizeLimit)")
    }
    do throws(DocumentError) {
      let rules = DocumentReader.Rules(refusesUnknownKeys: false)
      return try DocumentReader.read(bytes, file: file, rules: rules) { document in
        var parser = ManifestParser(document: document)
        let manifest = parser.manifest(kindOfPack)
        document = parser.document
        return manifest
      }
    } catch {
      throw error.withoutAddresses
    }
  }
}

extension DocumentError {
  /// A manifest has signed links, and errors are kept in the log: what may be a piece of an address is not shown.
  fileprivate var withoutAddresses: DocumentError {
    var error = self
    if let value, !value.allSatisfy(isPlain) { error.value = nil }
    error.furtherFaults = furtherFaults.map(\.withoutAddresses)
    return error
  }
}

private func isPlain(_ character: Character) -> Bool {
  character.isLetter || character.isNumber || " .-_\"".contains(character)
}

private enum ManifestKey: String, CaseIterable {
  case packId, version, totalBytes, assets, tags
}

private enum ManifestAssetKey: String, CaseIterable {
  case assetId, itemId, url, sha256, bytes, codec, sampleRate, channels, loopable, tags
}

private struct ManifestParser {
  var document: DocumentReader
  private var assetIDs: Set<EntityID> = []
  private var itemIDs: Set<EntityID> = []
  /// The sum of the assets' bytes.
  private var sum: Int64 = 0

  private let keys = JSONKeyTable<ManifestKey>(
    required: [.packId, .version, .totalBytes, .assets])
  private let assetKeys = JSONKeyTable<ManifestAssetKey>(
    required: [.assetId, .itemId, .url, .bytes, .codec])

  init(document: DocumentReader) {
    self.document = document
  }

  /// Nil if the document has a fault.
  mutating func manifest(_ kindOfPack: (EntityID) -> Kind?) -> ManifestDocument? {
    let kind = kind(kindOfPack)
    var packID: EntityID?
    var version: Int64?
    var stated: Int64?
    var tags = TagSet()
    var assets: [ManifestDocument.Asset] = []
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, keys) {
      switch key {
      case .packId: packID = self.packID(kind)
      case .version: version = document.integer(atLeast: 1)
      case .totalBytes: stated = document.integer(atLeast: 0)
      case .assets: assets = self.assets(of: kind)
      case .tags: tags = self.tags(of: kind)
      }
    }
    guard let packID, let version, let stated else { return nil }
    return ManifestDocument(
      packID: packID, version: version, totalBytes: sum, statedBytes: stated, tags: tags,
      assets: assets, ignoredKeys: document.ignoredKeys)
  }

  /// Looks for the pack first: keys come in any order, and what tags mean depends on the pack's kind.
  private func kind(_ kindOfPack: (EntityID) -> Kind?) -> Kind? {
    // Faults are noted by the reading afterwards, not by this one.
    var ahead = document
    guard var object = ahead.object() else { return nil }
    while let key = ahead.next(in: &object, keys) {
      if key == .packId { return ahead.id().flatMap(kindOfPack) }
      ahead.skip()
    }
    return nil
  }

  private mutating func packID(_ kind: Kind?) -> EntityID? {
    let start = document.nextOffset
    guard let id = document.id() else { return nil }
    if kind == nil {
      document.note(
        .conflict, at: start, "is not a pack of this catalog",
        advice: "import a seed that lists the pack first")
    }
    return id
  }

  private mutating func assets(of kind: Kind?) -> [ManifestDocument.Asset] {
    var assets: [ManifestDocument.Asset] = []
    guard var array = document.elements() else { return assets }
    while document.hasNext(in: &array) {
      if let asset = asset(of: kind) { assets.append(asset) }
    }
    return assets
  }

  private mutating func asset(of kind: Kind?) -> ManifestDocument.Asset? {
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
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, assetKeys) {
      switch key {
      case .assetId: assetID = document.id(unique: &assetIDs, of: "asset")
      case .itemId: itemID = document.id(unique: &itemIDs, of: "asset's item")
      case .url: address = self.address()
      case .sha256: sha256 = hash()
      case .bytes:
        let start = document.nextOffset
        bytes = document.integer(atLeast: 1)
        if let bytes { add(bytes, at: start) }
      case .codec: codec = self.codec()
      case .sampleRate: sampleRate = document.optionalInteger(atLeast: 1)
      case .channels: channels = document.optionalInteger(atLeast: 1)
      case .loopable: isLoopable = document.optionalFlag() ?? false
      case .tags: tags = self.tags(of: kind)
      }
    }
    guard let assetID, let itemID, let address, let bytes, let codec else { return nil }
    return ManifestDocument.Asset(
      assetID: assetID, itemID: itemID, address: address, sha256: sha256, bytes: bytes,
      codec: codec, sampleRate: sampleRate, channels: channels, isLoopable: isLoopable, tags: tags)
  }

  // MARK: Values

  private mutating func add(_ bytes: Int64, at offset: Int) {
    // A number beyond it is a fault already.
    guard bytes <= NumberRules.greatest else { return }
    sum += bytes
    guard sum > NumberRules.greatest else { return }
    document.note(
      .invalidValue, at: offset, "is more than all assets may have together",
      advice: "they may have \(NumberRules.greatest) bytes")
    sum = NumberRules.greatest
  }

  /// - Parameter kind: nil if the pack is not known: then tags cannot be judged.
  private mutating func tags(of kind: Kind?) -> TagSet {
    guard let kind, !document.null() else {
      if kind == nil { document.skip() }
      return TagSet()
    }
    return document.tags(of: kind)
  }

  /// Errors do not show the address: its query may be a signature.
  private mutating func address() -> DownloadAddress? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    do throws(TextProblem) {
      return try DownloadAddress(text)
    } catch {
      document.note(
        .invalidValue, at: start, showsValue: false, "the address " + error.message,
        advice: error.advice)
      return nil
    }
  }

  private mutating func codec() -> AudioCodec? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    guard let codec = AudioCodec(text) else {
      document.note(
        .invalidValue, at: start, "is not the name of a codec",
        advice: "write at most 64 letters, digits, spaces and . _ + -, a letter or digit first")
      return nil
    }
    return codec
  }

  private mutating func hash() -> String? {
    if document.null() { return nil }
    let start = document.nextOffset
    guard let text = document.string()?.lowercased() else { return nil }
    guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isHexDigit) else {
      document.note(
        .invalidValue, at: start, "is not a SHA-256",
        advice: "write 64 hexadecimal digits, or null")
      return nil
    }
    return text
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
  }
}
