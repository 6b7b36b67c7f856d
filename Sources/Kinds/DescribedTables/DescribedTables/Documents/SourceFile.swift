package import CatalogModel
import LibC
import Support

/// The bytes of a document: a file, plain or compressed by gzip or zstd, or bytes in memory such as standard input or a version
/// of a file; or a copy of a database of SQLite.
///
/// Compression is recognised by the first bytes, not by the name.
package struct SourceFile: Sendable {
  /// The name in errors and reports: the path as the caller gave it.
  package let name: String
  /// Bytes of the file as it lies on the disk.
  package let size: Int
  /// The time at which the file was changed last; nil if the bytes are not a file's.
  package let modified: Timestamp?
  package let compression: DocumentCompression
  private let content: Content

  private enum Content: Sendable {
    case file(path: String)
    case database(DatabaseCopy)
    case bytes([UInt8])
  }

  /// Compressed files may have this many bytes when they are decompressed: 2 GiB.
  package static let plainLimit = DocumentFile.sizeLimit

  /// Looks at a file without reading all of it.
  ///
  /// - Parameter name: in errors, and for its ending, if the file does not have its own name yet.
  /// - Throws: `DocumentError`, as `DocumentFile.load`.
  package init(_ path: String, named name: String? = nil) throws(DocumentError) {
    let file = try DocumentFile.open(path)
    guard file.size > 0 else {
      throw DocumentError(code: .fileEmpty, file: path, message: "the file is empty")
    }
    let beginning: [UInt8]
    do throws(OpenedFile.Failure) {
      beginning = try file.beginning(16)
    } catch {
      throw DocumentFile.failure(path, error)
    }
    self.name = name ?? path
    if beginning == DatabaseCopy.mark {
      let copy = try DatabaseCopy(path)
      size = copy.size
      modified = copy.modified
      compression = .none
      content = .database(copy)
      return
    }
    try Self.requireTable(beginning, self.name)
    size = file.size
    modified = file.modified
    compression = DocumentCompression(of: beginning)
    content = .file(path: path)
  }

  /// Formats of other programs that tables are mistaken for, by their first bytes in small letters.
  private static let otherFormats: [(mark: [UInt8], name: String)] = [
    (Array("pk\u{3}\u{4}".utf8), "a ZIP archive, as an Excel workbook is one"),
    ([0xD0, 0xCF, 0x11, 0xE0], "a document of an older Office program"),
    (Array("%pdf-".utf8), "a PDF"), (Array("\u{7F}elf".utf8), "a program"),
    (Array("<!doctype".utf8), "a page of HTML"), (Array("<html".utf8), "a page of HTML"),
  ]

  /// - Throws: `DocumentError` with `unsupportedFormat` for the beginning of a file of another format.
  private static func requireTable(
    _ beginning: [UInt8], _ name: String
  ) throws(DocumentError) {
    let small = beginning.prefix(16).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    guard let other = otherFormats.first(where: { small.starts(with: $0.mark) }) else { return }
    throw DocumentError(
      code: .unsupportedFormat, file: name, message: "this is \(other.name), not a table",
      advice: "save the table as CSV or JSON")
  }

  /// Takes bytes that the caller has, as those of standard input.
  package init(name: String, bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.isEmpty else {
      throw DocumentError(code: .fileEmpty, file: name, message: "the document is empty")
    }
    try Self.requireTable(bytes, name)
    self.name = name
    size = bytes.count
    modified = nil
    compression = DocumentCompression(of: bytes)
    content = .bytes(bytes)
  }

  /// Takes a version of a file that a repository keeps. It may be a database.
  ///
  /// - Parameters:
  ///   - name: of the version, in errors and in the log.
  ///   - modified: the time from which on the file had these bytes.
  package init(version name: String, bytes: [UInt8], modified: Timestamp) throws(DocumentError) {
    guard !bytes.isEmpty else {
      throw DocumentError(code: .fileEmpty, file: name, message: "the file is empty")
    }
    self.name = name
    size = bytes.count
    self.modified = modified
    if bytes.starts(with: DatabaseCopy.mark) {
      compression = .none
      content = .database(try DatabaseCopy(of: bytes, name: name, modified: modified))
    } else {
      compression = DocumentCompression(of: bytes)
      content = .bytes(bytes)
    }
  }

  /// Reads standard input to its end.
  package static func standardInput() throws(DocumentError) -> SourceFile {
    try SourceFile(
      name: DocumentFile.standardInputName, bytes: DocumentFile.standardInput(limit: plainLimit))
  }

  /// Whether the document is a database of SQLite.
  package var isDatabase: Bool { database != nil }

  /// The copy of a database of SQLite; nil if the document is another one.
  var database: DatabaseCopy? {
    if case .database(let copy) = content { copy } else { nil }
  }

  /// Whether a file begins as databases of SQLite do; false if it cannot be read.
  package static func isDatabase(_ path: String) -> Bool {
    do {
      return try DocumentFile.open(path).beginning(16) == DatabaseCopy.mark
    } catch {
      return false
    }
  }

  /// Whether a database could not be read only because its program wrote to it all the time.
  package static func isChanging(_ error: any Error) -> Bool {
    (error as? DocumentError).map { DatabaseCopy.isChanging($0) } ?? false
  }

  /// The refusal of a file that has to be a database.
  package var notADatabase: DocumentError {
    DocumentError(
      code: .unsupportedFormat, file: name, message: "it is not an SQLite database",
      advice: compression == .none
        ? "a database that is encrypted has to be decrypted by its program"
        : "it is compressed by \(compression.rawValue); decompress it first")
  }

  /// The SHA-256 of the bytes as they lie on the disk, as `sha256sum` prints it.
  package func sha256() throws(DocumentError) -> String {
    if let database { return database.sha256 }
    let bytes = try SourceBytes(self)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { room.deallocate() }
    while try bytes.read(into: room) > 0 {}
    return bytes.sha256
  }

  /// All bytes, decompressed.
  package func plainBytes() throws(DocumentError) -> (bytes: [UInt8], sha256: String) {
    let source = try SourceBytes(self)
    // A compressed file is larger when it is plain.
    let plain = try source.plain(compression).all(expecting: compression == .none ? size : 4 * size)
    return (plain, source.sha256)
  }

  /// The bytes of a file in pieces, which are hashed on the way.
  func opened() throws(DocumentError) -> OpenedContent {
    switch content {
    case .bytes(let bytes): .bytes(bytes)
    case .file(let path): .file(OpenedSource(try DocumentFile.open(path)))
    case .database(let copy): .file(OpenedSource(try DocumentFile.open(copy.path)))
    }
  }

  enum OpenedContent {
    case bytes([UInt8])
    case file(OpenedSource)
  }

  /// An opened file as an object, which the reader of its pieces owns.
  final class OpenedSource {
    let file: OpenedFile

    init(_ file: consuming OpenedFile) { self.file = file }
  }
}

