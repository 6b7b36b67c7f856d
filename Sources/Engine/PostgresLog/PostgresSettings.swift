package import EventLog

/// How a server keeps what it acknowledges.
package struct PostgresSettings: Hashable, Sendable {
  package var version: Int
  /// Whether it is a standby, which can be read and not written.
  package var isStandby: Bool
  /// Whether this role's transactions cannot write, such as those on a standby.
  var isReadOnly: Bool
  package var syncsFiles: Bool
  package var writesFullPages: Bool
  package var synchronousCommit: String
  /// Empty if no standby is waited for.
  package var synchronousStandbys: String
  package var hasChecksums: Bool

  /// The columns of a row from which they are read. A system that only speaks the protocol may lack some of the settings.
  static let columns =
    "pg_is_in_recovery()::text, "
    + [
      "transaction_read_only", "fsync", "full_page_writes", "synchronous_commit",
      "synchronous_standby_names", "data_checksums",
    ].map { "current_setting('\($0)', true)" }.joined(separator: ", ")

  static let count = 7

  init(_ connection: PostgresConnection) throws {
    self.init(try connection.run("SELECT \(Self.columns)").rows.first ?? [], of: connection)
  }

  /// - Parameter row: begins with `columns`.
  init(_ row: [[UInt8]?], of connection: PostgresConnection) {
    let texts = row.prefix(Self.count).map { $0?.text ?? "" }
    func text(_ place: Int) -> String { place < texts.count ? texts[place] : "" }
    version = connection.serverVersion
    isStandby = text(0) == "true"
    isReadOnly = text(1) == "on"
    syncsFiles = text(2) != "off"
    writesFullPages = text(3) != "off"
    synchronousCommit = text(4)
    synchronousStandbys = text(5)
    hasChecksums = text(6) == "on"
  }

  /// Whether an acknowledgement waits for a standby.
  package var waitsForStandby: Bool {
    !synchronousStandbys.isEmpty && !["off", "local"].contains(synchronousCommit)
  }

  package var durability: LogDurability {
    guard syncsFiles, writesFullPages, synchronousCommit != "off" else { return .process }
    return waitsForStandby ? .zone : .machine
  }

  /// Why a writer must not rely on the server; nil if it may.
  package var refusal: String? {
    if !syncsFiles {
      return "fsync is off: a loss of power loses what was acknowledged; set fsync = on"
    }
    if !writesFullPages {
      return "full_page_writes is off: a loss of power damages pages; set full_page_writes = on"
    }
    if synchronousCommit == "off" {
      return
        "synchronous_commit is off: an acknowledged batch may be lost; set synchronous_commit = on"
    }
    if synchronousCommit == "local", !synchronousStandbys.isEmpty {
      return
        "synchronous_commit is local: no standby is waited for, although there are some; set synchronous_commit = on"
    }
    return nil
  }
}
