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

  /// The lines of the column from which they are read.
  let text: String

  /// The column of a row from which they are read. A system that only speaks the protocol may lack some of the settings.
  static let column =
    "concat_ws(chr(10), pg_is_in_recovery()::text, "
    + [
      "transaction_read_only", "fsync", "full_page_writes", "synchronous_commit",
      "synchronous_standby_names", "data_checksums",
    ].map { "coalesce(current_setting('\($0)', true), '')" }.joined(separator: ", ") + ")"

  init(_ connection: PostgresConnection) throws {
    self.init(try connection.run("SELECT \(Self.column)").rows.first ?? [], of: connection)
  }

  /// - Parameter row: begins with `column`.
  init(_ row: [[UInt8]?], of connection: PostgresConnection) {
    text = row.first.flatMap { $0 }?.text ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    func line(_ place: Int) -> String { place < lines.count ? String(lines[place]) : "" }
    version = connection.serverVersion
    isStandby = line(0) == "true"
    isReadOnly = line(1) == "on"
    syncsFiles = line(2) != "off"
    writesFullPages = line(3) != "off"
    synchronousCommit = line(4)
    synchronousStandbys = line(5)
    hasChecksums = line(6) == "on"
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
