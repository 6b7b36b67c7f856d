import CatalogEngine
import CatalogModel
import CatalogStore
import Foundation
import Projections

extension KindConformance {
  /// The history as records, with the numbers that a log would give them.
  var records: [Recorded<Kind.Event>] {
    var next: UInt64 = 2
    return batches.enumerated().flatMap { batch, events in
      events.map { event in
        defer { next += 1 }
        return Recorded(
          sequence: next, at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(batch) * 1_000),
          operation: EntityID(high: 0, low: UInt64(batch)), by: "conformance", event: event)
      }
    }
  }

  // MARK: Encoding

  func encodingFindings() throws -> [ConformanceFinding] {
    var findings: [ConformanceFinding] = []
    var lines: [UInt8] = []
    for record in records {
      let type = kind.type(of: record.event).rawValue
      func note(_ message: String) {
        findings.note(.encoding, "event \(record.sequence) (\(type)): \(message)")
      }
      var line: [UInt8] = []
      if let problem = kind.encode(record, into: &line) {
        note("cannot be written: \(problem)")
        continue
      }
      do {
        let read = try read(line, record.sequence)
        var again: [UInt8] = []
        if let problem = kind.encode(read, into: &again) {
          note("is read as an event that cannot be written: \(problem)")
        } else if again != line {
          note(
            "is written as \(String(decoding: line, as: UTF8.self)) and, once read, as "
              + String(decoding: again, as: UTF8.self))
        }
        lines += line + [0x0A]
      } catch {
        note("cannot be read again: \(error)")
      }
    }
    if findings.isEmpty, try rows(of: lines) != rows(of: records) {
      findings.note(.encoding, "events give different rows after they were written and read again")
    }
    return findings
  }

  /// Reads a line of the log, without its line feed.
  func read(_ line: [UInt8], _ sequence: UInt64) throws -> Recorded<Kind.Event> {
    try line.withUnsafeBytes {
      try kind.record(of: EventLine(line: $0, expecting: sequence))
    }
  }

  /// The rows that events make, as they come from a log.
  private func rows(of lines: [UInt8]) throws -> Receipt? {
    var decoder = kind.makeDecoder(.rows)
    let block = decoder.makeBlock()
    try lines.withUnsafeBytes { try decoder.decode($0, first: 2, into: block) }
    let rows = MemoryRowStore(schema: kind.schema)
    var conflicts: [ProjectionConflict] = []
    return try receipt(of: rows) {
      try kind.apply(block, 0..<block.count, to: rows, willApply: nil, conflicts: &conflicts)
    }
  }

  /// The rows that events make, as they are.
  private func rows(of records: [Recorded<Kind.Event>]) throws -> Receipt? {
    let rows = MemoryRowStore(schema: kind.schema)
    return try receipt(of: rows) {
      for record in records where kind.excess(of: record) == nil {
        do {
          try kind.apply(record, to: rows)
        } catch let error as ProjectionError where error.code == .contradiction {
          // It changes nothing.
        }
      }
    }
  }

  /// - Returns: nil if the events cannot be applied: what is wrong with that, others say.
  private func receipt(of rows: MemoryRowStore, _ applying: () throws -> Void) throws -> Receipt? {
    guard (try? applying()) != nil else { return nil }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try TrialCatalog<Kind>.receipt(of: rows, kind, in: folder.path + "/rows.sqlite")
  }

  // MARK: Applying

  func applyingFindings() -> [ConformanceFinding] {
    let records = records
    var findings: [ConformanceFinding] = []
    // As it was, backwards, and each event on empty rows: what a log holds may contradict whatever it likes.
    for history in [records, records.reversed()] + records.map({ [$0] }) {
      let rows = MemoryRowStore(schema: kind.schema)
      for record in history {
        if let finding = outcomeFinding(record, rows), !findings.contains(finding) {
          findings.append(finding)
        }
      }
    }
    return findings
  }

  private func outcomeFinding(
    _ record: Recorded<Kind.Event>, _ rows: MemoryRowStore
  ) -> ConformanceFinding? {
    let place = "event \(record.sequence) (\(kind.type(of: record.event).rawValue))"
    var changes = 0
    do {
      try apply(record, to: rows, &changes)
      return nil
    } catch let error as ProjectionError where error.code == .duplicate {
      return nil
    } catch let error as ProjectionError where error.code == .contradiction {
      guard changes > 0 else { return nil }
      return ConformanceFinding(
        .outcome, "\(place) contradicts the rows after it changed one: \(error.message)")
    } catch let error as ProjectionError {
      return ConformanceFinding(
        .outcome, "\(place) gives a row that its table cannot have: \(error.message)")
    } catch {
      return ConformanceFinding(
        .outcome, "\(place) throws an error that is not a ProjectionError: \(error)")
    }
  }

  /// Applies an event. If it would give a second row the same in what is unique, its changes are taken back: the engine refuses a
  /// change with such an event before the append.
  ///
  /// - Parameter count: how many rows it changed.
  private func apply(
    _ record: Recorded<Kind.Event>, to rows: MemoryRowStore, _ count: inout Int
  ) throws {
    var changes: [RowChange] = []
    defer { count = changes.count }
    do {
      try kind.apply(record, to: ObservedRowStore(rows) { changes.append($0) })
    } catch let error as ProjectionError where error.code == .duplicate {
      for change in changes.reversed() {
        if let before = change.before {
          try rows.put(before, in: change.table)
        } else {
          try rows.remove(key: change.key, from: change.table)
        }
      }
      throw error
    }
  }

  /// The history without the events that the engine refuses before the append: those that would give a second row the same in what
  /// is unique.
  func acceptedBatches() -> [[Kind.Event]] {
    let rows = MemoryRowStore(schema: kind.schema)
    var records = records[...]
    return batches.map { events in
      events.filter { _ in
        guard let record = records.popFirst() else { return true }
        var count = 0
        do {
          try apply(record, to: rows, &count)
        } catch let error as ProjectionError where error.code == .duplicate {
          return false
        } catch {
          // A contradiction is a part of a log. What else it may be, `outcomeFinding` says.
        }
        return true
      }
    }
  }
}
