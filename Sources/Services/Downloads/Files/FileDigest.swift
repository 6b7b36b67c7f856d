import CatalogModel
import Support

/// SHA-256 of files.
package enum FileDigest {
  /// Blocks.
  ///
  /// - Parameter isStopped: asked now and then; where it says so, `CancellationError` is thrown.
  /// - Returns: 64 lower-case hex digits and the length; nil if there is no such file.
  package static func digest(
    of name: String, in folder: FolderHandle, isStopped: () -> Bool = { false }
  ) throws -> (sha256: String, bytes: Int64)? {
    guard let file = try folder.openFile(name, isMade: false) else { return nil }
    var hash = SHA256()
    let bytes = try read(file, upTo: .max, into: &hash, isStopped: isStopped)
    return (Hex.string(hash.finalize()), bytes)
  }

  /// Reads a file from its start into a hash; how many bytes those were.
  static func read(
    _ file: OpenFile, upTo limit: Int64, into hash: inout SHA256,
    isStopped: () -> Bool = { false }
  ) throws -> Int64 {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
    defer { buffer.deallocate() }
    var done: Int64 = 0
    while done < limit {
      if isStopped() { throw CancellationError() }
      let wanted = Int(min(Int64(buffer.count), limit - done))
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: done)
      if count == 0 { break }
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      done += Int64(count)
    }
    return done
  }
}
