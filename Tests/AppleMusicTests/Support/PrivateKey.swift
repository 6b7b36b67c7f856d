import CatalogTestSupport
import Foundation
import Testing

/// A private key in a file of its own, made by `openssl` as Apple makes its `.p8` files.
final class PrivateKey: Sendable {
  let scratch: ScratchFolder
  /// In PEM (PKCS #8), readable by its owner alone.
  let file: String

  /// - Parameter curve: as `openssl ecparam` names it; `prime256v1` is the one of ES256.
  init(curve: String = "prime256v1") throws {
    scratch = try ScratchFolder()
    file = scratch.file("key.p8")
    try Self.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", scratch.file("sec1.pem"))
    try Self.run(
      "pkcs8", "-topk8", "-nocrypt", "-in", scratch.file("sec1.pem"), "-out", file)
    try setMode(0o600)
  }

  func setMode(_ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
  }

  /// Whether `openssl` takes a token's signature for one of this key.
  func verifies(_ token: Token) throws -> Bool {
    try Self.run("ec", "-in", file, "-pubout", "-out", scratch.file("public.pem"))
    try scratch.write(token.signed, to: "signed")
    try scratch.write(token.derSignature, to: "signature")
    let check = try Program(
      "openssl", "dgst", "-sha256", "-verify", scratch.file("public.pem"), "-signature",
      scratch.file("signature"), scratch.file("signed"))
    return check.status == 0 && check.output.contains("Verified OK")
  }

  private static func run(_ arguments: String...) throws {
    // `Program` takes its arguments one by one.
    let command = (["openssl"] + arguments).map { "'\($0)'" }.joined(separator: " ")
    let program = try Program("sh", "-c", command)
    try #require(program.status == 0, "openssl: \(program.errors)")
  }
}

/// A JSON Web Token, taken apart without any library for such.
struct Token {
  /// What the signature is for: header and claims as they are sent.
  let signed: String
  let header: [String: JSONScalar]
  let claims: [String: JSONScalar]
  /// The two halves of an ES256 signature, 32 bytes each.
  let signature: [UInt8]

  enum JSONScalar: Decodable, Hashable {
    case text(String)
    case number(Int)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    try #require(parts.count == 3)
    signed = "\(parts[0]).\(parts[1])"
    header = try JSONDecoder().decode([String: JSONScalar].self, from: Self.data(parts[0]))
    claims = try JSONDecoder().decode([String: JSONScalar].self, from: Self.data(parts[1]))
    signature = [UInt8](try Self.data(parts[2]))
    try #require(signature.count == 64)
  }

  /// The signature as `openssl` wants it: a sequence of two integers.
  var derSignature: [UInt8] {
    let body = Self.derInteger(signature[..<32]) + Self.derInteger(signature[32...])
    return [0x30, UInt8(body.count)] + body
  }

  /// An integer of DER has no needless zeros in front, and one zero if it would look negative.
  private static func derInteger(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }

  private static func data(_ base64URL: String) throws -> Data {
    var text = base64URL.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return try #require(Data(base64Encoded: text))
  }
}
