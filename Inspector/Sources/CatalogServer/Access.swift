import NIOHTTP1

/// Decides who may read: a browser that was given the address, on a page of this server.
struct Access: Sendable {
  /// An answer to a request that is not let through.
  enum Refusal: Equatable {
    case badRequest(String)
    case forbidden(String)
    case methodNotAllowed
    /// The token is right: it becomes a cookie, and the browser asks again without it.
    case tokenGiven(path: String)
  }

  let port: Int
  private let token: String

  /// Longer addresses and longer headers are refused.
  static let longestAddress = 64 << 10
  static let longestHeaders = 32 << 10

  init(port: Int, token: String) {
    (self.port, self.token) = (port, token)
  }

  /// 256 random bits in hexadecimal digits.
  static func makeToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The name has the port: browsers give cookies of one host to all of its ports.
  var cookieName: String { "catalog-inspector-\(port)" }
  var cookie: String { "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" }

  /// Of port 80 browsers leave out the number.
  private var hosts: [String] {
    ["127.0.0.1:\(port)", "localhost:\(port)"] + (port == 80 ? ["127.0.0.1", "localhost"] : [])
  }

  /// - Returns: nil if the request may be answered.
  func refusal(of head: HTTPRequestHead) -> Refusal? {
    guard head.method == .GET || head.method == .HEAD else { return .methodNotAllowed }
    let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard head.uri.utf8.count <= Self.longestAddress, size <= Self.longestHeaders else {
      return .badRequest("the request is too long")
    }
    guard head.uri.hasPrefix("/"), !head.uri.hasPrefix("//") else {
      return .badRequest("the address does not begin with a path")
    }
    // A name of another host that leads here (DNS rebinding) is not the one that was printed.
    let named = head.headers["host"]
    guard named.count == 1, hosts.contains(named[0].lowercased()) else {
      return .forbidden("the host is not that of this server")
    }
    for origin in head.headers["origin"] where !hosts.map({ "http://\($0)" }).contains(origin) {
      return .forbidden("the request comes from another page")
    }
    for site in head.headers["sec-fetch-site"] where !["same-origin", "none"].contains(site) {
      return .forbidden("the request comes from another page")
    }
    let (path, query) = Self.parts(of: head.uri)
    let given = query.split(separator: "&").filter { $0.hasPrefix("token=") }
    if let given = given.last {
      guard isToken(given.dropFirst("token=".count)) else {
        return .forbidden("the token is not that of this server")
      }
      let rest = query.split(separator: "&").filter { !$0.hasPrefix("token=") }
      return .tokenGiven(path: path + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&")))
    }
    let name = "\(cookieName)="
    let isKnown = head.headers["cookie"].contains { line in
      line.split(separator: ";").contains { pair in
        let cookie = pair.drop { $0 == " " }
        return cookie.hasPrefix(name) && isToken(cookie.dropFirst(name.count))
      }
    }
    return isKnown ? nil : .forbidden("open the address that the program printed, with its token")
  }

  /// The path and the query of an address.
  static func parts(of uri: String) -> (path: String, query: String) {
    guard let mark = uri.firstIndex(of: "?") else { return (uri, "") }
    return (String(uri[..<mark]), String(uri[uri.index(after: mark)...]))
  }

  /// Compares in a time that does not tell how much of a guess is right.
  private func isToken(_ guess: Substring) -> Bool {
    let (one, other) = (Array(token.utf8), Array(guess.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
