package import EventLog

/// How a server keeps what it acknowledges.
package struct PostgresSettings: Hashable, Sendable {
  package var version: Int
  /// Whether it is a standby, which can be read and not written.
  package var isStandby: Bool
  package var syncsFiles: Bool
  package var writesFullPages: Bool
  package var synchronousCommit: String
  /// Empty if no standby is waited for.
  package var synchronousStandbys: String
  package var hasChecksums: Bool

  init(_ connection: PostgresConnection) throws {
    func setting(_ name: String) throws -> String {
      // A system that only speaks the protocol may not have it.
      let answer = try connection.run("SELECT current_setting($1, true)", [.text(name)])
      return answer.rows.first?.first.flatMap { $0 }?.text ?? ""
    }
    version = connection.serverVersion
    let recovery = try connection.run("SELECT pg_is_in_recovery()::text")
    isStandby = recovery.rows.first?.first.flatMap { $0 }?.text == "true"
    syncsFiles = try setting("fsync") != "off"
    writesFullPages = try setting("full_page_writes") != "off"
    synchronousCommit = try setting("synchronous_commit")
    synchronousStandbys = try setting("synchronous_standby_names")
    hasChecksums = try setting("data_checksums") == "on"
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