/// Reads the bytes of a source as they lie on the disk, and hashes them.
final class SourceBytes {
  let name: String
  private let content: SourceFile.OpenedContent
  private let expectedSize: Int
  private var offset = 0
  private var hash = SHA256()
  private var isChecked = false

  init(_ source: SourceFile) throws(DocumentError) {
    name = source.name
    expectedSize = source.size
    content = try source.opened()
  }

  /// Reads the next bytes; 0 at the end.
  ///
  /// - Throws: `DocumentError` if the file cannot be read, or if another process changed it meanwhile.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int {
    let length: Int
    switch content {
    case .bytes(let bytes):
      length = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
      }
    case .file(let source):
      do throws(OpenedFile.Failure) {
        length = try source.file.read(at: offset, into: buffer)
      } catch {
        throw DocumentFile.failure(name, error)
      }
      if length == 0, !isChecked {
        isChecked = true
        guard offset == expectedSize, source.file.size == expectedSize, source.file.isUnchanged
        else { throw DocumentFile.changed(name) }
      }
    }
    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<length]))
    offset += length
    return length
  }

  /// The bytes without the compression.
  func plain(_ compression: DocumentCompression) throws(DocumentError) -> PlainBytes {
    try PlainBytes(name, compression, limit: SourceFile.plainLimit) {
      (buffer) throws(DocumentError) -> Int in try self.read(into: buffer)
    }
  }

  /// The SHA-256 of what was read so far.
  var sha256: String { Hex.string(hash.finalize()) }
}
