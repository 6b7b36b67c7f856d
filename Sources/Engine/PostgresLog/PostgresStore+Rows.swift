import EventLog

extension PostgresStore: StoredRows {
  /// Asks for each row by itself: after one whose pages are corrupted the server ends a statement that has begun.
  package func forEachRow(_ body: (_ first: UInt64, _ bytes: [UInt8]) throws -> Void) throws {
    let rows = try asking { connection in
      try withTables {
        try connection.run(
          "SELECT first_seq FROM \(table("log_batch")) WHERE catalog = $1 ORDER BY first_seq",
          [.text(address.name)], patience: .giveUp(hasRows: true)
        ).rows
      }
    }
    for row in rows ?? [] {
      guard let first = row.first??.integer, first > 0 else { throw wrongAnswer }
      do {
        let found = try asking { connection in
          try connection.run(
            "SELECT frame FROM \(table("log_batch")) WHERE catalog = $1 AND first_seq = $2",
            [.text(address.name), .integer(first)], patience: .giveUp(hasRows: true)
          ).rows
        }
        if let bytes = found.first?.first ?? nil { try body(UInt64(first), bytes) }
      } catch let error as EventLogError where error.isDamage {
        // The server says that its own pages are corrupted there.
      }
    }
  }
}
