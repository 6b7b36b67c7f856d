package import CatalogStore
import EventLog
import Projections
import Support

/// Compares a history with the log: one fold makes every version of every row and every receipt again. The indexes are compared
/// with the tables.
package struct HistoryVerification: Sendable {
  package struct Finding: Sendable {
    package let message: String
    /// The table of the catalog; nil if it is about the log.
    package let table: String?
    /// The last event of the batch; nil if it is about no batch.
    package let batch: UInt64?
    /// The row and what differs in it; nil if it is not about a row of the history.
    package let row: RowDifference?
  }

  package struct Report: Sendable {
    /// How far the history goes.
    package let checkpoint: Checkpoint
    package fileprivate(set) var findings: [Finding] = []
    /// Findings beyond those that are listed.
    package fileprivate(set) var unlisted = 0
    /// Rows of the history that the log makes: versions, receipts, batches and types of events.
    package fileprivate(set) var rows: Int64 = 0
    /// The tables of the catalog.
    package let tables: Int
    /// Events that the live rows have and the history lacks: these rows were not compared with it then.
    package fileprivate(set) var missing: UInt64 = 0
  }

  private let history: CatalogHistory
  private let log: CatalogLog
  private let rowLimit: Int
  private let progress: ProgressObserver

  /// - Parameter rowLimit: how many findings of a table are listed.
  package init(
    _ history: CatalogHistory, of log: CatalogLog, rowLimit: Int,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.history = history
    self.log = log
    self.rowLimit = rowLimit
    self.progress = progress
  }

  /// - Parameter live: the live database.
  /// - Throws: `CatalogError` with `notFound` if there is no history, `verification` if it is of no use.
  package func run(live: PastDatabase) throws -> Report {
    let rows = try live.countedReceipt(of: log.kind)
    let database = try history.openToVerify()
    let schema = database.schema.schema
    var report = Report(checkpoint: database.checkpoint, tables: schema.tables.count)
    let builder = HistoryBuilder(database.schema)
    var receipt: MomentReceipt?
    let end = try ProjectionRebuild(
      log, through: database.checkpoint.sequence, progress: progress
    ).fold(into: builder) { batch in
      guard batch.lastSequence == rows.sequence, let logID = try? log.logID() else { return }
      receipt = MomentReceipt(
        of: schema, builder.receipt,
        at: Checkpoint(logID: logID, head: batch.head, fingerprint: log.kind.fingerprint))
    }
    guard end.head == database.checkpoint.head else {
      throw CatalogError(
        .verification, "the log changed while the history was compared with it; try again")
    }
    var listing = Listing(limit: rowLimit)
    for problem in try database.read({
      try HistoryProof(database.schema, $0).structureProblems(atMost: rowLimit)
    }) {
      listing.add(.structure(problem), of: "")
    }
    if let receipt {
      for table in receipt.tables(differingFrom: rows) {
        listing.add(.live(table, rows.sequence), of: table)
      }
    } else {
      report.missing = rows.sequence - min(rows.sequence, end.sequence)
    }
    for table in schema.tables {
      try database.forEachBrokenInterval(of: table) {
        listing.add(.interval(table, $0), of: table.name)
      }
    }
    var made = 0
    try database.read { connection in
      try builder.compare(
        with: connection,
        didCompare: { rows in
          try log.limit?.check()
          made += rows
          progress(CatalogProgress(phase: .digesting, done: made, total: nil))
        },
        report: { difference in
          let table =
            switch difference {
            case .version(let table, _), .receipt(let table, _, _): table.name
            case .log(let row): row.table
            }
          listing.add(.difference(difference), of: table)
        })
    }
    report.rows = Int64(made)
    report.findings = try listing.items.map { try Finding($0, database) }
    report.unlisted = listing.unlisted
    return report
  }

  /// A difference.
  fileprivate enum Item {
    /// Live rows of a table, at this event.
    case live(String, UInt64)
    case interval(TableDescription, HistoryDatabase.BrokenInterval)
    /// The schema, an index or the file's pages.
    case structure(String)
    case difference(HistoryDifference)
  }

  /// Keeps so many items of each table.
  private struct Listing {
    let limit: Int
    private(set) var items: [Item] = []
    private(set) var unlisted = 0
    private var counts: [String: Int] = [:]

    init(limit: Int) {
      self.limit = limit
    }

    mutating func add(_ item: Item, of table: String) {
      counts[table, default: 0] += 1
      if counts[table, default: 0] <= limit {
        items.append(item)
      } else {
        unlisted += 1
      }
    }
  }
}

