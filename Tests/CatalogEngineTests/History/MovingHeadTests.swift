import CatalogEngine
import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import Synchronization
import Testing

/// Another program appends whenever a revert was planned.
@Suite(
  .promise(
    "A plan continues at a new head if none of the rows that it read have changed, and is "
      + "made again if one has",
    by: "another program appends whenever a revert was planned"))
struct MovingHeadTests {
  private let folder: ScratchFolder
  private let own: EventCatalog<Shelves>
  private let appends = Appends()

  /// The appends of the other program, which come when the revert asks for the time: after it read the log's head.
  private final class Appends: Sendable {
    private struct State {
      var left = 0
      var done = 0
      var keptOut = 0
      var catalog: EventCatalog<Shelves>?
    }

    private let state = Mutex(State())

    /// Those that came while the revert kept others out are not among them.
    var done: Int { state.withLock { $0.done - $0.keptOut } }

    func begin(_ count: Int, in catalog: EventCatalog<Shelves>) {
      state.withLock { $0 = State(left: count, catalog: catalog) }
    }

    func next() {
      let number = state.withLock { state -> (EventCatalog<Shelves>, Int)? in
        guard state.left > 0, let catalog = state.catalog else { return nil }
        (state.left, state.done) = (state.left - 1, state.done + 1)
        return (catalog, state.done)
      }
      guard let (catalog, number) = number else { return }
      do {
        try catalog.changeNow(by: "other", wait: .zero) { _ in
          [.shelf("Other \(number)", true)]
        }
      } catch let error as EventLogError where error.code == .locked {
        state.withLock { $0.keptOut += 1 }
      } catch {
        Issue.record(error)
      }
    }
  }

  init() async throws {
    folder = try ScratchFolder()
    let (directory, appends) = (CatalogDirectory(folder.file("library")), appends)
    let options = OpeningOptions(
      clock: CatalogClock {
        appends.next()
        return CatalogClock.system.now()
      })
    own = try await EventCatalog.open(directory, Shelves(), options: options)
    try await own.create(by: "test")
    try own.changeNow(by: "test") { _ in [.shelf("Own", true)] }
  }

  private var names: Set<Value> {
    get throws {
      try own.readAtHead { rows in
        Set(try rows.rows(in: Shelf.table.description).map { $0[0] })
      }
    }
  }

  @Test func aRevertIsPlannedAgainAfterAnAppendOfAnother() async throws {
    let operation = try #require(try own.opened.log.head()).sequence
    let other = try await EventCatalog.open(
      CatalogDirectory(folder.file("library")), Shelves())
    appends.begin(1, in: other)
    let report = try await own.revert(.events(operation...operation))
    #expect(appends.done == 1)
    #expect(report.change?.outcome == .applied)
    #expect(try names == [.text("Other 1")])
  }

  /// The second plan keeps others out until the revert is in the log.
  @Test func aRevertIsDoneHoweverOftenOthersAppend() async throws {
    let operation = try #require(try own.opened.log.head()).sequence
    let other = try await EventCatalog.open(
      CatalogDirectory(folder.file("library")), Shelves())
    appends.begin(.max, in: other)
    let report = try await own.revert(.events(operation...operation))
    #expect(report.change?.outcome == .applied)
    #expect(appends.done == 1)
    #expect(try names == [.text("Other 1")])
  }

  /// The name of the last operation is that of another one once others have appended.
  @Test func aRevertTakesBackTheOperationThatWasTheLastOne() async throws {
    let operation = try #require(try own.opened.log.head()).sequence
    let other = try await EventCatalog.open(
      CatalogDirectory(folder.file("library")), Shelves())
    appends.begin(1, in: other)
    let name = try #require(OperationName("head"))
    let report = try await own.revert(name)
    #expect(appends.done == 1)
    #expect(report.operations.map(\.first) == [Int64(operation)])
    #expect(try names == [.text("Other 1")])
  }
}
