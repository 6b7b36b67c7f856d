import CatalogModel

/// Reads seed documents of format 1, strictly: everything that needs no catalog is checked here.
///
/// The bytes go straight into `SeedDocument`, with no tree in between, so that a document of some
/// hundred thousand items costs little more than its items.
enum SeedDocumentReader {
  /// The only format there is.
  static let format: Int64 = 1

  /// Reads and checks a whole document.
  ///
  /// - Parameter file: What errors call the document.
  /// - Throws: `DocumentError` with all that is wrong; if the document is not JSON, or of another format, with that
  ///   alone.
  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> SeedDocument {
    try DocumentReader.read(bytes, file: file) { document in
      var parser = SeedParser(document: document)
      let seed = parser.seed()
      document = parser.document
      return seed
    }
  }
}

// The keys of a seed document, object by object. Keys of dimensions come from the registry instead.

enum SeedKey: String, CaseIterable {
  case format, seedId, revision, dimensions, music, packs
}

/// The keys of an entry in `music` and of one in a pack's `items`; the first have two more.
enum SeedItemKey: String, CaseIterable {
  case id, title, subtitle, duration, artworkUrl, isVisible, tags
  case appleMusicPlaylistId, useSnapshot

  var isOnlyForMusic: Bool { self == .appleMusicPlaylistId || self == .useSnapshot }
}

enum SeedPackKey: String, CaseIterable {
  case id, kind, title, description, artworkUrl, version, manifestUrl, items
}

/// The state of one reading: the reader, and which ids were seen.
struct SeedParser {
  var document: DocumentReader
  var itemIDs: Set<EntityID> = []
  var packIDs: Set<EntityID> = []
  var playlistIDs: Set<String> = []

  let keys = JSONKeyTable<SeedKey>(required: [.format, .seedId, .revision])
  let musicKeys = JSONKeyTable<SeedItemKey>(required: [.id, .title, .appleMusicPlaylistId])
  let itemKeys = JSONKeyTable<SeedItemKey>(required: [.id, .title])
  let packKeys = JSONKeyTable<SeedPackKey>(
    required: [.id, .kind, .title, .version, .manifestUrl])

  init(document: DocumentReader) {
    self.document = document
  }

  /// Nil if the document has a fault.
  mutating func seed() -> SeedDocument? {
    guard hasThisFormat() else { return nil }
    var seedID: String?
    var revision: Int64?
    var vocabularies = TagDimension.all.map { _ in [String]() }
    var music: [SeedDocument.Music] = []
    var packs: [SeedDocument.Pack] = []
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, keys) {
      switch key {
      case .format:
        _ = document.attempt { (json) throws(JSONError) in try json.readInt64() }
      case .seedId: seedID = document.text(TextRules.seedID)
      case .revision: revision = document.integer(atLeast: 1)
      case .dimensions: vocabularies = dimensions()
      case .music: music = musicEntries()
      case .packs: packs = packEntries()
      }
    }
    guard let seedID, let revision else { return nil }
    return SeedDocument(
      seedID: seedID, revision: revision, revisionPlace: .root(SeedKey.revision.rawValue),
      vocabularies: vocabularies, music: music, packs: packs)
  }

  /// Looks for `format` before anything else is judged: a document of another format would only
  /// bring errors that mislead.
  private mutating func hasThisFormat() -> Bool {
    // Faults of other values are noted by the reading afterwards, not by this one.
    var ahead = document
    guard var object = ahead.object() else { return true }
    while let key = ahead.next(in: &object, keys) {
      guard key == .format else {
        ahead.skip()
        continue
      }
      let start = ahead.nextOffset
      // What is not a number is a fault among others.
      guard let format = ahead.attempt({ (json) throws(JSONError) in try json.readInt64() }) else {
        return true
      }
      guard format == SeedDocumentReader.format else {
        document.note(
          .unsupportedFormat, at: start, "is a format that this release does not read",
          advice: "it reads format \(SeedDocumentReader.format)")
        return false
      }
      return true
    }
    return true
  }
}
