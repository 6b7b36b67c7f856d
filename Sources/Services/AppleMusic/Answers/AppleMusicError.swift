/// Why Apple Music could not be asked, or what it answered is of no use.
///
/// The message names what, where and what to do. It holds no token and no query of any address.
public struct AppleMusicError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// 401: the developer token is wrong or too old.
    case tokenRefused
    /// 403: the key may not use Apple Music, or the user did not agree.
    case forbidden
    /// 404 and 410 with the API's error document: gone, or the storefront lacks it.
    case notFound
    /// 429 time and again, or with a longer pause than is waited for.
    case rateLimited
    /// 5xx time and again, or with a longer pause than is waited for.
    case serverFailed
    /// The server cannot be reached, breaks off or is too slow, time and again.
    case network
    /// 400 and other 4xx; an id or a storefront that cannot be one, for which nothing is sent.
    case invalidRequest
    /// Another content type or document than was asked for, no JSON, too much of it, or a 404 that is not
    /// the API's.
    case unexpectedContent
    /// A base address, a redirect or a next page to which no token may be sent.
    case unsafeAddress
    /// The caller has no client to ask with.
    case noService
    /// There is no token to send: the key file, or a token that cannot be one.
    case tokenUnusable
  }

  /// One entry of the API's error document. Texts are as the API gives them, in NFC.
  public struct Item: Hashable, Sendable {
    /// The HTTP status, a string as all is here.
    public var status: String
    /// Apple's code: `40403`, for example.
    public var code: String
    public var title: String
    public var detail: String?
    /// What the error is about: `parameter storefront`, or `pointer /x` into a document.
    public var source: String?

    public init(
      status: String, code: String, title: String, detail: String? = nil, source: String? = nil
    ) {
      self.status = status
      self.code = code
      self.title = title
      self.detail = detail
      self.source = source
    }
  }

  public let code: Code
  public let message: String
  /// What the API's error document says; empty if it sent none.
  public let errors: [Item]

  package init(_ code: Code, _ message: String, errors: [Item] = []) {
    self.code = code
    self.message = message
    self.errors = errors
  }

  public var description: String { message }
}
