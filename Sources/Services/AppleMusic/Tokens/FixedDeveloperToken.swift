import CatalogModel
package import Foundation

/// A developer token that somebody made elsewhere. Its description does not show it.
public struct FixedDeveloperToken: DeveloperTokenSource {
  private let text: String
  private let expiry: Date?
  private let now: @Sendable () -> Date

  /// - Throws: `AppleMusicError` with code `tokenUnusable` if it can be no token, or is over.
  public init(_ token: String) throws {
    try self.init(token, now: { Date() })
  }

  package init(_ token: String, now: @escaping @Sendable () -> Date) throws {
    expiry = try DeveloperTokenText.expiry(of: token).map(Date.init(timeIntervalSince1970:))
    text = token
    self.now = now
    try checkExpiry()
  }

  /// - Throws: `AppleMusicError` with code `tokenUnusable` if it is over by now.
  public func token() async throws -> String {
    try checkExpiry()
    return text
  }

  private func checkExpiry() throws(AppleMusicError) {
    guard let expiry, expiry <= now() else { return }
    // A Timestamp's text takes the years 0000 to 9999, and so moves what is beyond them.
    let range = Timestamp.range
    let milliseconds = expiry.timeIntervalSince1970 * 1_000
    let since = Timestamp(
      milliseconds: Int64(
        min(max(milliseconds, Double(range.lowerBound)), Double(range.upperBound))))
    throw AppleMusicError(
      .tokenUnusable, "the developer token expired at \(since); create a new one")
  }
}

extension FixedDeveloperToken: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "a ready developer token" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

@available(*, deprecated, renamed: "FixedDeveloperToken")
public typealias ReadyDeveloperToken = FixedDeveloperToken
