import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Synchronization
import Testing

@testable import CatalogStore
@testable import SoundLibrary

/// Time is only data: whatever the clock does, the same work makes the same events in the same order.
@Suite(
  .promise(
    "The clock is data: standing still, a day or fifty years back, the same events and rows",
    by: "on a real kind"))
struct ClockTests {
  enum Course: String, CaseIterable, CustomStringConvertible {
    case steady, standsStill, aDayBack, fiftyYearsBack, backAgainAndAgain, ofTheYearZero

    /// What the clock shows when it is looked at the Nth time, in milliseconds since 1970.
    func time(_ look: Int) -> Int64 {
      let start: Int64 = 1_767_225_600_000
      let day: Int64 = 86_400_000
      let steady = start + Int64(look) * 1_000
      return switch self {
      case .steady: steady
      case .standsStill: start
      case .aDayBack: look < 3 ? steady : steady - day
      case .fiftyYearsBack: look < 3 ? steady : steady - 50 * 365 * day
      case .backAgainAndAgain: start - Int64(look) * 400 * day
      case .ofTheYearZero: look < 3 ? steady : -62_167_219_200_000
      }
    }

    var description: String { rawValue }
  }

  @Test(arguments: Course.allCases)
  func orderAndReplayAreThoseOfAClockThatIsRight(_ course: Course) async throws {
    let right = try await Work(.steady)
    let work = try await Work(course)
    #expect(work.events.count > 30)
    #expect(work.events == right.events)
    #expect(work.sequences == Array(1...UInt64(work.events.count)))
    #expect(work.content == right.content)
    #expect(work.log == right.log)
    // The clock was looked at, and its times are in the events as it told them.
    #expect(Set(work.times).isSubset(of: work.told))
    #expect(course == .standsStill || Set(work.times).count > 3)
    #expect(course != .aDayBack || work.times != work.times.sorted())

    // A replay from event 1 makes the rows that the work left, times included.
    let catalog = try await work.scratch.open()
    let receipt = try await catalog.receipt()
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == receipt)
    catalog.close()
    let reducer = try work.scratch.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output) \(reducer.errors)")
  }

  /// Files that are fifty years old, or of the future, are read and written like any other: nothing
  /// looks at their times.
  @Test(arguments: [-50.0, -1, 50])
  func timesOfFilesMeanNothing(_ years: Double) async throws {
    let work = try await Work(.steady)
    let moment = Date(timeIntervalSinceNow: years * 365 * 86_400)
    for folder in [work.scratch.directory.events, work.scratch.scratch.file("library")] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        try FileManager.default.setAttributes(
          [.modificationDate: moment], ofItemAtPath: folder + "/" + name)
      }
    }
    let catalog = try await work.scratch.open()
    let report = try await catalog.importer.applyUpdates(TestSeed.sample(revision: 3).source)
    #expect(report.outcome != .unchanged)
    catalog.close()
    let control = try await Work(.steady)
    try await control.scratch.apply(TestSeed.sample(revision: 3))
    #expect(try await work.scratch.receipt() == control.scratch.receipt())
    #expect(try work.scratch.head == control.scratch.head)
  }

  /// The same work every time, with a catalog that is opened anew now and then.
  private struct Work {
    let scratch: ScratchCatalog
    /// Lines of the log without what is time or follows from it.
    let events: [String]
    let sequences: [UInt64]
    let times: [Int64]
    /// What the clock showed.
    let told: Set<Int64>
    /// The timeless part of the receipt.
    let content: String
    /// Batches of the log: their events.
    let log: [UInt64]

    init(_ course: Course) async throws {
      let scratch = try ScratchCatalog()
      self.scratch = scratch
      let looks = Looks()
      let clock = CatalogClock { Timestamp(milliseconds: looks.next(of: course)) }

      for revision in 1...2 {
        let catalog = try await scratch.open { $0.clock = clock }
        var seed = TestSeed.sample(revision: revision)
        if revision == 2 {
          seed.music[0].title = "Another title"
          seed.packs[1].items.removeLast()
        }
        try await catalog.importer.applyUpdates(seed.source)
        let forest = try await catalog.vocabulary.value(named: "Forest", in: .locations).id
        if revision == 1 {
          try await catalog.tags.rename(forest, in: .locations, to: "Deep Forest")
        } else {
          try await catalog.tags.rename(forest, in: .locations, to: "Forest again")
        }
        catalog.close()
      }
      let catalog = try await scratch.open { $0.clock = clock }
      content = try await catalog.receipt().json(.content)
      catalog.close()

      var events: [String] = []
      var sequences: [UInt64] = []
      var times: [Int64] = []
      var log: [UInt64] = []
      let replay = try EventReplay(
        EventLogReader(directory: scratch.directory.events).soundLibrary)
      while let batch = try replay.nextRecords({ record in
        sequences.append(record.sequence)
        times.append(record.at.milliseconds)
        events.append("\(record.by) \(record.event)")
      }) {
        log.append(batch.eventCount)
      }
      self.events = events
      self.sequences = sequences
      self.times = times
      self.log = log
      told = looks.told
    }
  }

  private final class Looks: Sendable {
    private let state = Mutex((count: 0, told: Set<Int64>()))

    var told: Set<Int64> { state.withLock { $0.told } }

    func next(of course: Course) -> Int64 {
      state.withLock { state in
        let time = course.time(state.count)
        state.count += 1
        state.told.insert(time)
        return time
      }
    }
  }
}
