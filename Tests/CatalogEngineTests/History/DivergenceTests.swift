import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import NotesKind
import Projections
import Promises
import Testing

@testable import CatalogEngine

/// The first difference of two catalogs, compared with models.
@Suite(
  .promise(
    "The first batch at which two catalogs differ is found, with its first row",
    by: "a kind in two versions, one log in other batches; compared with models"))
struct DivergenceTests {
  /// Two versions of a program made other rows of the same events: for ever, or only of some events, until later ones wrote
  /// the same rows again.
  @Test(arguments: [721, 722, 723, 724, 725, 726] as [UInt64])
  func rowsThatTwoProgramsMadeAreFoundFromTheirFirstBatch(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let trial = try await Trial(&random)
    let start = UInt64(20 + random.below(40))
    var other = Ledger()
    other.version = 2
    other.skewed = start..<(seed.isMultiple(of: 2) ? .max : start + 6)
    let one = try trial.history(Ledger(), "one")
    _ = try trial.history(other, "other", makes: true)
    let found = try Divergence(one, trial.history(Ledger(), "other"))

    let expected = trial.firstDifference(Ledger(), other)
    guard let expected else {
      #expect(found.verdict == .same, "seed \(seed)")
      return
    }
    #expect(found.verdict == .rows && found.isSameLog && !found.isSameProjector, "seed \(seed)")
    #expect(found.sameThrough == expected.range.firstSequence - 1, "seed \(seed)")
    #expect(found.one.batch?.range == expected.range && found.other.batch?.range == expected.range)
    #expect(found.row?.key == [.integer(Int64(expected.account))], "seed \(seed)")
    func value(_ balance: Int?) -> Value? { balance.map { .integer(Int64($0)) } }
    #expect(found.row?.one?.last == value(expected.one.balance), "seed \(seed)")
    #expect(found.row?.other?.last == value(expected.other.balance), "seed \(seed)")
    #expect(found.row?.oneEvent?.sequence == expected.one.event, "seed \(seed)")
    #expect(found.row?.otherEvent?.sequence == expected.other.event, "seed \(seed)")
  }

  /// A projector whose version did not grow with a change.
  @Test func rowsOfTheSameVersionAreComparedToo() async throws {
    var random = SplitMix(seed: 731)
    let trial = try await Trial(&random)
    var other = Ledger()
    other.skewed = 30 ..< .max
    let one = try trial.history(Ledger(), "one")
    let found = try Divergence(one, trial.history(other, "other", makes: true))
    let expected = try #require(trial.firstDifference(Ledger(), other))
    #expect(found.verdict == .rows && found.isSameProjector)
    #expect(found.one.batch?.range == expected.range)
  }

  /// Rows that differ before the logs part are found first.
  @Test func rowsAreFoundBeforeTheLogsPart() async throws {
    var random = SplitMix(seed: 741)
    let trial = try await Trial(&random, continuing: 5)
    var other = Ledger()
    other.version = 2
    other.skewed = 10 ..< .max
    let one = try trial.history(Ledger(), "one")
    _ = try trial.history(other, "other", makes: true)
    let found = try Divergence(one, trial.history(Ledger(), "other"))
    let expected = try #require(trial.firstDifference(Ledger(), other))
    #expect(found.verdict == .rows && found.one.batch?.range == expected.range)
    #expect(found.commonEvents == trial.ends.last)
    let alike = try Divergence(one, trial.history(Ledger(), "other", makes: true))
    #expect(alike.verdict == .log && alike.sameThrough == trial.ends.last)
    #expect(alike.row?.key == [.integer(7)])
    #expect(alike.row?.one == nil || alike.row?.one?.last != alike.row?.other?.last)
  }

