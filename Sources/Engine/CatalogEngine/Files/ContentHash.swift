import CatalogModel
import Support

/// SHA-256 (FIPS 180-4) of bytes in memory, for keys and names that follow from a content.
public enum ContentHash {
  /// The 32 bytes of the hash.
  public static func bytes(of content: some Collection<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: content))
  }

  /// The hash as 64 lower-case hex digits, as `sha256sum` prints it.
  public static func hex(of content: some Collection<UInt8>) -> String {
    Hex.string(bytes(of: content))
  }
}
