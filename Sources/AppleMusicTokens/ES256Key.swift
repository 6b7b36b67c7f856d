import AppleMusic
import Crypto
import Foundation

/// Reads the private key that signs developer tokens.
enum ES256Key {
  /// The object identifier of the curve P-256, 1.2.840.10045.3.1.7, in DER.
  private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

  /// - Parameter file: in PEM: the `.p8` file that Apple gives out.
  /// - Throws: `tokenUnusable` where it cannot be read, or holds anything else.
  static func read(_ file: String) throws(AppleMusicError) -> P256.Signing.PrivateKey {
    let pem = try KeyFile.read(file)
    // What the library says of a bad key might show some of it.
    guard namesCurve(pem), let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
      throw AppleMusicError(
        .tokenUnusable,
        "the key file \(file) holds no private key for ES256 in PEM; name the .p8 file that Apple gave "
          + "you for the key")
    }
    return key
  }

  /// The library takes any number of 256 bits for a key of P-256, a key of secp256k1 too (seen with
  /// swift-crypto 4.5.2), whose tokens nobody could verify.
  private static func namesCurve(_ pem: String) -> Bool {
    let lines = pem.split { $0.isNewline }.filter { !$0.hasPrefix("-----") }
    guard
      let der = Data(base64Encoded: lines.joined(), options: .ignoreUnknownCharacters)
    else { return false }
    return [UInt8](der).firstRange(of: curve) != nil
  }
}
