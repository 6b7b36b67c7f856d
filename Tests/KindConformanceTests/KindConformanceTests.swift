import CatalogEngine
import CatalogTestSupport
import Foundation
import KindConformance
import NotesKind
import SoundLibraryKind
import Testing

@Suite struct KindConformanceTests {
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
  @Test(arguments: [
    (Notes.Vice.random, [ConformanceFinding.Promise.repetition]),
    (.clock, [.encoding, .replay, .repetition]),
    (.throwing, [.outcome]), (.throwingAfterAChange, [.outcome]), (.wrongColumnType, [.outcome]),
    (.counting, [.repetition]), (.forgettingAField, [.encoding]),
    (.anotherKindsTable, [.outcome]),
  ])
  func aBadKindIsFound(
    _ vice: Notes.Vice, _ promises: [ConformanceFinding.Promise]
  ) async throws {
    let findings = try await KindConformance(Notes(vice: vice), batches: batches).findings()
    #expect(findings.contains { promises.contains($0.promise) }, "\(findings)")
  }

  /// In one process the order of a dictionary is nearly always the same: only another one is sure to show it.
  @Test func whatDependsOnTheOrderOfADictionaryIsFoundInOtherProcesses() async throws {
    let bundle = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    let program = bundle.deletingLastPathComponent().appending(path: "notesctl").path
    for vice in [Notes.Vice.none, .dictionaryOrder] {
      setenv(Notes.environment, vice.rawValue, 1)
      defer { unsetenv(Notes.environment) }
      let trial = KindConformance(Notes(vice: vice), batches: batches, program: program)
      let findings = try await trial.findings()
      if vice == .none {
        #expect(findings.isEmpty, "\(findings)")
      } else {
        #expect(findings.contains { $0.promise == .processes }, "\(findings)")
      }
    }
  }

  @Test func aHistoryWithoutEventsIsNoTrial() async throws {
    await #expect(throws: CatalogError.self) {
      _ = try await KindConformance(Notes(vice: .none), batches: []).findings()
    }
  }

  @Test func soundLibrariesKeepItAll() async throws {
    var generator = HistoryGenerator(seed: 5)
    let batches = generator.batches(12).map { batch in
      batch.map(\.event).filter {
        if case .catalogCreated = $0 { false } else { true }
      }
    }
    let findings = try await KindConformance(SoundLibrary(), batches: batches).findings()
    #expect(findings.isEmpty, "\(findings)")
  }
}
