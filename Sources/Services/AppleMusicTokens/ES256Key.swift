import AppleMusic
import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import COpenSSL
#endif

/// The private key that signs developer tokens: of the curve P-256, for ES256 (RFC 7518, section 3.4).
struct ES256Key: Sendable {
  /// - Parameter file: in PEM: the `.p8` file that Apple gives out.
  /// - Throws: `tokenUnusable` if it cannot be read, or holds anything else.
  static func read(_ file: String) throws(AppleMusicError) -> ES256Key {
    let pem = try KeyFile.read(file)
    // What the library says of a bad key might show some of it.
    guard let key = ES256Key(pem: pem) else {
      throw AppleMusicError(
        .tokenUnusable,
        "the key file \(file) does not hold a private key for ES256 in PEM; name the .p8 file that Apple gave "
          + "you for the key")
    }
    return key
  }

  #if canImport(CryptoKit)
    private let key: P256.Signing.PrivateKey

    init?(pem: String) {
      guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
      self.key = key
    }

    /// - Returns: r and s, 32 bytes each; nil if the key cannot sign.
    func signature(of bytes: [UInt8]) -> [UInt8]? {
      (try? key.signature(for: Data(bytes))).map { Array($0.rawRepresentation) }
    }
  #else
    private let key: OpenSSLKey

    init?(pem: String) {
      guard let key = OpenSSLKey(pem: Array(pem.utf8)) else { return nil }
      self.key = key
    }

    /// - Returns: r and s, 32 bytes each; nil if the key cannot sign.
    func signature(of bytes: [UInt8]) -> [UInt8]? { key.signature(of: bytes) }
  #endif
}

#if !canImport(CryptoKit)
  /// A private key of P-256 in OpenSSL's hands. `@unchecked Sendable`: a key is only read once it is made.
  private final class OpenSSLKey: @unchecked Sendable {
    private static let curve = "prime256v1"
    private static let numberLength = 32

    private let key: OpaquePointer

    /// Returns nil for anything but a private key of P-256.
    init?(pem: [UInt8]) {
      // What is wrong with a key stays in a list of the thread's errors, and some of the key with it.
      defer { ERR_clear_error() }
      // The BIO keeps the address of the bytes: it lives within the closure that lends them.
      let read = pem.withUnsafeBytes { bytes -> OpaquePointer? in
        guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
        defer { BIO_free(text) }
        // Without a function that asks for one, OpenSSL would ask the terminal for a password.
        return PEM_read_bio_PrivateKey(text, nil, { _, _, _, _ in -1 }, nil)
      }
      guard let key = read else { return nil }
      var name = [CChar](repeating: 0, count: 64)
      guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
        name.prefix(while: { $0 != 0 }).map({ UInt8(bitPattern: $0) }).elementsEqual(
          Self.curve.utf8)
      else {
        EVP_PKEY_free(key)
        return nil
      }
      self.key = key
    }

    deinit {
      EVP_PKEY_free(key)
    }

    func signature(of bytes: [UInt8]) -> [UInt8]? {
      defer { ERR_clear_error() }
      guard let context = EVP_MD_CTX_new() else { return nil }
      defer { EVP_MD_CTX_free(context) }
      var length = 0
      guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
        EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
      else { return nil }
      var der = [UInt8](repeating: 0, count: length)
      guard EVP_DigestSign(context, &der, &length, bytes, bytes.count) == 1 else { return nil }
      return Self.numbers(of: Array(der.prefix(length)))
    }

    /// The two numbers of a signature in DER, one behind the other.
    private static func numbers(of der: [UInt8]) -> [UInt8]? {
      der.withUnsafeBufferPointer { bytes -> [UInt8]? in
        var start = bytes.baseAddress
        guard let signature = d2i_ECDSA_SIG(nil, &start, bytes.count) else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var numbers: [UInt8] = []
        for number in [ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)] {
          var padded = [UInt8](repeating: 0, count: numberLength)
          guard BN_bn2binpad(number, &padded, Int32(numberLength)) == numberLength else {
            return nil
          }
          numbers += padded
        }
        return numbers
      }
    }
  }
#endif