extension HistoryVerification.Finding {
  fileprivate init(_ item: HistoryVerification.Item, _ database: HistoryDatabase) throws {
    switch item {
    case .live(let table, let sequence):
      self.init(
        message: "\(table): the live rows at event \(sequence) are not those of the log",
        table: table, batch: sequence, row: nil)
    case .interval(let table, let interval):
      self.init(interval, of: table, batch: try database.end(of: interval.from))
    case .structure(let problem):
      self.init(message: problem, table: nil, batch: nil, row: nil)
    case .difference(let difference): try self.init(difference, database)
    }
  }

  private init(
    _ interval: HistoryDatabase.BrokenInterval, of table: TableDescription, batch: UInt64?
  ) {
    let place = Self.place(table, interval.key, interval.from)
    let words =
      switch (interval.to, interval.next) {
      case (let to?, _) where to <= interval.from:
        "ends with event \(to), before it begins"
      case (nil, let next?): "has not ended, and event \(next) made another one"
      case (let to?, let next?): "ends with event \(to), after event \(next) made another one"
      case (let to?, nil): "ends with event \(to), which no log has"
      case (nil, nil): "has no end that a history writes"
      }
    self.init(message: "\(place) \(words)", table: table.name, batch: batch, row: nil)
  }

  private init(_ difference: HistoryDifference, _ database: HistoryDatabase) throws {
    switch difference {
    case .version(let table, let row):
      guard case .integer(let from)? = row.key.last else {
        self.init(
          message: "\(table.name) has a version that begins with no event", table: table.name,
          batch: nil, row: row)
        return
      }
      let event = UInt64(clamping: from)
      self.init(
        message: "\(Self.place(table, row.key.dropLast(), event)) "
          + Self.words(row, ends: table.versionColumns.to),
        table: table.name, batch: try database.end(of: event), row: row)
    case .receipt(let table, let last, let row):
      self.init(
        message: "the receipt of \(table.name) after event \(last) \(Self.words(row))",
        table: table.name, batch: last, row: row)
    case .log(let row):
      var batch: UInt64?
      if case .integer(let sequence)? = row.key.last {
        batch = try database.end(of: UInt64(clamping: sequence))
      }
      self.init(message: "\(row.place) \(Self.words(row))", table: nil, batch: batch, row: row)
    }
  }

  private static func place(
    _ table: TableDescription, _ key: some Collection<StoredValue>, _ from: UInt64
  ) -> String {
    let key = zip(table.key, key).map { "\(table.columns[$0].name)=\($1)" }
    return "\(table.name)[\(key.joined(separator: ", "))], the version of event \(from),"
  }

  /// - Parameter ends: the column that has the ends of versions; nil if the row is no version.
  private static func words(_ row: RowDifference, ends: String? = nil) -> String {
    switch row.kind {
    case .missing: "is missing"
    case .unexpected: "is not one that the log makes"
    case .changed(let column, let kept, let made) where column == ends:
      "\(ending(kept)), but the log makes that it \(ending(made))"
    case .changed(let column, let kept, let made):
      "has \(column) \(kept), and the log makes \(made)"
    }
  }

  /// The event that ended a version, in words.
  private static func ending(_ value: StoredValue) -> String {
    guard case .integer(let end) = value else { return "ends with \(value)" }
    return end == 0 ? "has not ended" : "ends with event \(end &+ VersionColumns.offset)"
  }
}

extension HistoryDatabase {
  /// The last event of the batch that has an event; nil if there is none.
  fileprivate func end(of sequence: UInt64) throws -> UInt64? {
    try batch(containing: sequence)?.lastSequence
  }
}
