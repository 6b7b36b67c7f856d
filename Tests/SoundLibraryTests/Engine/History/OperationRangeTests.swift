import CatalogModel
import CatalogTestSupport
import EventLog
import Promises
import SoundLibraryTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

@Suite(
  .promise(
    "An operation is named by its first event, its id or its beginning, and a wrong name "
      + "says why it is wrong",
    by: "generated histories, on a real kind"))
struct OperationRangeTests {
  /// A number that is no event can begin the id of an operation, and 0 begins no number.
  @Test func digitsThatAreNoEventAreTheBeginningOfAnID() throws {
    var generator = HistoryGenerator(seed: 703)
    let batches = generator.batches(60)
    let history = try GeneratedHistory(batches)
    var found = 0
    for batch in batches.dropFirst() {
      let digits = batch[0].operation.description.prefix { $0.isASCII && $0.isNumber }
      guard digits.count >= OperationName.leastPrefix, digits.count < 8 else { continue }
      let moment = try #require(Moment(String(digits)))
      let state = try moment.found(in: history.log)
      #expect(state.moment == .operation(.prefix(String(digits))), "\(digits)")
      #expect(state.sequence == batch.last?.sequence, "\(digits)")
      found += 1
    }
    #expect(found > 2)
    #expect(Moment("0123") == .operation(.prefix("0123")))
    #expect(Moment("012") == .sequence(12))
    #expect(throws: CatalogError.self) { try Moment.sequence(0).found(in: history.log) }
  }

  /// Each batch of generated logs is found by every name that it has, from the log alone, by a history of all of it and by
  /// one of its beginning.
  @Test(arguments: [701, 702] as [UInt64])
  func everyOperationIsFound(seed: UInt64) throws {
    var generator = HistoryGenerator(seed: seed)
    let batches = generator.batches(24)
    let log = try GeneratedHistory(batches)
    let part = try GeneratedHistory(Array(batches.prefix(12)))
    let whole = log.catalogHistory
    let beginning = CatalogHistory(CatalogDirectory(part.folder.path), log.log)
    try whole.make()
    try part.catalogHistory.make()
    #expect(try beginning.openAsItIs() != nil)
    for batch in batches.dropFirst() {
      let (first, last) = (batch[0].sequence, try #require(batch.last).sequence)
      let id = batch[0].operation
      let names = ["\(id)", id.description.uppercased(), "\(id)".prefix(14), "\(first)..\(last)"]
        .map { "\($0)" }
      for name in names {
        for history in [nil, whole, beginning] {
          let found = try OperationRange(
            try #require(OperationName(name)), in: log.log, history: history)
          #expect(found.first == first && found.last == last, "seed \(seed), \(name)")
          #expect(found.operations == [id])
          #expect(found.before == (try log.log.batch(containing: first)).previousHead)
          #expect(found.after == (try log.log.batch(containing: last)).head)
        }
      }
      #expect(try find("\(first)", log) == (first == last ? "\(first)" : "cut"))
    }
    let (from, to) = (batches[3][0].sequence, try #require(batches[6].last).sequence)
    let range = try OperationRange(.events(from...to), in: log.log)
    #expect(range.operations == batches[3...6].map { $0[0].operation })
  }

  @Test func whatIsNoOperationSaysWhy() throws {
    var generator = HistoryGenerator(seed: 703)
    var batches = generator.batches(12)
    let ids = ["11111111-2222-4000-8000-000000000001", "11111111-2222-4000-8000-000000000002"]
      .compactMap { EntityID($0) }
    for (batch, id) in [(2, ids[0]), (4, ids[1]), (6, ids[1])] {
      for place in batches[batch].indices { batches[batch][place].operation = id }
    }
    let mixed = try #require(batches.lastIndex { $0.count > 2 })
    let within = try #require(EntityID("99999999-2222-4000-8000-000000000001"))
    batches[mixed][1].operation = within
    let log = try GeneratedHistory(batches)
    let history = log.catalogHistory
    try history.make()
    func message(_ name: String) throws -> String {
      var messages: Set<String> = []
      for history in [nil, history] {
        do {
          _ = try OperationRange(
            try #require(OperationName(name)), in: log.log, history: history)
          messages.insert("found")
        } catch let error as CatalogError {
          messages.insert(error.message)
        }
      }
      #expect(messages.count == 1)
      return messages.first ?? ""
    }
    #expect(try message("\(ids[0])") == "found")
    #expect(try message("11111111").hasPrefix("2 operations begin with 11111111: \(ids[0]), "))
    #expect(throws: CatalogError.self) {
      try OperationName(id: "1111")?.requireOne(in: log.log.reader)
    }
    #expect(try message("1111").hasPrefix("2 operations begin with 1111: \(ids[0]), "))
    #expect(try message("\(ids[1])").contains("has events among those of others"))
    #expect(try message("\(within)").contains("has events among those of others"))
    #expect(try message("abababab").hasPrefix("the log has no operation abababab"))
    #expect(try message("\(batches[0][0].operation)").hasPrefix("event 1 says what"))
    #expect(try message("1").hasPrefix("event 1 says what"))
    let last = log.records.count
    let none = "there is no event \(last + 1); the log holds events 1 to \(last)"
    #expect(try message("\(last + 1)") == none)
    #expect(try message("87654321").hasPrefix("there is no event 87654321"))
    let batch = batches[mixed]
    let (start, end) = (batch[0].sequence, try #require(batch.last).sequence)
    #expect(
      try message("\(start + 1)")
        == "events \(start) to \(end) are one batch, and a batch is taken as a whole: name \(start)..\(end)"
    )
    #expect(try message("2..\(start)").contains("name 2..\(end)"))
  }

  private func find(_ name: String, _ log: GeneratedHistory) throws -> String {
    do {
      let range = try OperationRange(try #require(OperationName(name)), in: log.log)
      return range.first == range.last ? "\(range.first)" : "\(range.first)..\(range.last)"
    } catch let error as CatalogError where error.code == .noMoment {
      return "cut"
    }
  }
}
