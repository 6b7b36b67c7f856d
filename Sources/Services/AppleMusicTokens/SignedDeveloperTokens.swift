public import AppleMusic
import CatalogModel
public import Foundation

/// Makes developer tokens with a private key, and new ones before they end. Its description shows no secret.
///
/// The key file is read once, when this is made. A token serves every request until a tenth of its lifetime
/// is left, a minute at least, or the clock was put back before its beginning.
public actor SignedDeveloperTokens: DeveloperTokenSource {
  /// Apple takes no token that is good for longer: six months.
  public static let longestLifetime = Duration.seconds(15_777_000)
  private static let shortestLifetime = Duration.seconds(120)
  private static let smallestRest = 60

  private struct Token {
    var text: String
    var claims: DeveloperTokenClaims
  }

  private let key: ES256Key
  private let keyID: String
  private let teamID: String
  /// Seconds.
  private let lifetime: Int
  private let now: @Sendable () -> Date
  private var current: Token?

  /// - Parameters:
  ///   - keyFile: a private key for ES256 in PEM, the `.p8` file that Apple gives out. A regular file of at
  ///     most 16 KiB that group and others can do nothing with.
  ///   - keyID: the key's id: letters and digits.
  ///   - teamID: the id of the team in Apple's developer program: letters and digits.
  ///   - lifetime: of each token: from two minutes to `longestLifetime`; whole seconds count.
  ///   - now: the clock.
  /// - Throws: `AppleMusicError` with code `tokenUnusable`.
  public init(
    keyFile: String, keyID: String, teamID: String, lifetime: Duration = .seconds(12 * 3_600),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard Self.shortestLifetime...Self.longestLifetime ~= lifetime else {
      throw AppleMusicError(
        .tokenUnusable,
        "a developer token cannot be valid for \(lifetime.components.seconds) s; give it "
          + "\(Self.shortestLifetime.components.seconds) to "
          + "\(Self.longestLifetime.components.seconds) s")
    }
    for (name, id) in [("key id", keyID), ("team id", teamID)] where !Self.isID(id) {
      throw AppleMusicError(
        .tokenUnusable,
        "\"\(JSONExcerpt.printable(id))\" is not a \(name); write letters and digits, as Apple gave them"
      )
    }
    key = try ES256Key.read(keyFile)
    self.keyID = keyID
    self.teamID = teamID
    self.lifetime = Int(lifetime.components.seconds)
    self.now = now
  }

  /// - Throws: `AppleMusicError` with code `tokenUnusable` if the key cannot sign.
  public func token() throws -> String {
    let time = Int(now().timeIntervalSince1970.rounded(.down))
    let rest = max(lifetime / 10, Self.smallestRest)
    if let current, current.claims.iat <= time, current.claims.exp - time >= rest {
      return current.text
    }
    let claims = DeveloperTokenClaims(iss: teamID, iat: time, exp: time + lifetime)
    let text: String
    do {
      text = try SignedToken.make(claims, keyID: keyID, key: key)
    } catch {
      throw AppleMusicError(
        .tokenUnusable, "the key with id \(keyID) cannot sign a developer token; check its file")
    }
    current = Token(text: text, claims: claims)
    return text
  }

  private static func isID(_ text: String) -> Bool {
    1...64 ~= text.utf8.count
      && text.utf8.allSatisfy {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      }
  }
}

extension SignedDeveloperTokens: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public nonisolated var description: String { "developer tokens signed with the key \(keyID)" }
  public nonisolated var debugDescription: String { description }
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
