public import EventLog
package import PostgresLog
import Support
import Synchronization

/// Where logs that several machines share can be: PostgreSQL, and the stores that a program adds.
public enum SharedLogs {
  private struct Added: Sendable {
    let open: @Sendable (String) throws -> any LogStore
  }

  private struct State {
    var added: [String: Added] = [:]
    /// The opened logs by address. All of this program share them.
    var opened: [String: any LogStore] = [:]
  }

  private static let state = Mutex(State())

  /// Adds a way to keep logs, for this program: call it once, before any catalog is opened.
  ///
  /// An address of such a log is `scheme://anything#name`, wherever one in PostgreSQL can be named: in
  /// `CatalogDirectory.shareLog(at:)`, and in the commands `init --log`, `copy` and `--events`. It has no password: it is
  /// kept in a file, and printed.
  ///
  /// ```swift
  /// SharedLogs.add(scheme: "objects") { address in try ObjectStore(address) }
  /// ```
  ///
  /// - Parameters:
  ///   - scheme: letters, digits, `+`, `-` and `.` in lower case, but not `postgresql` and `postgres`. One that was added before is
  ///     replaced.
  ///   - open: opens the log at an address, which may be empty as yet.
  public static func add<Store: BatchStore>(
    scheme: String, _ open: @escaping @Sendable (_ address: String) throws -> Store
  ) {
    precondition(
      Self.scheme(of: scheme + "://") == scheme && !["postgresql", "postgres"].contains(scheme),
      "\(scheme) is not a scheme that can be added")
    state.withLock { state in
      state.added[scheme] = Added { BatchStoreLog(try open($0)) }
      state.opened = state.opened.filter { Self.scheme(of: $0.key) != scheme }
    }
  }

  /// Whether a text is meant as an address, and not as a folder.
  package static func isAddress(_ text: String) -> Bool { scheme(of: text) != nil }

  private static func scheme(of text: String) -> String? {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[mark...].hasPrefix("://")
    else { return nil }
    let scheme = text[..<mark]
    let isOne =
      scheme.first?.isLetter == true
      && scheme.utf8.allSatisfy { byte in
        [0x2B, 0x2D, 0x2E].contains(byte) || (0x30...0x39).contains(byte)
          || (0x61...0x7A).contains(byte | 0x20)
      }
    return isOne ? scheme.lowercased() : nil
  }

  fileprivate static func knows(_ text: String) -> Bool {
    scheme(of: text).map { scheme in state.withLock { $0.added[scheme] != nil } } ?? false
  }

  fileprivate static func opened(_ address: SharedLogAddress) throws -> any LogStore {
    if let postgres = address.postgres { return PostgresStore.log(at: postgres) }
    let text = address.description
    let (known, added) = state.withLock { state in
      (state.opened[text], scheme(of: text).flatMap { state.added[$0] })
    }
    if let known { return known }
    guard let added else { throw SharedLogAddress.unknown(text) }
    let log: any LogStore
    do {
      log = try added.open(text)
    } catch let error as EventLogError {
      throw error
    } catch {
      throw EventLogError(.unavailable, "\(text) cannot be opened: \(error)", file: text)
    }
    return state.withLock { state in
      // Another thread may have opened it meanwhile.
      let log = state.opened[text] ?? log
      state.opened[text] = log
      return log
    }
  }

  /// The schemes of addresses that this program knows, for an error.
  fileprivate static var schemes: [String] {
    ["postgresql"] + state.withLock { $0.added.keys.sorted() }
  }
}

/// The address of a log that several machines share.
package struct SharedLogAddress: Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Nil if it is in a store that the program added.
  package let postgres: PostgresAddress?

  /// - Throws: `EventLogError` with `unavailable` if the text is none, or has a password. The error does not repeat it.
  package init(_ text: String) throws {
    guard SharedLogs.isAddress(text), !PostgresAddress.isOne(text) else {
      let address = try PostgresAddress(text)
      (postgres, description) = (address, "\(address)")
      return
    }
    guard SharedLogs.knows(text) else { throw Self.unknown(text) }
    try PostgresAddress.requireNoPassword(
      text, instead: "give it to the program in its environment")
    (postgres, description) = (nil, text)
  }

  package func store() throws -> any LogStore { try SharedLogs.opened(self) }

  /// Says which logs are beside the place of this one, for people: `that database has plants, sounds`. Nil if there is none, or if
  /// the store cannot say.
  ///
  /// - Throws: `EventLogError` with `unavailable`.
  package func neighbours() throws -> String? {
    let names = try postgres.map(PostgresStore.names(at:)) ?? []
    guard !names.isEmpty else { return nil }
    let more = names.count > 10 ? ", and \(names.count - 10) more" : ""
    return "that database has \(names.prefix(10).joined(separator: ", "))\(more)"
  }

  fileprivate static func unknown(_ text: String) -> EventLogError {
    let known = SharedLogs.schemes.map { "\($0)://" }.joined(separator: ", ")
    return EventLogError(
      .unavailable,
      "this program does not know logs at addresses like \(text.prefix { $0 != ":" })://; those that it knows begin with \(known)"
    )
  }
}
