import CatalogModel
package import CatalogStore
import EventLog
import GRDB
import Projections

/// One way in which replays or the live database are not what the log says.
package struct VerificationFinding: Hashable, Sendable {
  package enum Subject: String, Sendable {
    /// Two replays of the same log differ: the projector is not deterministic.
    case replay
    /// The live database differs from the replays.
    case live
  }

  package var subject: Subject
  package var message: String
  /// For a difference in a row.
  package var row: RowDifference?
  /// The event that last wrote or removed that row; nil where none did.
  package var event: EventReference?
}

/// Holds a catalog against replays of its log.
package struct Verification {
  /// A replay that another process made: its receipt and the file it filled.
  package struct Replay: Sendable {
    package var name: String
    package var receipt: RecordedReceipt
    package var path: String

    package init(name: String, receipt: RecordedReceipt, path: String) {
      self.name = name
      self.receipt = receipt
      self.path = path
    }
  }

  package struct Report: Sendable {
    package var live: Receipt
    /// What was found; row by row up to the limit a table.
    package var findings: [VerificationFinding] = []
    /// Differing rows that were counted and not listed.
    package var unlisted = 0
  }

  private let catalog: SoundCatalog
  private let rowLimit: Int

  /// - Parameter rowLimit: how many differences a table are listed; the rest is counted.
  package init(_ catalog: SoundCatalog, rowLimit: Int = 100) {
    self.catalog = catalog
    self.rowLimit = rowLimit
  }

  /// Compares replays with each other and with the live database.
  ///
  /// - Parameter replays: called with the sequence to replay through, while a snapshot of the live
  ///   database at that sequence is held; returns the replays.
  package func run(
    _ replays: @escaping @Sendable (UInt64) throws -> [Replay]
  ) async throws -> Report {
    try await Blocking.run {
      try catalog.projection.pool.read { live in
        try compare(live, replays)
      }
    }
  }

  private func compare(
    _ live: Database, _ makeReplays: (UInt64) throws -> [Replay]
  ) throws -> Report {
    guard let checkpoint = try Checkpoint.read(live) else {
      throw CatalogError(
        .verification, "the live database has no checkpoint; run `catalogctl rebuild`")
    }
    let replays = try makeReplays(checkpoint.sequence)
    guard let first = replays.first else {
      throw CatalogError(.verification, "there is no replay to compare with")
    }

    var found = Findings(limit: rowLimit)
    for other in replays.dropFirst() {
      try compare(
        subject: .replay, other.path, "the \(other.name) replay", with: first, &found)
    }
    let digests = try compareLive(live, with: first, &found)
    if let log = first.receipt.log,
      log.sequence != checkpoint.sequence || log.chain != checkpoint.chain
        || log.id != checkpoint.logID
    {
      found.add(
        .live,
        "the live checkpoint (event \(checkpoint.sequence), \(checkpoint.chain.prefix(12))…) is not "
          + "what the log has there (event \(log.sequence), \(log.chain.prefix(12))…)")
    }
    try found.attribute(to: catalog.log, through: checkpoint.sequence)
    return Report(
      live: Receipt(
        checkpoint: checkpoint, schema: try SchemaListing(live).digest, tables: digests),
      findings: found.all, unlisted: found.unlisted)
  }

  /// Two replays whose receipts are equal need no look at their rows.
  private func compare(
    subject: VerificationFinding.Subject, _ path: String, _ name: String, with first: Replay,
    _ found: inout Findings
  ) throws {
    try withDatabase(path) { other in
      try withDatabase(first.path) { expected in
        _ = try compare(subject, other, name, expected, first, &found)
      }
    }
  }

  private func compareLive(
    _ live: Database, with first: Replay, _ found: inout Findings
  ) throws -> [TableDigest] {
    var digests: [TableDigest] = []
    try withDatabase(first.path) { expected in
      digests = try compare(.live, live, "the live database", expected, first, &found)
    }
    for row in try Row.fetchAll(live, sql: "PRAGMA integrity_check(20)") {
      let message: String = row[0]
      if message != "ok" {
        found.add(.live, "SQLite's integrity check says: \(message)")
      }
    }
    return digests
  }

  private func compare(
    _ subject: VerificationFinding.Subject, _ database: Database, _ name: String,
    _ expected: Database, _ first: Replay, _ found: inout Findings
  ) throws -> [TableDigest] {
    try compareSchema(subject, database, name, expected, &found)
    var digests: [TableDigest] = []
    for table in SoundLibrarySchema.schema.tables {
      // A missing table was found with the schema.
      guard try database.tableExists(table.name) else { continue }
      let columns = try database.columns(in: table.name).map(\.name)
      let missing = table.columns.map(\.name).filter { !columns.contains($0) }
      guard missing.isEmpty else {
        let list = missing.joined(separator: ", ")
        found.add(subject, "\(name) cannot be compared in \(table.name): it lacks \(list)")
        continue
      }
      let digest = try TableDigest(of: table, in: database)
      digests.append(digest)
      guard let recorded = first.receipt.tables.first(where: { $0.table == table.name }),
        recorded.exact != digest.exact
      else { continue }
      try RowComparison.compare(table, live: database, expected: expected) { difference in
        found.add(subject, name, difference, table)
      }
    }
    for index in SoundLibrarySchema.schema.fullTextIndexes
    where try database.tableExists(index.terms) {
      let digest: TableDigest
      do {
        digest = try TableDigest(of: index, in: database)
      } catch let error as StoreError {
        found.add(
          subject, "\(name) cannot read the full-text index \(index.name): \(error)")
        continue
      }
      digests.append(digest)
      guard let recorded = first.receipt.tables.first(where: { $0.table == index.terms }),
        recorded.exact != digest.exact
      else { continue }
      let places =
        digest.rows == recorded.rows ? "" : ": \(digest.rows) places, should be \(recorded.rows)"
      found.add(
        subject, "\(name) finds other words through the full-text index \(index.name)\(places)")
    }
    return digests
  }

  private func compareSchema(
    _ subject: VerificationFinding.Subject, _ database: Database, _ name: String,
    _ expected: Database, _ found: inout Findings
  ) throws {
    let has = try SchemaListing(database).entries
    let should = try SchemaListing(expected).entries
    for entry in should {
      guard let other = has.first(where: { $0.name == entry.name }) else {
        found.add(subject, "\(name) lacks the \(entry.type) \(entry.name)")
        continue
      }
      if other != entry {
        found.add(
          subject,
          "\(name) has the \(entry.type) \(entry.name) as \(other.sql) instead of \(entry.sql)")
      }
    }
    for entry in has where !should.contains(where: { $0.name == entry.name }) {
      found.add(subject, "\(name) has the \(entry.type) \(entry.name), which no projector made")
    }
  }

  private func withDatabase(_ path: String, _ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read(body)
    try queue.close()
  }
}

