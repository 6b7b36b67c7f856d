import CatalogModel
import Foundation

/// The text of a developer token: a JSON Web Token (RFC 7519), three parts in base64url.
///
/// No error here shows any of it.
enum DeveloperTokenText {
  /// UTF-8 bytes; Apple's have some 200.
  private static let limit = 8_192

  /// The token, if it may stand in a header. Whether it is a token is for the API to say.
  ///
  /// - Throws: `tokenUnusable`.
  static func sendable(_ token: String) throws(AppleMusicError) -> String {
    guard 1...limit ~= token.utf8.count, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw AppleMusicError(
        .tokenUnusable,
        "the developer token is empty, longer than \(limit) bytes, or holds white space or other "
          + "characters that a token cannot have; create a new one")
    }
    return token
  }

  /// Refuses what is not three parts in base64url (RFC 4648, section 5) without padding.
  ///
  /// - Returns: its expiry in seconds since 1970; nil if it tells none.
  /// - Throws: `tokenUnusable`.
  static func expiry(of token: String) throws(AppleMusicError) -> Double? {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard token.utf8.count <= limit, parts.count == 3,
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isBase64URL) })
    else {
      throw AppleMusicError(
        .tokenUnusable,
        "this is not a developer token: it must have three parts of letters, digits, - and _, with dots "
          + "between them, and no white space; copy it again")
    }
    guard let claims = object(parts[1]), case .number(let seconds)? = claims["exp"] else {
      return nil
    }
    return Double(seconds)
  }

  /// The JSON in a part of a token; nil if there is none.
  private static func object(_ part: Substring.UTF8View) -> JSONValue? {
    var base64 = part.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
    guard let json = Data(base64Encoded: Data(base64)) else { return nil }
    return try? JSONValue.parse([UInt8](json))
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }
}
