package import CatalogModel

/// Reads seed documents of format 1, strictly: everything that needs no catalog is checked here.
///
/// The bytes go straight into `SeedDocument`, with no tree in between, so that a document of some
/// hundred thousand items costs little more than its items.
package enum SeedDocumentReader {
  /// The only format there is.
  package static let format: Int64 = 1

  /// Reads and checks a whole document.
  ///
  /// - Parameter file: What errors call the document.
  /// - Throws: `DocumentError` for the first thing that is wrong; a syntax error anywhere comes
  ///   before every error of content.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, file: String
  ) throws(DocumentError) -> SeedDocument {
    guard !bytes.isEmpty else {
      throw DocumentError(
        code: .fileEmpty, file: file, offset: 0, line: 1, column: 1,
        message: "the document is empty", advice: "a seed document is one JSON object")
    }
    do throws(JSONError) {
      let reader = JSONReader(bytes)
      try reader.validate()
      var parser = SeedParser(json: reader)
      return try parser.document()
    } catch {
      throw DocumentError(error, in: bytes, file: file)
    }
  }

  package static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> SeedDocument {
    let result = bytes.withUnsafeBytes { bytes -> Result<SeedDocument, DocumentError> in
      do throws(DocumentError) {
        return .success(try read(bytes, file: file))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// The state of one reading: the reader, and which ids were seen.
struct SeedParser: DocumentParser {
  var json: JSONReader
  var itemIDs: Set<EntityID> = []
  var packIDs: Set<EntityID> = []
  var playlistIDs: Set<String> = []

  let keys = JSONKeyTable<SeedKey>()
  let itemKeys = JSONKeyTable<SeedItemKey>()
  let packKeys = JSONKeyTable<SeedPackKey>()

  init(json: JSONReader) {
    self.json = json
  }

  mutating func document() throws(JSONError) -> SeedDocument {
    try checkFormat()
    var seedID: String?
    var revision: Int64?
    var vocabularies = TagDimension.all.map { _ in [String]() }
    var music: [SeedDocument.Music] = []
    var packs: [SeedDocument.Pack] = []
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      switch try keys.require(key, in: json) {
      case .format: _ = try json.readInt64()
      case .seedId: seedID = try text(TextRules.seedID)
      case .revision: revision = try integer(atLeast: 1)
      case .dimensions: vocabularies = try dimensions()
      case .music: music = try musicEntries()
      case .packs: packs = try packEntries()
      }
    }
    guard let seedID else { throw missing(SeedKey.seedId, at: object.offset) }
    guard let revision else { throw missing(SeedKey.revision, at: object.offset) }
    return SeedDocument(
      seedID: seedID, revision: revision, revisionPlace: .root(SeedKey.revision.rawValue),
      vocabularies: vocabularies, music: music, packs: packs)
  }

  /// Looks for `format` before anything else is judged: a document of another format would only
  /// bring errors that mislead.
  private func checkFormat() throws(JSONError) {
    var json = json
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      guard keys.match(key, in: json) == .format else {
        try json.skipValue()
        continue
      }
      let start = json.nextOffset
      guard try json.readInt64() == SeedDocumentReader.format else {
        throw JSONError(
          .unsupportedFormat, at: start, "is a format that this release does not read",
          advice: "it reads format \(SeedDocumentReader.format)")
      }
      return
    }
    throw missing(SeedKey.format, at: object.offset)
  }
}
