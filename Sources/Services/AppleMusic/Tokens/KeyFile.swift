import CatalogModel

/// Reads a file with a private key, which must be its owner's alone.
package enum KeyFile {
  /// Bytes; a key in PEM has some 250.
  private static let limit = 16 << 10

  /// - Throws: `tokenUnusable` if there is none, group or others may do anything with it, it is no
  ///   regular file (a pipe is not waited for), empty, or larger than 16 KiB.
  package static func read(_ path: String) throws(AppleMusicError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AppleMusicError(
        .tokenUnusable, "the name of the key file is empty or contains U+0000; check it")
    }
    let file: OpenedFile
    do throws(OpenedFile.Failure) {
      file = try OpenedFile(path)
    } catch {
      throw failure(path, "cannot be opened: \(error.reason)")
    }
    guard file.kind == .regular else { throw failure(path, "is not a regular file") }
    guard file.permissions & 0o077 == 0 else {
      throw AppleMusicError(
        .tokenUnusable,
        "the key file \(path) can be read by other users "
          + "(mode \(String(file.permissions, radix: 8))); run: chmod 600 \(path)")
    }
    guard 1...limit ~= file.size else {
      throw failure(path, "is empty or larger than \(limit) bytes")
    }
    let bytes: [UInt8]?
    do throws(OpenedFile.Failure) {
      bytes = try file.bytes()
    } catch {
      throw failure(path, "cannot be read: \(error.reason)")
    }
    guard let bytes else { throw failure(path, "changed while it was read") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func failure(_ path: String, _ what: String) -> AppleMusicError {
    AppleMusicError(
      .tokenUnusable,
      "the key file \(path) \(what); name the .p8 file that Apple gave you for the key")
  }
}
