package import CatalogEngine
import CatalogStore
package import CatalogTestSupport
import EventLog
import Foundation
import KindConformance
package import Projections

/// Generated statements at moments of a catalog, asked of its history, of the plain views over it by Python, and of the database
/// that a replay makes of each moment.
package struct ViewsTrial {
  private let directory: CatalogDirectory
  private let log: CatalogLog
  private let folder = Result { try ScratchFolder() }

  /// - Parameters:
  ///   - directory: of a catalog whose log exists. Its history is made in many generations.
  package init(_ directory: CatalogDirectory, _ log: CatalogLog) {
    (self.directory, self.log) = (directory, log)
  }

  /// Makes a catalog of a kind, with each event as a batch of its own besides the first batch.
  package static func catalog<Kind: CatalogKind>(
    _ kind: Kind, _ batches: [[Kind.Event]], in folder: ScratchFolder
  ) throws -> ViewsTrial {
    let single = Array(batches.prefix(1)) + batches.dropFirst().joined().map { [$0] }
    let trial = try TrialCatalog(kind, single, in: folder.path)
    return ViewsTrial(trial.directory, trial.log)
  }

  private struct Moment: Encodable {
    let sequence: UInt64
    /// The database of the moment, which a replay wrote.
    let file: String
    let statements: [String]
    /// For each table with versions: how many there are, how many have ended, and the sums of their events.
    var versions: [String: [Int64]]
  }

  private struct Work: Encodable {
    let history: String
    let views: String
    let moments: [Moment]
  }

  /// Compares the answers.
  ///
  /// - Parameters:
  ///   - moments: the most moments.
  ///   - statements: at each of them.
  /// - Returns: the output of the comparison, which ends with the number of statements; its errors if an answer is another one.
  package func compare(moments count: Int, statements: Int, label: String) throws -> String {
    let history = try CatalogHistory.trial(directory, log)
    // Another commit asks other statements.
    let commit = ProcessInfo.processInfo.environment["TEST_COMMIT"] ?? ""
    var random = SeededGenerator(label + commit)
    var ends = Set<UInt64>()
    let cursor = try log.reader.cursor(after: nil)
    while let batch = try cursor.nextBatch() { ends.insert(batch.lastSequence) }
    let chosen = ends.sorted().shuffled(using: &random).prefix(count)
    let states = PastStates(log, history: history)
    let moments = try chosen.map { sequence in
      try moment(sequence, states, statements, seed: random.next())
    }
    let folder = try folder.get()
    let views = try history.views(advice: "make them again") { _ in }
    let work = Work(
      history: history.path, views: try folder.write(views.sql, to: "views.sql"), moments: moments)
    let json = try folder.write(
      String(decoding: try JSONEncoder().encode(work), as: UTF8.self), to: "work.json")
    let program = ScratchFolder.repository + "/Tests/PastViewsTestSupport/views.py"
    let run = try Program("python3", program, json)
    return run.status == 0 ? run.output : run.everything
  }

  private func moment(
    _ sequence: UInt64, _ states: PastStates, _ count: Int, seed: UInt64
  ) throws -> Moment {
    let file = try folder.get().file("state-\(sequence).sqlite")
    try PastStates(log).write(through: sequence, to: file)
    let schema = log.kind.schema
    let expected = try PastDatabase(file: file)
    var generator = try expected.read {
      try QueryGenerator(schema, valuesOf: $0, seed: seed)
    }
    var statements = (0..<count).map { _ in generator.next() }
    for index in schema.fullTextIndexes {
      statements.append(
        "SELECT rowid, rank FROM \(index.sqlName) WHERE \(index.sqlName) MATCH 'a* OR s*' ORDER BY rowid"
      )
      statements.append("SELECT term, count(*) FROM \(index.terms) GROUP BY term")
    }
    let past = try PastDatabase(.sequence(sequence), of: states, live: nil)
    for sql in statements {
      guard try past.sortedAnswer(to: sql) != expected.sortedAnswer(to: sql) else { continue }
      throw CatalogError(
        .verification, "the history has another answer at event \(sequence) to \(sql)")
    }
    var versions: [String: [Int64]] = [:]
    for table in schema.tables {
      let sums =
        "SELECT count(*), count(_to), coalesce(sum(_from), 0), coalesce(sum(_to), 0) FROM \(SQLName.quoted(table.name + "_history"))"
      try past.forEachRow(of: sums, until: nil) { _ in
      } _: { row in
        versions[table.name] = row.map { if case .integer(let number) = $0 { number } else { -1 } }
      }
    }
    return Moment(sequence: sequence, file: file, statements: statements, versions: versions)
  }
}

extension CatalogHistory {
  /// A history whose tables of versions are cut after a few versions that ended.
  fileprivate static func trial(
    _ directory: CatalogDirectory, _ log: CatalogLog
  ) throws -> CatalogHistory {
    let history = CatalogHistory(directory, log, rule: GenerationRule(leastEnded: 4))
    try history.make()
    return history
  }
}
