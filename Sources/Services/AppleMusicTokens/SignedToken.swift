import Foundation

/// A JSON web token: https://www.rfc-editor.org/rfc/rfc7519, signed with ES256 (RFC 7518, section 3.4).
enum SignedToken {
  private struct Header: Encodable {
    let alg = "ES256"
    let kid: String
    let typ = "JWT"
  }

  /// The key cannot sign.
  struct NoSignature: Error {}

  static func make(
    _ claims: DeveloperTokenClaims, keyID: String, key: ES256Key
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let parts = [try encoder.encode(Header(kid: keyID)), try encoder.encode(claims)]
    let signed = parts.map(base64URL).joined(separator: ".")
    guard let signature = key.signature(of: Array(signed.utf8)) else { throw NoSignature() }
    return "\(signed).\(base64URL(Data(signature)))"
  }

  /// RFC 4648, section 5, without padding.
  private static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
