package import CatalogModel
import LibC
import Support

/// The bytes of a document: a file, plain or compressed by gzip or zstd, or bytes in memory such as standard input or a version
/// of a file; or a copy of a database of SQLite.
///
/// Compression is recognised by the first bytes, not by the name. Neither RFC 4180, JSON nor any text in UTF-8, UTF-16 or
/// windows-1252 begins with them.
package struct SourceFile: Sendable {
  package enum Compression: String, Sendable {
    case none, gzip, zstd
  }

  /// The name in errors and reports: the path as the caller gave it.
  package let name: String
  /// Bytes of the file as it lies on the disk.
  package let size: Int
  /// The time at which the file was changed last; nil if the bytes are not a file's.
  package let modified: Timestamp?
  package let compression: Compression
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
  /// - Throws: `DocumentError`, as `DocumentFile.load`.
  package init(_ path: String) throws(DocumentError) {
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
    name = path
    if beginning == DatabaseCopy.mark {
      let copy = try DatabaseCopy(path)
      size = copy.size
      modified = copy.modified
      compression = .none
      content = .database(copy)
      return
    }
    size = file.size
    modified = file.modified
    compression = Self.compression(beginning)
    content = .file(path: path)
  }

  /// Takes bytes that the caller has, as those of standard input.
  package init(name: String, bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.isEmpty else {
      throw DocumentError(code: .fileEmpty, file: name, message: "the document is empty")
    }
    self.name = name
    size = bytes.count
    modified = nil
    compression = Self.compression(bytes)
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
      compression = Self.compression(bytes)
      content = .bytes(bytes)
    }
  }

  /// Reads standard input to its end.
  package static func standardInput() throws(DocumentError) -> SourceFile {
    let name = "standard input"
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let length = piece.withUnsafeMutableBytes {
        LibC.read(STDIN_FILENO, $0.baseAddress, $0.count)
      }
      if length < 0, errno == EINTR { continue }
      guard length >= 0 else {
        throw DocumentError(
          code: .fileUnreadable, file: name,
          message: "it cannot be read: \(SystemError.words(for: errno))")
      }
      if length == 0 { break }
      guard bytes.count + length <= plainLimit else {
        throw DocumentError(
          code: .fileTooLarge, file: name, message: "there are more than \(plainLimit) bytes",
          advice: "save the document to a file first")
      }
      bytes += piece[..<length]
    }
    return try SourceFile(name: name, bytes: bytes)
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
    let plain = try PlainBytes(source, compression)
    var bytes: [UInt8] = []
    // A compressed file is larger when it is plain; the array grows then.
    bytes.reserveCapacity(compression == .none ? size + 1 : 4 * size)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { room.deallocate() }
    while case let length = try plain.read(into: room), length > 0 {
      bytes.append(contentsOf: room[..<length])
    }
    return (bytes, source.sha256)
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

  private static func compression(_ bytes: [UInt8]) -> Compression {
    if bytes.starts(with: [0x1F, 0x8B]) { return .gzip }
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
    return .none
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

  /// The SHA-256 of what was read so far.
  var sha256: String { Hex.string(hash.finalize()) }
}