  /// Two logs with the same events in other batches: compared after the events at which a batch of both ends.
  @Test(arguments: [751, 752, 753] as [UInt64])
  func differentLogsAreComparedByTheirRows(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let trial = try await Trial(&random)
    let entries = trial.batches.flatMap(\.self)
    let place = 10 + random.below(entries.count - 10)
    var changed = entries
    changed[place].balance = 1_000
    let second = try ScratchFolder()
    for (name, entries) in [("same", entries), ("changed", changed)] {
      let catalog = try await EventCatalog.open(
        CatalogDirectory(second.file(name)), Ledger())
      defer { catalog.close() }
      try await catalog.create(by: "test")
      var rest = entries[...]
      while !rest.isEmpty {
        let part = rest.prefix(1 + random.below(3))
        try await catalog.change(by: "test") { _ in Array(part) }
        rest = rest.dropFirst(part.count)
      }
    }
    func history(_ name: String) throws -> CatalogHistory {
      CatalogHistory(
        CatalogDirectory(second.file(name)),
        CatalogLog(EventLogReader(directory: second.file("\(name)/events")), Ledger()))
    }
    let one = try trial.history(Ledger(), "one")
    let same = try Divergence(one, history("same"))
    #expect(same.verdict == .same && !same.isSameLog && same.commonEvents == nil, "seed \(seed)")
    let found = try Divergence(one, history("changed"))
    // Event 1 makes the catalog.
    let event = UInt64(place + 2)
    let (own, others) = (
      trial.ends,
      try EventLogReader(directory: second.file("changed/events")).ends()
    )
    let common = own.filter(others.contains)
    func model(_ entries: [Ledger.Entry], _ end: UInt64) -> [Int: Int] {
      entries.prefix(Int(end) - 1).reduce(into: [:]) { $0[$1.account] = $1.balance }
    }
    let first = common.first { model(entries, $0) != model(changed, $0) }
    guard let first else {
      #expect(found.verdict == .same, "seed \(seed)")
      return
    }
    #expect(found.verdict == .rows, "seed \(seed)")
    #expect(found.one.batch?.range.lastSequence == first, "seed \(seed)")
    #expect(found.sameThrough == (common.last { $0 < first } ?? 0), "seed \(seed)")
    #expect(found.sameThrough < event && event <= first, "seed \(seed)")
    #expect(found.row?.key == [.integer(Int64(changed[place].account))], "seed \(seed)")
  }

  /// Two logs whose batches, after a common event, never end at the same number.
  @Test(arguments: [
    // The balances that the later batches of each log set, and whether the rows differ.
    ([[7, 8, 9]], [[7, 8, 1, 2, 3]], true), ([[7], [8, 9, 4, 5]], [[7, 8, 1]], true),
    ([[7, 8]], [[7, 8, 8]], false), ([[7], [8, 8]], [], false),
  ])
  func logsWhoseBatchesNeverMeetAgainAreComparedToo(
    one: [[Int]], other: [[Int]], differs: Bool
  ) async throws {
    let folder = try ScratchFolder()
    func history(_ name: String, _ batches: [[Int]]) async throws -> CatalogHistory {
      let directory = CatalogDirectory(folder.file(name))
      let catalog = try await EventCatalog.open(directory, Ledger())
      defer { catalog.close() }
      try await catalog.create(by: "test")
      // The account 0 tells apart what no later batch writes.
      try await catalog.change(by: "test") { _ in
        (0..<9).map { Ledger.Entry(account: $0, balance: 0) }
      }
      for batch in batches {
        try await catalog.change(by: "test") { _ in
          batch.map { Ledger.Entry(account: 1, balance: $0) }
        }
      }
      return CatalogHistory(
        directory, CatalogLog(EventLogReader(directory: directory.events), Ledger()))
    }
    let (left, right) = (try await history("one", one), try await history("other", other))
    let found = try Divergence(left, right)
    #expect(!found.isSameLog && found.sameThrough == 10 && found.timesDifferFrom == nil)
    #expect(found.verdict == (differs ? .rows : .same))
    #expect(found.row?.key == (differs ? [.integer(1)] : nil))
    guard differs else { return }
    for (side, batches) in [(found.one, one), (found.other, other)] {
      let batch = try #require(side.batch)
      #expect(batch.range.firstSequence == 11)
      #expect(Int(batch.range.lastSequence) - 10 >= batches[0].count)
    }
    #expect(found.row?.one != found.row?.other)
  }
}

