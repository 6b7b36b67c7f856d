import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Hashing
import Recoveries

/// Writes databases into snapshots and brings them back.
enum SnapshotFile {
  private static let level: Int32 = 3
  private static let blockSize = 1 << 20

  /// Compresses a closed database into a new file.
  ///
  /// Not synced: whoever uses a snapshot holds it against its hash first.
  static func write(_ database: String, _ checkpoint: Checkpoint, to path: String) throws {
    let source = try FileHandle(forReadingFrom: URL(filePath: database))
    defer { try? source.close() }
    let length = try source.seekToEnd()
    try source.seek(toOffset: 0)
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw CatalogError(.directory, "cannot create \(path)")
    }
    let target = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? target.close() }
    // The header comes last, when the hash of what is behind it is known.
    try target.seek(toOffset: UInt64(SnapshotHeader.length))
    let compressor = try ZstdStreamCompressor(level: level, plainLength: length)
    var hash = SHA256()
    var isLast = false
    while !isLast {
      let block = try source.read(upToCount: blockSize) ?? Data()
      isLast = block.isEmpty
      try block.withUnsafeBytes { bytes in
        try compressor.compress(bytes, isLast: isLast) { stored in
          hash.update(bufferPointer: stored)
          try target.write(contentsOf: stored)
        }
      }
    }
    let header = SnapshotHeader(checkpoint, bytes: length, sha256: Hex.string(hash.finalize()))
    try target.seek(toOffset: 0)
    try target.write(contentsOf: header.frame())
  }

  static func header(of path: String) throws -> SnapshotHeader {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    return try SnapshotHeader.read(from: file)
  }

  /// Hands over the rest of a file, piece by piece. `FileHandle` reads a page at a time.
  private static func forEachBlock(
    of file: FileHandle, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 4_096)
    defer { buffer.deallocate() }
    while true {
      let count = read(file.fileDescriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw SnapshotFailure("it cannot be read: \(SystemError.current)")
      }
      guard count > 0 else { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// What is wrong with the stored bytes; nil if they have their hash.
  static func damage(of path: String) throws -> String? {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    let header = try SnapshotHeader.read(from: file)
    var hash = SHA256()
    try forEachBlock(of: file) { hash.update(bufferPointer: $0) }
    return Hex.string(hash.finalize()) == header.sha256
      ? nil : "its bytes do not match its hash"
  }

  /// Decompresses a snapshot into a new file, whose bytes are what its header says.
  ///
  /// - Throws: `SnapshotFailure` if they are not; then there is no file.
  static func extract(
    _ path: String, to database: String, until limit: TimeLimit? = nil
  ) throws -> SnapshotHeader {
    let source = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? source.close() }
    let header = try SnapshotHeader.read(from: source)
    guard FileManager.default.createFile(atPath: database, contents: nil) else {
      throw CatalogError(.directory, "cannot create \(database)")
    }
    do {
      let target = try FileHandle(forWritingTo: URL(filePath: database))
      defer { try? target.close() }
      let decompressor = try ZstdStreamDecompressor()
      var hash = SHA256()
      var length: UInt64 = 0
      try forEachBlock(of: source) { stored in
        try limit?.check()
        hash.update(bufferPointer: stored)
        try decompressor.decompress(stored) { plain in
          length += UInt64(plain.count)
          guard length <= header.bytes else {
            throw SnapshotFailure("it holds more than the \(header.bytes) bytes that it says")
          }
          try target.write(contentsOf: plain)
        }
      }
      guard decompressor.isComplete else { throw SnapshotFailure("it is truncated") }
      guard length == header.bytes, Hex.string(hash.finalize()) == header.sha256 else {
        throw SnapshotFailure("its bytes do not match its hash")
      }
      return header
    } catch {
      try? FileManager.default.removeItem(atPath: database)
      if let error = error as? EventLogError { throw SnapshotFailure(error.message) }
      throw error
    }
  }
}
