import CatalogEngine
import CatalogModel
import CatalogTestSupport
import PostgresLog
import PostgresTestSupport
import Projections
import Promises
import Support
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Another machine appends while a change is planned: the plan goes on if it read none of the rows that changed.
@Suite(
  .promise(
    "A reader beside a writer sees each batch once, over recovery, rollover and sealing",
    by: "an app that follows a log in a server"),
  .promise("A large change that small ones have overtaken again and again comes first"),
  .promise(
    "A plan continues at a new head if none of the rows that it read have changed, and is "
      + "made again if one has",
    by: "another machine appends while a change is planned"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct KeptPlanTests {
  private let folder: ScratchFolder
  private let own: EventCatalog<Shelves>
  private let other: EventCatalog<Shelves>

  init() async throws {
    folder = try ScratchFolder()
    let address = try PostgresAddress(PostgresCluster.shared.get().address("plans"))
    var catalogs: [EventCatalog<Shelves>] = []
    for name in ["own", "other"] {
      let directory = CatalogDirectory(folder.file(name))
      try directory.shareLog(at: "\(address)")
      let catalog = try await EventCatalog.open(directory, Shelves())
      try await catalog.create(by: "test")
      catalogs.append(catalog)
    }
    (own, other) = (catalogs[0], catalogs[1])
  }

  private static let shelves = Shelf.table.description

  /// - Parameter isDisjoint: whether the other machine changes what the plan does not read.
  @Test(arguments: [true, false], [true, false])
  func aPlanGoesOnIfItsRowsAreTheSame(isDisjoint: Bool, isLoaded: Bool) async throws {
    let table = Self.shelves
    var plans = 0
    let report = try own.changeNow(by: "test", loading: isLoaded ? [table] : []) { rows in
      plans += 1
      if plans == 1 {
        try other.changeNow(by: "test") { _ in
          [isDisjoint ? .book(900, on: nil) : .shelf("Other", true)]
        }
      }
      let known = try rows.rows(in: table).count
      return [.shelf("Own \(known)", true)]
    }
    #expect(report.outcome == .applied && plans == (isDisjoint ? 1 : 2))
    // The plan that was carried out is the one of the rows before it.
    let names = try own.readAtHead { try $0.rows(in: table).map { $0[0] } }
    #expect(names.contains(.text(isDisjoint ? "Own 0" : "Own 1")), "\(names)")
    try await other.verifyIfTouched()
    #expect(try own.opened.log.head()?.sequence == 3)
  }

  /// A plan that asks for no row may look at anything.
  @Test func aPlanThatReadsNothingIsMadeAgain() async throws {
    var plans = 0
    try own.changeNow(by: "test") { _ in
      plans += 1
      if plans == 1 {
        try other.changeNow(by: "test") { _ in [.book(900, on: nil)] }
      }
      return [.shelf("Own", true)]
    }
    #expect(plans == 2)
  }

  private final class Shared: Sendable {
    let isSet = Atomic(false)
    let count = Atomic(0)
  }

  /// Another machine appends what the plan reads, all the time. Without a turn each plan would be refused.
  @Test func aLongChangeTakesItsTurn() async throws {
    let table = Self.shelves
    let state = Shared()
    let busy = try BackgroundWork { [other] in
      while !state.isSet.load(ordering: .relaxed) {
        let number = state.count.load(ordering: .relaxed)
        try other.changeNow(by: "test") { _ in [.shelf("Other \(number)", true)] }
        state.count.store(number + 1, ordering: .relaxed)
      }
    }
    var plans = 0
    let report = try own.changeNow(by: "test") { rows in
      plans += 1
      let known = try rows.rows(in: table).count
      // As long as the other one is quicker, at most.
      let start = state.count.load(ordering: .relaxed)
      for _ in 0..<200 {
        guard state.count.load(ordering: .relaxed) <= start + 1 else { break }
        usleep(5_000)
      }
      return [.shelf("Own \(known)", true)]
    }
    state.isSet.store(true, ordering: .relaxed)
    try busy.value()
    #expect(report.outcome == .applied && (2...3).contains(plans))
    let names = try own.readAtHead { try $0.rows(in: table).map { $0[0] } }
    let appended = state.count.load(ordering: .relaxed)
    #expect(names.count == appended + 1)
  }

  /// A follower takes no lock, and may have applied more than a large change before that replaces the database.
  @Test func aLargeChangeDoesNotSetTheDatabaseBack() async throws {
    let directory = own.directory
    let follower = try await EventCatalog.open(directory, Shelves())
    defer { follower.close() }
    var options = OpeningOptions()
    options.progress = { [other] progress in
      guard progress.phase == .replacing else { return }
      _ = try? other.changeNow(by: "test") { _ in [.book(900, on: nil)] }
      _ = try? follower.opened.follow()
    }
    let large = try await EventCatalog.open(directory, Shelves(), options: options)
    defer { large.close() }
    let report = try large.changeNow(by: "test") { _ in
      (1...10_001).map { .shelf("Own \($0)", true) }
    }
    #expect(report.outcome == .applied && report.sequence == 10_002)
    #expect(try large.opened.projection.checkpoint()?.sequence == 10_003)
  }

  /// A machine that joins a long log folds it, as a rebuild does.
  @Test func aLongLogIsJoinedByARebuild() async throws {
    try own.changeNow(by: "test") { _ in
      (1...10_001).map { .shelf("Own \($0)", true) }
    }
    let directory = CatalogDirectory(folder.file("third"))
    try directory.shareLog(at: own.opened.log.reader.place)
    let state = Shared()
    var options = OpeningOptions()
    options.progress = { if $0.phase == .replacing { state.isSet.store(true, ordering: .relaxed) } }
    let third = try await EventCatalog.open(directory, Shelves(), options: options)
    defer { third.close() }
    let isReplaced = state.isSet.load(ordering: .relaxed)
    #expect(isReplaced)
    #expect(try await third.opened.receipt() == own.opened.receipt())
  }

  /// A follower says how far the catalog has come, each time when others have appended.
  @Test func aFollowerAppliesWhatOthersAppend() async throws {
    let table = Self.shelves
    var reached: [UInt64] = []
    for try await sequence in own.follow(every: .milliseconds(20)) {
      reached.append(sequence)
      let known = try own.readAtHead { try $0.rows(in: table).count }
      #expect(known == reached.count - 1)
      if reached.count == 4 { break }
      try other.changeNow(by: "test") { _ in [.shelf("Shelf \(sequence)", true)] }
    }
    #expect(reached == [1, 2, 3, 4])
    // It ends with its task.
    let task = Task { [own] in
      var count = 0
      for try await _ in own.follow(every: .seconds(3_600)) { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value <= 1)
  }
}
