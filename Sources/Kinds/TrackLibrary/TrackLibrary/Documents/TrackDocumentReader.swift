public import CatalogEngine

/// Reads a file or a folder, of whatever format it is.
public enum TrackDocumentReader {
  /// Larger files are refused before anything of them is read.
  static let fileLimit = 512 << 20

  /// The most entries of a playlist: with more, the event that lists them may be longer than a line of the log may be.
  static let entryLimit = 1_000_000

  /// Reads files and folders that belong together: a playlist may have its pages in several of them.
  ///
  /// A folder is read with the folders in it. Its saved answers are a document of each format that is in it, its audio files
  /// are one, and each other document is one by itself; a file of it that is refused is left out, and is one of the remarks.
  ///
  /// - Parameters:
  ///   - places: files, plain or compressed by gzip or zstd, and folders; `-` is standard input, whose first line says its format.
  ///   - metadata: reads the tags of audio files; nil if they are called by their names.
  ///   - progress: called with how many files were read, of how many; for each place anew, on the thread that calls.
  /// - Returns: at least one document a place, in the order of the places.
  /// - Throws: `DocumentError` for the files that are refused, all of them at once, by file and place: those that are named
  ///   by themselves, and those of a folder of which no file can be used.
  public static func read(
    _ places: [any FilePlace], metadata: (any MetadataReader)? = nil,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(DocumentError) -> [TrackDocument] {
    var paths: [String] = []
    for place in places { paths.append(try place.filePath()) }
    var set = DocumentSet(paths)
    var errors: [DocumentError] = []
    for path in paths { set.read(path, metadata, progress, &errors) }
    if let error = DocumentError(joining: errors) { throw error }
    let documents = set.documents()
    for document in documents {
      try requireEntries(document, file: document.path, limit: entryLimit)
    }
    return documents
  }

  /// Reads one file, or one folder of one format.
  public static func read(
    _ place: some FilePlace, metadata: (any MetadataReader)? = nil,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(DocumentError) -> TrackDocument {
    let documents = try read([place], metadata: metadata, progress: progress)
    guard documents.count == 1 else {
      throw DocumentError(
        code: .unsupportedFormat, file: try place.filePath(),
        message: "the folder holds documents of \(documents.count) formats",
        advice: "read each by its own name")
    }
    return documents[0]
  }

  /// - Throws: `DocumentError` if a playlist has more than `limit` entries.
  static func requireEntries(
    _ document: TrackDocument, file: String, limit: Int
  ) throws(DocumentError) {
    for playlist in document.playlists where playlist.uris.count > limit {
      throw DocumentError(
        code: .invalidValue, file: file, path: "the playlist",
        value: "\"\(JSONExcerpt.printable(playlist.name ?? playlist.address))\"",
        message: "has \(playlist.uris.count) entries; the limit is \(limit)",
        advice: "make several playlists of it")
    }
  }
}