/// A log in two folders, whose histories two versions of a program may make.
private struct Trial {
  let folder: ScratchFolder
  /// The common events of both folders after event 1, batch by batch.
  let batches: [[Ledger.Entry]]
  /// The last events of its batches.
  let ends: [UInt64]

  /// - Parameter rest: how many batches each folder gets beside the common ones.
  init(_ random: inout SplitMix, continuing rest: Int = 0) async throws {
    folder = try ScratchFolder()
    batches = (0..<30).map { _ in
      (0..<1 + random.below(5)).map { _ in
        Ledger.Entry(
          account: random.below(6), balance: random.below(4) == 0 ? nil : random.below(3))
      }
    }
    let catalog = try await EventCatalog.open(CatalogDirectory(folder.file("one")), Ledger())
    try await catalog.create(by: "test")
    for batch in batches { try await catalog.change(by: "test") { _ in batch } }
    ends = try EventLogReader(directory: folder.file("one/events")).ends()
    catalog.close()
    try FileManager.default.copyItem(atPath: folder.file("one"), toPath: folder.file("other"))
    for (name, balance) in [("one", 5), ("other", 9)] where rest > 0 {
      let catalog = try await EventCatalog.openExisting(
        CatalogDirectory(folder.file(name)), Ledger())
      for number in 0..<rest {
        try await catalog.change(by: "test") { _ in
          [Ledger.Entry(account: 7 + number, balance: balance)]
        }
      }
      catalog.close()
    }
  }

  /// - Parameter makes: whether it is made now; else the first question does.
  func history(_ kind: Ledger, _ name: String, makes: Bool = false) throws -> CatalogHistory {
    let directory = CatalogDirectory(folder.file(name))
    let history = CatalogHistory(
      directory, CatalogLog(EventLogReader(directory: directory.events), kind))
    if makes { try history.make() }
    return history
  }

  /// The first batch after which two versions of the program have other rows, and the first of these.
  func firstDifference(
    _ one: Ledger, _ other: Ledger
  ) -> (range: BatchRange, account: Int, one: Version, other: Version)? {
    var (left, right): ([Int: Version], [Int: Version]) = ([:], [:])
    var end: UInt64 = 1
    for batch in batches {
      let first = end + 1
      func apply(_ kind: Ledger, _ rows: inout [Int: Version]) {
        let before = rows
        for (place, entry) in batch.enumerated() {
          let event = first + UInt64(place)
          let balance = entry.balance.map { kind.balance($0, at: event) }
          if rows[entry.account]?.balance != balance {
            rows[entry.account] = Version(balance: balance, event: event)
          }
        }
        // A row that a batch changes and changes back keeps its version.
        for (account, version) in before where rows[account]?.balance == version.balance {
          rows[account] = version
        }
      }
      apply(one, &left)
      apply(other, &right)
      end += UInt64(batch.count)
      let account = (0..<6).first { left[$0]?.balance != right[$0]?.balance }
      if let account, let one = left[account], let other = right[account] {
        return (BatchRange(firstSequence: first, lastSequence: end), account, one, other)
      }
    }
    return nil
  }

  /// A balance, nil if the account is closed, and the event that made it so.
  struct Version {
    let balance: Int?
    let event: UInt64
  }
}

extension EventLogReader {
  /// The last events of all batches.
  fileprivate func ends() throws -> [UInt64] {
    let cursor = try cursor()
    var ends: [UInt64] = []
    while let batch = try cursor.nextBatch() { ends.append(batch.lastSequence) }
    return ends
  }
}
