import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine

/// A change that leaves a row which refers to no row is refused before the append, be it small or large.
@Suite(
  .promise(
    "A row refers to a row that exists after every change; what an earlier log left is "
      + "listed and stops nothing"))
struct ReferenceTests {
  private static let large = 10_001

  private struct Scratch {
    let folder: ScratchFolder
    var directory: CatalogDirectory { CatalogDirectory(folder.file("C")) }

    init() throws { folder = try ScratchFolder() }

    func open() async throws -> EventCatalog<Shelves> {
      let catalog = try await EventCatalog.open(directory, Shelves())
      try await catalog.create(by: "test")
      try await catalog.change(by: "test") { _ in
        [
          .shelf("a", true), .shelf("b", true), .book(1, on: "a"), .book(2, on: "b"),
          .book(3, on: nil),
        ]
      }
      return catalog
    }

    func log() throws -> [Data] {
      let path = directory.events
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map {
        try Data(contentsOf: URL(filePath: "\(path)/\($0)"))
      }
    }
  }

  /// Events, and the row that refers to no row after them; nil if there is none.
  struct Case: CustomStringConvertible {
    var events: [ShelfEvent]
    var dangling: String?
    var description: String { "\(events)" }
  }

  @Test(
    arguments: [
      Case(events: [.book(9, on: "z")], dangling: "book[number=9] refers to shelf[name='z']"),
      Case(events: [.shelf("a", false)], dangling: "book[number=1] refers to shelf[name='a']"),
      Case(events: [.book(2, on: "A")], dangling: "book[number=2] refers to shelf[name='A']"),
      // The last state counts, in whichever order the events come.
      Case(events: [.book(9, on: "z"), .shelf("z", true)]),
      Case(events: [.shelf("a", false), .book(1, on: "b")]),
      Case(events: [.shelf("a", false), .shelf("a", true)]),
      Case(events: [.book(9, on: "z"), .book(9, on: nil)]),
      Case(
        events: [.shelf("a", false), .book(1, on: nil), .shelf("b", false)],
        dangling: "book[number=2] refers to shelf[name='b']"),
    ], [0, 40, large])
  func aChangeLeavesNoReferenceToNothing(_ tried: Case, others: Int) async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    let log = try scratch.log()
    let events =
      tried.events + (0..<others).map { ShelfEvent.book(100 + $0, on: $0 % 2 == 0 ? "b" : nil) }
    if let dangling = tried.dangling {
      let error = await #expect(throws: ProjectionError.self) {
        try await catalog.change(by: "test") { _ in events }
      }
      #expect(error?.code == .contradiction)
      #expect(
        error?.message.hasPrefix(dangling) == true || others > 0, "\(String(describing: error))")
      #expect(try scratch.log() == log)
    } else if others == 0 || !tried.events.contains(.shelf("b", false)) {
      #expect(try await catalog.change(by: "test") { _ in events }.outcome == .applied)
    }
    try await catalog.verifyIfTouched()
  }

  /// A log of an earlier release may have such rows: they are listed, and stop no replay and no other change.
  @Test(arguments: [1, large])
  func whatALogHasIsListedAndBlocksNothing(count: Int) async throws {
    let scratch = try Scratch()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    let writer = try catalog.opened.openLog(knownHeads: [])
    var batch = try EventBatch(
      writer, after: writer.head, at: Timestamp(milliseconds: 1), by: "test", input: [])
    try batch.add(ShelfEvent.book(7, on: "gone"), Shelves())
    _ = try batch.append(to: writer)
    writer.close()
    try ProjectionUpdate(catalog.opened.log, catalog.opened.projection).catchUp()

    let expected = "book[number=7] refers to shelf[name='gone'], which does not exist"
    let quick = try await QuickVerification(catalog.opened).run()
    #expect(quick.findings.isEmpty)
    #expect(quick.references.map(\.description) == [expected])
    let events = (0..<count).map { ShelfEvent.book(100 + $0, on: "a") }
    #expect(try await catalog.change(by: "test") { _ in events }.outcome == .applied)
    try await catalog.rebuild()
    await #expect(throws: ProjectionError.self) {
      try await catalog.change(by: "test") { _ in events + [.book(8, on: "gone")] }
    }
    // The missing row mends it.
    try await catalog.change(by: "test") { _ in [.shelf("gone", true)] }
    #expect(try await QuickVerification(catalog.opened).run().references.isEmpty)
  }
}