/// Gathers findings, a limited number of rows a table, and then the events behind them.
private struct Findings {
  private(set) var all: [VerificationFinding] = []
  private(set) var unlisted = 0
  private let limit: Int
  private var listed: [String: Int] = [:]
  private var addresses: [Int: RowAddress] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ subject: VerificationFinding.Subject, _ message: String) {
    all.append(VerificationFinding(subject: subject, message: message))
  }

  mutating func add(
    _ subject: VerificationFinding.Subject, _ name: String, _ difference: RowDifference,
    _ table: TableDescription
  ) {
    let message =
      switch difference.kind {
      case .missing: "\(difference.place) is missing in \(name)"
      case .unexpected: "\(difference.place) should not be in \(name)"
      case .changed(let column, let value, let expected):
        "\(difference.place) \(column) is \(value) in \(name), should be \(expected)"
      }
    guard listed["\(subject) \(table.name)", default: 0] < limit else {
      unlisted += 1
      return
    }
    listed["\(subject) \(table.name)", default: 0] += 1
    if let key = table.key(from: difference.key) {
      addresses[all.count] = RowAddress(table: table.ordinal, key: key)
    }
    all.append(VerificationFinding(subject: subject, message: message, row: difference))
  }

  /// Names the event that last wrote each row.
  mutating func attribute(to reader: EventLogReader, through last: UInt64) throws {
    guard !addresses.isEmpty else { return }
    let writers = try LastWriters.find(Set(addresses.values), in: reader, through: last)
    for (index, address) in addresses { all[index].event = writers[address] }
  }
}

extension TableDescription {
  /// Stored key values as a projector writes them; nil where they are none that it could write.
  func key(from stored: [StoredValue]) -> [Value]? {
    var values: [Value] = []
    for (column, value) in zip(key, stored) {
      switch (value, columns[column].type) {
      case (.integer(let integer), .integer): values.append(.integer(integer))
      case (.real(let real), .real): values.append(.real(real))
      case (.text(let text), .text): values.append(.text(text))
      case (.text(let text), .id):
        guard let id = EntityID(text), id.description == text else { return nil }
        values.append(.id(id))
      case (.text(let text), .time):
        guard let time = Timestamp(text), time.description == text else { return nil }
        values.append(.time(time))
      default: return nil
      }
    }
    return values
  }
}
