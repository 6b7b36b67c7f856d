import EventLog
import Foundation
import Support

/// The address of a log in PostgreSQL: `postgresql://user@host:port/database?option=value#name`.
///
/// The part before `#` has libpq's own form, with all of its options. The name is that of one log of the database: 1 to 200
/// letters, digits, `.`, `_` and `-`. There is never a password in it: libpq asks `PGPASSWORD`, `PGPASSFILE` or `~/.pgpass`.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
  /// libpq's address.
  let server: String
  package let name: String

  package var description: String { "\(server)#\(name)" }

  /// Whether a text is meant as such an address.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// - Throws: `EventLogError` with `unavailable` if the text is no such address, or has a password. The error does not repeat
  ///   it.
  package init(_ text: String) throws {
    guard let mark = text.firstIndex(of: "#") else {
      throw Self.refusal(
        "the address of the log has no name after #; add one: postgresql://host/database#name")
    }
    let server = String(text[..<mark])
    let name = String(text[text.index(after: mark)...])
    try Self.requireNoPassword(server)
    let isName = name.utf8.allSatisfy { byte in
      byte < 0x80
        && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
        || [0x2E, 0x5F, 0x2D].contains(byte)
    }
    guard (1...200).contains(name.utf8.count), isName else {
      throw Self.refusal(
        "the name of a log, after # of its address, has 1 to 200 letters, digits, dots, underscores and hyphens"
      )
    }
    guard Self.isOne(server), server.utf8.count < 2_000 else {
      throw Self.refusal("the address of a log in PostgreSQL is postgresql://host/database#name")
    }
    (self.server, self.name) = (server, name)
  }

  /// - Parameter advice: what to do with a password.
  /// - Throws: `EventLogError` with `unavailable` if an address has a password, or the file of one. The error does not repeat it.
  package static func requireNoPassword(
    _ server: String, instead advice: String = "set PGPASSWORD or write ~/.pgpass"
  ) throws {
    let (credentials, rest) = parts(of: server)
    let query = rest.drop { $0 != "?" }.dropFirst()
    let options = query.split(separator: "&")
    // A password with a slash ends libpq's credentials, and is then taken for a port and a database.
    let isSplit =
      rest.prefix { $0 != "?" }.drop { $0 != ":" }.contains("@")
      || options.contains { $0.contains("@") && !$0.contains("=") }
    if credentials?.contains(":") == true || isSplit {
      throw refusal(
        "an address with a password would be kept in files and seen by other users; leave it out, and "
          + advice)
    }
    let hasSecret = options.contains { option in
      let key = option.prefix { $0 != "=" }.removingPercentEncoding?.lowercased() ?? ""
      return secrets.contains(key)
    }
    guard !hasSecret else {
      throw refusal(
        "an address names no password and no file of one; leave it out, and \(advice)"
      )
    }
  }

  /// The options of libpq that are secrets, or lead to one.
  private static let secrets: Set<String> = [
    "password", "sslpassword", "passfile", "oauth_client_secret", "scram_client_key",
    "scram_server_key",
  ]

  /// Divides an address as libpq does: all up to the first @ are the user and the password, unless a slash comes before it. A
  /// question mark is a part of them.
  private static func parts(of server: String) -> (credentials: Substring?, rest: Substring) {
    let address = server.drop { $0 != ":" }.dropFirst(3)
    let first = address.prefix { $0 != "@" && $0 != "/" }
    let rest = address[first.endIndex...]
    return rest.first == "@" ? (first, rest.dropFirst()) : (nil, address)
  }

  /// Whether it names several servers.
  var namesServers: Bool {
    let rest = Self.parts(of: server).rest
    let query = rest.drop { $0 != "?" }.dropFirst()
    return rest.prefix { $0 != "/" && $0 != "?" }.contains(",")
      || query.split(separator: "&").contains { $0.hasPrefix("host") && $0.contains(",") }
  }

  private static func refusal(_ message: String) -> EventLogError {
    EventLogError(.unavailable, "\(message)")
  }
}
