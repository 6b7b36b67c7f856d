package import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import GRDB
import Logging
package import Projections

/// A catalog of a kind with a history, in a folder that is thrown away.
package struct TrialCatalog<Kind: CatalogKind> {
  let kind: Kind
  let folder: String
  package let directory: CatalogDirectory
  private let first: Kind.Event
  let options: OpeningOptions
  private let dangling: String?
  /// The rows that the database had after each batch, as numbers.
  private(set) var receipts: [(sequence: UInt64, receipt: MomentReceipt)] = []

  /// - Parameter batches: appended one after the other, contradictions too.
  package init(_ kind: Kind, _ batches: [[Kind.Event]], in folder: String) throws {
    guard let first = batches.joined().first else {
      throw CatalogError(.verification, "the history has no events; add some")
    }
    self.kind = kind
    self.folder = folder
    self.first = first
    directory = CatalogDirectory(folder + "/catalog")
    options = OpeningOptions(logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() })
    let catalog = try OpenedCatalog.open(directory, kind, options: options)
    defer { catalog.close() }
    _ = try catalog.create(by: "conformance")
    let writer = try catalog.openLog(knownHeads: [])
    defer { writer.close() }
    var dangling: String?
    for (number, events) in batches.enumerated() where !events.isEmpty {
      let before = writer.head.sequence
      var batch = try EventBatch(
        writer, after: writer.head,
        at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1_000), by: "conformance",
        input: [UInt8(truncatingIfNeeded: number)])
      for event in events { try batch.add(event, kind) }
      let head = try batch.append(to: writer)
      try ProjectionUpdate(catalog.log, catalog.projection).catchUp()
      let database = try ReadOnlyDatabase.open(directory.database, .shared, "conformance")
      receipts.append(
        (head.sequence, try database.read { try MomentReceipt(of: kind.schema, in: $0) }))
      try CatalogHistory(directory, catalog.log).bringUpToDate()
      if dangling == nil, let found = try catalog.projection.danglingReferences(limit: 1).first {
        dangling = "after events \(before + 1) to \(head.sequence), \(found)"
      }
    }
    self.dangling = dangling
  }

  package var log: CatalogLog {
    CatalogLog(EventLogReader(directory: directory.events), kind)
  }

  private func file(_ name: String) -> String { "\(folder)/\(name).sqlite" }

  static func receipt(of rows: MemoryRowStore, _ kind: Kind, in path: String) throws -> Receipt {
    let id = LogID(bytes: Array(repeating: 0, count: 16))
    try? FileManager.default.removeItem(atPath: path)
    try BulkWriter(kind.migrations).write(
      rows, checkpoint: Checkpoint(logID: id, head: .empty(id), fingerprint: kind.fingerprint),
      to: path)
    return try ProjectionFile.receipt(of: path, kind.schema)
  }

  // MARK: Replays

  func replayFindings() throws -> [ConformanceFinding] {
    guard let head = try log.head()?.sequence else {
      throw CatalogError(.verification, "the log of the trial is empty")
    }
    try ProjectionRebuild(log).write(to: file("memory"))
    // A clock that tells seconds tells another one.
    Thread.sleep(forTimeInterval: 1.1)
    try ProjectionRebuild(log).write(to: file("again"))
    try IncrementalReplay(log, through: head, carrying: head, progress: { _ in })
      .write(to: file("rows"))
    var replays = [("again, in memory", "again"), ("row by row", "rows")]
    let middle = max(1, head / 2)
    if middle < head {
      try IncrementalReplay(log, through: head, carrying: head - middle).write(to: file("halves"))
      replays.append(("row by row after event \(middle)", "halves"))
    }
    let expected = try ProjectionFile.receipt(of: file("memory"), kind.schema)
    var findings: [ConformanceFinding] = []
    for (words, name) in replays
    where try ProjectionFile.receipt(of: file(name), kind.schema) != expected {
      findings.note(
        .replay,
        "a replay \(words) gives different rows than one in memory"
          + (try difference(file("memory"), file(name)).map { ": \($0)" } ?? ""))
    }
    if findings.isEmpty,
      FileManager.default.contents(atPath: file("memory"))
        != FileManager.default.contents(atPath: file("again"))
    {
      findings.note(.replay, "two replays in memory write different bytes")
    }
    return findings
  }

  /// Holds the history, as it was brought up to date after each batch and as it is made of the whole log, against the rows
  /// that the database had after each batch.
  func historyFindings() throws -> [ConformanceFinding] {
    let history = CatalogHistory(directory, log)
    var findings: [ConformanceFinding] = []
    for words in ["brought up to date batch by batch", "made of the whole log"] {
      let states = PastStates(log, history: history)
      let other = try receipts.first { moment in
        let state = try PastDatabase(.sequence(moment.sequence), of: states, live: nil)
        return try state.receipt(of: kind) != moment.receipt
          || state.countedReceipt(of: kind) != moment.receipt
      }
      if let other {
        findings.note(
          .history,
          "a history that is \(words) has other rows after event \(other.sequence) than the database had"
        )
      }
      try history.make()
    }
    return findings
  }

  /// The most batches that are left out, each alone.
  private static var omissionLimit: Int { 20 }

  /// Leaves out batches, over rows of the history, and compares the rows with those of a replay of all others.
  func omissionFindings() throws -> [ConformanceFinding] {
    let states = PastStates(log, history: CatalogHistory(directory, log))
    let ends = receipts.map(\.sequence)
    let step = max(1, ends.count / Self.omissionLimit)
    for place in stride(from: 0, to: ends.count, by: step) {
      let batch = try log.batch(containing: ends[place])
      let events = batch.firstSequence...batch.lastSequence
      let found: WhatIfReplay
      do {
        found = try WhatIfReplay(.events(events), in: states)
      } catch let error as ProjectionError where error.code == .duplicate {
        // Without these events two rows would have the same in what is unique.
        continue
      }
      let rows = MemoryRowStore(schema: kind.schema)
      let replay = try EventReplay(log)
      guard let id = try log.logID() else { break }
      let undone = try found.actual.conflicts(after: 0).map(\.sequence)
      let applier = EventApplier(id, kind, dividingAllBut: Set(undone))
      while try replay.nextBatch({ block, range in
        for place in range where !events.contains(block.sequence(at: place)) {
          try applier.apply(block, place..<place + 1, to: rows)
        }
      }) != nil {}
      let isSame = try found.without.read { database in
        try kind.schema.tables.allSatisfy { table in
          try PreparedStatement(
            database, "SELECT \(table.columnList) FROM \(table.sqlName) ORDER BY \(table.keyList)"
          ).rows(of: table) == rows.rows(in: table)
        }
      }
      guard !isSame else { continue }
      return [
        ConformanceFinding(
          .omission,
          "without events \(events.lowerBound) to \(events.upperBound) the rows are not those of a replay of all others"
        )
      ]
    }
    return []
  }

  private func difference(_ expected: String, _ other: String) throws -> String? {
    var found: String?
    let (left, right) = (
      try DatabaseQueue(path: expected), try DatabaseQueue(path: other)
    )
    try left.read { expected in
      try right.read { other in
        for table in kind.schema.tables where found == nil {
          try RowComparison.compare(table, live: other, expected: expected) { row in
            found = found ?? row.place
          }
        }
      }
    }
    return found
  }

  // MARK: References

  /// The first row that refers to a row which does not exist, after the batch that left it.
  func referenceFindings() -> [ConformanceFinding] {
    dangling.map { [ConformanceFinding(.references, $0)] } ?? []
  }

  // MARK: What is foreign

  func foreignFindings() throws -> [ConformanceFinding] {
    var findings: [ConformanceFinding] = []
    let known = kind.type(of: first)
    for (type, version, words) in [
      ("conformance.unknown", Int64(1), "an unknown type"),
      (known.rawValue, known.version + 1_000, "a newer version of \(known.rawValue)"),
    ] {
      let copy = folder + "/foreign-\(version)"
      try FileManager.default.copyItem(atPath: directory.events, toPath: copy)
      let writer = try EventLogWriter(directory: copy, holder: "conformance")
      defer { writer.close() }
      var line: [UInt8] = []
      let sequence = writer.head.sequence + 1
      _ = EventEncoder.encode(
        EventEnvelope(
          sequence: sequence, at: Timestamp(milliseconds: 0), type: type,
          operation: EntityID(high: 0, low: 0), by: "conformance"),
        version: version, into: &line
      ) { _ in }
      var batch = try writer.makeBatch(expecting: writer.head)
      try line.withUnsafeBytes { try batch.append(line: $0) }
      _ = try writer.append(batch)
      do {
        _ = try ProjectionRebuild(CatalogLog(EventLogReader(directory: copy), kind)).fold()
        findings.note(.foreign, "\(words) does not stop a replay")
      } catch let error as EventDecodingError {
        guard error.sequence != sequence else { continue }
        findings.note(
          .foreign, "\(words) at event \(sequence) stops a replay at event \(error.sequence)")
      }
    }
    return findings
  }

  // MARK: What was changed by hand

  func tamperedFindings() throws -> [ConformanceFinding] {
    let expected = try ProjectionFile.receipt(of: file("memory"), kind.schema)
    var findings: [ConformanceFinding] = []
    let values = ["NULL", "-1", "'other'", "x'00FF'", "1e300"]
    for table in kind.schema.tables {
      for (place, column) in table.columns.enumerated() {
        // Two for each: all of them would take as many rebuilds more.
        for value in [values[place % values.count], values[(place + 2) % values.count]] {
          let change = "UPDATE \(table.sqlName) SET \(column.sqlName) = \(value)"
          guard try isTaken(change) else { continue }
          // Whatever comes of that, the process goes on.
          if let catalog = try? OpenedCatalog.openExisting(directory, kind, options: options) {
            _ = try? rehearse(on: catalog)
            catalog.close()
          }
          try OpenedCatalog.rebuild(directory, kind, options: options)
          guard try ProjectionFile.receipt(of: directory.database, kind.schema) != expected
          else { continue }
          findings.note(.tampering, "a rebuild after \(change) gives different rows")
        }
      }
    }
    return findings
  }

  /// Applies an event to rows that may be anything, and takes that back.
  private func rehearse(on catalog: OpenedCatalog) throws {
    try catalog.projection.update { _, store in
      try kind.apply(
        Recorded(
          sequence: .max, at: Timestamp(milliseconds: 0), operation: EntityID(high: 0, low: 0),
          by: "conformance", event: first), to: store)
      return nil
    }
  }

  /// Changes the live database; false where SQLite does not let it.
  private func isTaken(_ change: String) throws -> Bool {
    let database = try DatabaseQueue(path: directory.database)
    defer { try? database.close() }
    do {
      try database.write { try $0.execute(sql: change) }
      return true
    } catch is DatabaseError {
      return false
    }
  }

  // MARK: Other processes

  /// Has a program verify the catalog.
  func findings(of program: String) throws -> [ConformanceFinding] {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["verify", "--thorough", "--catalog", directory.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { return [] }
    return [
      ConformanceFinding(
        .processes,
        "\(program) verify --thorough: "
          + String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    ]
  }
}
