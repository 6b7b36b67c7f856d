import CatalogEngine
import CatalogTestSupport
import Foundation
import KindConformance
import NotesKind
import PastViewsTestSupport
import Promises
import Testing

@Suite(
  .promise(
    "Generated statements have at a moment the answers of the database of that moment",
    by: "for every kind of this package"),
  .promise(
    "A second row with the same value in a unique column is a contradiction of its event"),
  .promise(
    "A kind keeps what the engine promises of all kinds, and a kind that does not is found",
    by: "kinds that ask a clock or a die, throw, put a wrong type, leave a row that refers "
      + "to no row"))
struct KindConformanceTests {
  private let batches = [
    [NoteWritten(number: 1, text: "one")],
    [NoteWritten(number: 2, text: "two"), NoteWritten(number: 3, text: "three")],
    [NoteWritten(number: 1, text: "once more")],
  ]

  @Test func aGoodKindKeepsItAll() async throws {
    let findings = try await KindConformance(Notes(vice: .none), batches: batches).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  /// A clock that shows seconds is found in whichever step the second ends first.
  @Test(
    arguments: Sample.of(
      [
        (Notes.Vice.random, [ConformanceFinding.Promise.encoding, .replay]),
        (.clock, [.encoding, .replay]),
        (.throwing, [.outcome]), (.throwingAfterAChange, [.outcome]),
        (.wrongColumnType, [.outcome]),
        (.forgettingAField, [.encoding]),
        (.anotherKindsTable, [.outcome]), (.danglingReference, [.references]),
      ], "bad kinds", isDear: true))
  func aBadKindIsFound(
    _ vice: Notes.Vice, _ promises: [ConformanceFinding.Promise]
  ) async throws {
    let findings = try await KindConformance(Notes(vice: vice), batches: batches).findings()
    #expect(findings.contains { promises.contains($0.promise) }, "\(findings)")
  }

  /// In one process a text has always the same hash: only another one shows what depends on it. Two equal dictionaries may
  /// have two orders within one process, by where they lie: any step may find that.
  @Test func whatDependsOnHashesIsFound() async throws {
    let folder = try ScratchFolder()
    func found(_ vice: Notes.Vice) async throws -> [ConformanceFinding] {
      try await KindConformance(
        Notes(vice: vice), batches: batches, program: NotesTrial.program(vice, in: folder)
      ).findings()
    }
    let none = try await found(.none)
    #expect(none.isEmpty, "\(none)")
    let hashes = try await found(.hashOrder)
    #expect(hashes.map(\.promise) == [.processes], "\(hashes)")
    #expect(try await !found(.dictionaryOrder).isEmpty)
  }

  @Test func wordsOfSQLAreNames() async throws {
    let batches = [
      [EntryWritten(index: 1, group: "one"), EntryWritten(index: 2, group: "two two")],
      [EntryWritten(index: 1, group: "one more"), EntryWritten(index: 3, group: "three")],
      [EntryWritten(index: 2, group: nil)], [EntryWritten(index: 2, group: "two")],
    ]
    let findings = try await KindConformance(Keywords(), batches: batches).findings()
    #expect(findings.isEmpty, "\(findings)")
    let folder = try ScratchFolder()
    let trial = try ViewsTrial.catalog(Keywords(), batches, in: folder)
    let found = try trial.compare(moments: 5, statements: 20, label: "words of SQL")
    #expect(found.contains(" statements, "), "\(found)")
  }

  /// The engine refuses such an event before the append, as it refuses a contradiction.
  @Test func aSecondRowWithAUniqueValueIsAContradiction() async throws {
    let batches = [
      [EntryWritten(index: 1, group: "one"), EntryWritten(index: 2, group: "two")],
      [EntryWritten(index: 3, group: "one"), EntryWritten(index: 4, group: "four")],
      [EntryWritten(index: 1, group: "three")],
      [EntryWritten(index: 3, group: "one"), EntryWritten(index: 4, group: nil)],
      [EntryWritten(index: 2, group: "four")],
    ]
    let findings = try await KindConformance(Keywords(), batches: batches).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func aHistoryWithoutEventsIsNoTrial() async throws {
    await #expect(throws: CatalogError.self) {
      _ = try await KindConformance(Notes(vice: .none), batches: []).findings()
    }
  }
}
