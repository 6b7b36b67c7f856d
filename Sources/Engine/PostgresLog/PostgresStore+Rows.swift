import EventLog

extension PostgresStore: StoredRows {
  /// The place of a row in the table, and what is read of it first.
  private struct Place {
    let first: UInt64
    let length: Int
    /// As the server writes it: `(12,3)`.
    let id: String
  }

  /// Rows that are asked for together, at most, and their bytes.
  private static let together = (count: 500, bytes: 4 << 20)

  /// Reads rows by their places, without an index, which may be corrupted. Of rows that are asked for together each is asked for by
  /// itself if the server finds that its own pages are corrupted there.
  package func forEachRow(
    _ body: (_ first: UInt64, _ bytes: [UInt8]) throws -> Void
  ) throws -> Int {
    var waiting: [Place] = []
    var size = 0
    var unread = 0
    func read() throws {
      let found = try rows(at: waiting)
      for row in found { try body(row.first, row.bytes) }
      unread += waiting.count - found.count
      (waiting, size) = ([], 0)
    }
    for place in try places(&unread).sorted(by: { $0.first < $1.first }) {
      if waiting.count == Self.together.count || size + place.length > Self.together.bytes {
        try read()
      }
      waiting.append(place)
      size += place.length
    }
    try read()
    return unread
  }

  /// The rows of the log, in any order.
  ///
  /// - Parameter unread: counts the blocks of the table that the server cannot read.
  private func places(_ unread: inout Int) throws -> [Place] {
    do {
      return try places(if: "true")
    } catch let error as EventLogError where error.isDamage {
      let blocks = try asking { connection in
        try connection.run(
          "SELECT pg_relation_size('\(table("log_batch"))') / current_setting('block_size')::int",
          [],
          patience: .giveUp(hasRows: true)
        ).rows.first?.first??.integer ?? 0
      }
      return try places(in: 0..<blocks, &unread)
    }
  }

  /// The rows in some blocks of the table, without those of blocks that the server cannot read.
  private func places(in blocks: Range<Int64>, _ unread: inout Int) throws -> [Place] {
    if blocks.isEmpty { return [] }
    do {
      return try places(
        if: "ctid >= '(\(blocks.lowerBound),0)'::tid AND ctid < '(\(blocks.upperBound),0)'::tid")
    } catch let error as EventLogError where error.isDamage {
      guard blocks.count > 1 else {
        unread += 1
        return []
      }
      let middle = blocks.lowerBound + Int64(blocks.count / 2)
      return try places(in: blocks.lowerBound..<middle, &unread)
        + places(in: middle..<blocks.upperBound, &unread)
    }
  }

  private func places(if condition: String) throws -> [Place] {
    let rows = try withoutScans(
      "SELECT first_seq, octet_length(frame)::bigint, ctid::text FROM \(table("log_batch")) "
        + "WHERE catalog = $1 AND \(condition)", [.text(address.name)])
    return try rows.map { row in
      guard row.count == 3, let first = row[0]?.integer, first > 0, let length = row[1]?.integer,
        let id = row[2]?.text
      else { throw wrongAnswer }
      return Place(first: UInt64(first), length: Int(clamping: length), id: id)
    }
  }

  private func rows(at places: [Place]) throws -> [(first: UInt64, bytes: [UInt8])] {
    if places.isEmpty { return [] }
    do {
      let list = places.map { "\"\($0.id)\"" }.joined(separator: ",")
      let found = try withoutScans(
        "SELECT first_seq, frame FROM \(table("log_batch")) WHERE ctid = ANY($1::tid[]) ORDER BY first_seq",
        [.text("{\(list)}")])
      return found.compactMap { row in
        guard row.count == 2, let first = row[0]?.integer, let bytes = row[1] else { return nil }
        return (UInt64(max(first, 0)), bytes)
      }
    } catch let error as EventLogError where error.isDamage {
      return places.count == 1 ? [] : try places.flatMap { try rows(at: [$0]) }
    }
  }

  /// Asks for rows by their places: the server reads no other page, if it need not, and no index.
  private func withoutScans(
    _ sql: String, _ arguments: [PostgresConnection.Argument]
  ) throws -> [[[UInt8]?]] {
    let rows = try asking { connection in
      try withTables {
        try connection.run("BEGIN")
        do {
          // Of a small table the planner would read every page.
          for plan in ["seqscan", "indexscan", "indexonlyscan", "bitmapscan"] {
            try connection.run("SET LOCAL enable_\(plan) = off")
          }
          let rows = try connection.run(sql, arguments, patience: .giveUp(hasRows: true)).rows
          try connection.run("COMMIT")
          return rows
        } catch {
          // The tables may be looked for in another schema on the same connection.
          _ = try? connection.run("ROLLBACK")
          throw error
        }
      }
    }
    return rows ?? []
  }
}
