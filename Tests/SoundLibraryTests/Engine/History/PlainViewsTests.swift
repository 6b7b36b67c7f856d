import CatalogEngine
import CatalogTestSupport
import Foundation
import PastViewsTestSupport
import Promises
import Testing

@testable import CatalogStore

/// The views that other programs use over a history. The suites of the other kinds ask their catalogs in the same way.
@Suite(
  .promise(
    "The views that other programs use over a history have the rows of each moment, or fail",
    by: "generated statements, in Python's `sqlite3`, compared with databases that replays "
      + "make; on a real kind"))
struct PlainViewsTests {
  /// Tables in many generations, with a full-text index.
  @Test func generatedStatementsHaveTheAnswersOfEachMoment() throws {
    let history = try GeneratedHistory(seed: 904, batches: 160)
    let trial = ViewsTrial(CatalogDirectory(history.folder.path), history.log)
    let found = try trial.compare(
      moments: 50, statements: Sample.count(2, of: 10), label: "views of sounds")
    #expect(found.contains(" statements, "), "\(found)")
    #expect(!found.contains(" 0 later generations"), "\(found)")
  }

  /// A moment that does not exist, another log, another file and newer tables are errors, whatever a statement asks.
  @Test func nothingIsAnsweredWronglyWithoutAWord() throws {
    let first = try GeneratedHistory(seed: 905, batches: 60)
    let rule = GenerationRule(leastEnded: 12)
    func made(_ log: GeneratedHistory) throws -> (path: String, sql: String) {
      let history = CatalogHistory(CatalogDirectory(log.folder.path), log.log, rule: rule)
      try history.make()
      return (history.path, try history.views(advice: "again") { _ in }.sql)
    }
    let (path, sql) = try made(first)
    let last = try #require(first.batches.last?.last).sequence
    let views = try first.folder.write(sql, to: "views.sql")
    func ask(_ statement: String, of file: String) throws -> Program {
      try Program("sqlite3", "-bail", "-readonly", "-cmd", ".read \(views)", file, statement)
    }
    let right = try ask("SELECT count(*) >= 0 FROM item_mood", of: path)
    #expect(right.output == "1\n", "\(right.everything)")
    for (statement, message) in [
      ("UPDATE moment SET sequence = \(last + 1)", "the history has no event as late as that"),
      ("UPDATE moment SET sequence = 0", "CHECK constraint failed"),
      ("UPDATE moment SET sequence = NULL", "NOT NULL constraint failed"),
      ("UPDATE moment SET sequence = '7x'", "the history has no event as late as that"),
      ("UPDATE moment SET sequence = 7.5", "CHECK constraint failed"),
      ("DELETE FROM moment", "there is one moment"),
      ("INSERT INTO moment VALUES (3)", "there is one moment"),
      ("INSERT OR REPLACE INTO moment VALUES (3)", "there is one moment"),
      (
        "DROP TRIGGER moment_known; DROP TRIGGER moment_removed; DELETE FROM moment; SELECT count(*) FROM mood",
        "the moment has to be the number of an event"
      ),
      ("DROP TABLE moment; SELECT count(*) FROM mood", "no such table: temp.moment"),
    ] {
      let run = try ask(statement, of: path)
      #expect(run.status != 0 && run.errors.contains(message), "\(statement): \(run.everything)")
      #expect(run.output.isEmpty, "\(statement): \(run.output)")
    }
    // The history of another log, and one that was cut into other tables.
    let second = try GeneratedHistory(seed: 906, batches: 60)
    let others = try made(second)
    let whole = CatalogHistory(CatalogDirectory(first.folder.path), first.log)
    try FileManager.default.copyItem(atPath: path, toPath: first.folder.file("kept.sqlite"))
    try whole.make()
    for (file, message) in [
      (others.path, "this is a history of other events"), (path, "in other tables"),
    ] {
      for statement in [
        "SELECT count(*) FROM mood", "SELECT 1 FROM item_mood", "SELECT * FROM projection_conflict",
      ] {
        let run = try ask(statement, of: file)
        #expect(run.status != 0 && run.errors.contains(message), "\(statement): \(run.everything)")
      }
    }
    let kept = try ask("SELECT count(*) >= 0 FROM item_mood", of: first.folder.file("kept.sqlite"))
    #expect(kept.output == "1\n", "\(kept.everything)")
  }

  /// Views that were written before the history continued have the moments from then on, until a table continues in another one.
  @Test func viewsAreOfUseUntilAHistoryContinuesInOtherTables() throws {
    let all = try GeneratedHistory(seed: 907, batches: 120)
    let early = try GeneratedHistory(Array(all.batches.prefix(40)))
    let written = try #require(early.batches.last?.last).sequence
    var (later, refused) = (0, 0)
    for leastEnded in [20, 60, 180] {
      func made(_ log: GeneratedHistory) throws -> (history: String, views: String) {
        let history = CatalogHistory(
          CatalogDirectory(log.folder.path), log.log, rule: GenerationRule(leastEnded: leastEnded)
        )
        try history.make()
        let sql = try history.views(advice: "again") { _ in }.sql
        return (history.path, try log.folder.write(sql, to: "views.sql"))
      }
      let (old, new) = (try made(early).views, try made(all))
      for batch in all.batches.enumerated().filter({ $0.offset % 4 == 1 }).map(\.element) {
        let last = try #require(batch.last).sequence
        let statement =
          "UPDATE moment SET sequence = \(last); SELECT (SELECT count(*) FROM library_item), (SELECT group_concat(name) FROM (SELECT name FROM mood ORDER BY name)), (SELECT count(*) FROM item_mood)"
        func ask(_ views: String) throws -> Program {
          try Program(
            "sqlite3", "-bail", "-readonly", "-cmd", ".read \(views)", new.history, statement)
        }
        let (found, wanted) = (try ask(old), try ask(new.views))
        try #require(wanted.status == 0, "\(wanted.everything)")
        if found.status == 0 {
          #expect(found.output == wanted.output, "event \(last)")
          if last > written { later += 1 }
        } else {
          #expect(found.errors.contains("write them again"), "\(found.everything)")
          #expect(last > written)
          refused += 1
        }
      }
    }
    #expect(later > 0 && refused > 0, "\(later) answers about later moments, \(refused) refusals")
  }
}
