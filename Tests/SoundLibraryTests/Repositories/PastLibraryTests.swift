import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// A library as it was: its answers are those that it gave then.
@Suite(
  .promise(
    "The catalog as it was, the event behind each cell, and the changes between two "
      + "moments are what plain models find",
    by: "a sound library"))
struct PastLibraryTests {
  /// The answers of a library about lists, facets, search, packs and tags.
  private static func answers(_ library: SoundLibrary) async throws -> [String] {
    var answers: [String] = []
    for kind in Kind.allCases {
      let page = try await library.library.fetchPage(
        kind: kind, limit: 3, facets: .disjunctive, includingZero: true)
      answers.append("\(kind) \(page)")
      for query in ["son", "forest", "café", "sound 10", "ominous", "renamed"] {
        answers.append("\(query) \(try await library.library.searchPage(kind: kind, query: query))")
      }
      if kind != .music { answers.append("\(try await library.packs.listPacks(kind: kind))") }
    }
    for dimension in TagDimension.all {
      answers.append("\(try await library.vocabulary.values(of: dimension))")
    }
    answers.append(
      "\(try await library.library.fetchItemDetail(itemId: #require(UUID(uuidString: TestSeed.id(2)))))"
    )
    return answers
  }

  @Test(arguments: [true, false]) func itAnswersAsItDid(keepsHistory: Bool) async throws {
    let scratch = try ScratchCatalog()
    let library = try await scratch.open {
      $0.keepsHistory = keepsHistory
      $0.indexThreshold = 1
    }
    defer { library.close() }
    var known: [(sequence: UInt64, answers: [String])] = []
    var seed = TestSeed.sample()
    for revision in 1...4 {
      seed.revision = revision
      if revision > 1 {
        seed.music[revision - 2].title = "Renamed \(revision)"
        seed.music[2].tags["moods"] = ["Ominous"]
        seed.packs[0].items.removeLast()
      }
      try await library.importer.applyUpdates(seed.source)
      known.append((try #require(try scratch.head).sequence, try await Self.answers(library)))
    }
    #expect(Set(known.map(\.answers)).count == known.count)
    for (sequence, answers) in known.shuffled() {
      let past = try await library.past(after: sequence)
      #expect(try await Self.answers(past) == answers, "after event \(sequence)")
    }
    let exists = FileManager.default.fileExists(
      atPath: scratch.directory.path + "/history.sqlite")
    #expect(exists == keepsHistory)
  }

  /// A library that is read as it was refuses every change, and writes nothing.
  @Test func itCannotBeChanged() async throws {
    let scratch = try ScratchCatalog()
    let library = try await scratch.open()
    defer { library.close() }
    try await library.importer.applyUpdates(TestSeed.sample().source)
    let first = try #require(try scratch.head).sequence
    let past = try await library.past(after: first)
    let files = try scratch.logFiles
    await #expect(throws: CatalogError.self) {
      try await past.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    }
    await #expect(throws: CatalogError.self) { try await past.rebuild() }
    await #expect(throws: CatalogError.self) { try await past.verifyIfTouched() }
    #expect(try scratch.logFiles == files)
    // It is the same whatever is changed afterwards, and closing it leaves the library open.
    let before = try await Self.answers(past)
    try await library.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    #expect(try await Self.answers(past) == before)
    past.close()
    #expect(try await library.library.countItems(kind: .music) == 3)
    await #expect(throws: CatalogError.self) { try await library.past(after: 1_000_000) }
  }

  /// An observation of the past has one element.
  @Test func itDoesNotChange() async throws {
    let scratch = try ScratchCatalog()
    let library = try await scratch.open()
    defer { library.close() }
    try await library.importer.applyUpdates(TestSeed.sample().source)
    let past = try await library.past(at: ScratchCatalog.time(1_767_225_600_000))
    var pages = 0
    for try await items in past.library.observeItems(kind: .music) {
      #expect(items.count == 3)
      pages += 1
    }
    #expect(pages == 1)
  }
}
