import LibC
import Support

/// Reads a document's file as a whole.
///
/// The bytes are read into memory rather than mapped: a file that another process rewrites while it
/// is being parsed must not change under the parser.
public enum DocumentFile {
  /// Larger files are refused before anything is allocated: 2 GiB.
  public static let sizeLimit = 2 << 30

  /// All bytes of a file. Blocks the thread: call it in `Blocking.run`.
  ///
  /// A file that is compressed by gzip or zstd is decompressed. Of a file that should be JSON and cannot be by its first
  /// character, only its beginning is read and given: the parser refuses it there, and says so.
  ///
  /// - Parameters:
  ///   - limit: the most bytes, compressed and not.
  ///   - isJSON: false for a document of another format.
  /// - Throws: `DocumentError` if there is no such file, or it is a folder, no regular file (a
  ///   pipe is not waited for), not readable, empty, or larger than `limit` bytes.
  public static func load(
    _ path: String, limit: Int = sizeLimit, isJSON: Bool = true
  ) throws(DocumentError) -> [UInt8] {
    let file = try open(path)
    guard file.size <= limit else {
      throw failure(
        .fileTooLarge, path, "the file has \(file.size) bytes", "the limit is \(limit)")
    }
    guard file.size > 0 else {
      throw failure(
        .fileEmpty, path, "the file is empty", isJSON ? "a document is one JSON object" : nil)
    }
    let bytes: [UInt8]?
    let compression: DocumentCompression
    do throws(OpenedFile.Failure) {
      let beginning = try file.beginning(beginningLength)
      compression = DocumentCompression(of: beginning)
      let isRefused = isJSON && compression == .none && cannotBeJSON(beginning)
      bytes = isRefused ? beginning : try file.bytes()
    } catch {
      throw failure(path, error)
    }
    guard let bytes else { throw changed(path) }
    return try plain(bytes, path, limit: limit)
  }

  /// Reads standard input to its end, and decompresses it if it is compressed. Blocks the thread.
  ///
  /// - Parameter limit: the most bytes, compressed and not.
  /// - Throws: `DocumentError` if it cannot be read, is empty, or larger than `limit` bytes.
  public static func loadStandardInput(
    limit: Int = sizeLimit
  ) throws(DocumentError) -> [UInt8] {
    try plain(standardInput(limit: limit), standardInputName, limit: limit)
  }

  /// Reads standard input to its end. Blocks the thread.
  ///
  /// - Returns: the bytes as they come, compressed or not.
  package static func standardInput(limit: Int = sizeLimit) throws(DocumentError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let length = piece.withUnsafeMutableBytes {
        LibC.read(STDIN_FILENO, $0.baseAddress, $0.count)
      }
      if length < 0, errno == EINTR { continue }
      guard length >= 0 else {
        throw failure(
          .fileUnreadable, standardInputName, "it cannot be read: \(SystemError.words(for: errno))",
          nil)
      }
      if length == 0 { break }
      guard bytes.count + length <= limit else {
        throw failure(
          .fileTooLarge, standardInputName, "there are more than \(limit) bytes",
          "save the document to a file first")
      }
      bytes += piece[..<length]
    }
    guard !bytes.isEmpty else {
      throw failure(.fileEmpty, standardInputName, "the document is empty", nil)
    }
    return bytes
  }

  /// The name of standard input in errors and reports.
  public static let standardInputName = "standard input"

  /// Decompresses a document, if it is compressed.
  package static func plain(
    _ bytes: [UInt8], _ name: String, limit: Int = sizeLimit
  ) throws(DocumentError) -> [UInt8] {
    let compression = DocumentCompression(of: bytes)
    guard compression != .none else { return bytes }
    func decompressed() throws(DocumentError) -> PlainBytes {
      var rest = bytes[...]
      return try PlainBytes(name, compression, limit: limit) {
        (buffer) throws(DocumentError) -> Int in
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
    // Twice, so that a small file that would be a large document is refused before anything is allocated for it.
    let length = try decompressed().forEachPiece { _ in }
    return try decompressed().all(expecting: length)
  }

  /// Opens a regular file, to be read in pieces.
  ///
  /// - Throws: `DocumentError` if there is no such file, or it is a folder, no regular file or not readable.
  package static func open(_ path: String) throws(DocumentError) -> OpenedFile {
    guard !path.utf8.contains(0) else {
      throw failure(.fileMissing, path, "no file can have this name", "it holds U+0000")
    }
    let file: OpenedFile
    do throws(OpenedFile.Failure) {
      file = try OpenedFile(path)
    } catch {
      throw failure(path, error)
    }
    switch file.kind {
    case .regular: return file
    case .directory:
      throw failure(.fileIsDirectory, path, "this is a folder", "name a file in it")
    case .other:
      throw failure(
        .fileNotRegular, path, "this is not a regular file",
        "save the document to a file first, or give it as standard input")
    }
  }

  /// The error of a file that another process wrote while it was read.
  package static func changed(_ path: String) -> DocumentError {
    failure(
      .fileUnreadable, path, "the file changed while it was read", "try again when it is complete")
  }

  private static let beginningLength = 64 << 10

  /// Whether the first byte that is not white space begins no value of RFC 8259.
  private static func cannotBeJSON(_ bytes: [UInt8]) -> Bool {
    // The parser says something about a byte order mark.
    let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]]
    if marks.contains(where: { bytes.starts(with: $0) }) { return false }
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let first = text.first else { return false }
    for literal in ["true", "false", "null"] where literal.utf8.first == first {
      return !text.starts(with: literal.utf8)
    }
    return !Array("{[\"-0123456789".utf8).contains(first)
  }

  /// The error of a file that could not be opened or read.
  package static func failure(_ path: String, _ error: OpenedFile.Failure) -> DocumentError {
    switch error.number {
    case ENOENT, ENOTDIR:
      failure(.fileMissing, path, "the file does not exist", "check the name and the folder")
    case EACCES, EPERM:
      failure(.fileUnreadable, path, "this user may not read the file", "check its permissions")
    case EISDIR:
      failure(.fileIsDirectory, path, "this is a folder", "name a file in it")
    default:
      failure(
        .fileUnreadable, path, "the file cannot be read: \(error.reason)", nil)
    }
  }

  private static func failure(
    _ code: DocumentError.Code, _ path: String, _ message: String, _ advice: String?
  ) -> DocumentError {
    DocumentError(code: code, file: path, message: message, advice: advice)
  }
}
