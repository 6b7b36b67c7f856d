import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import CatalogEngine

/// Pages of lists whose keys are longer than a cursor may be.
@Suite(
  .promise("A page of a list is reached whatever the length of its keys"))
struct LongKeyTests {
  /// Names that differ early, late, after 13,000 characters, and in their length alone.
  private static let names: [String] = {
    let long = String(repeating: "é", count: 13_000)
    let control = String(repeating: "\u{1}", count: 1_000)
    return [
      "a", "b", long, long + "1", long + "2", "z" + long, control, control + "x",
      String(long.dropLast()), long + "\u{10FFFF}", "é", String(repeating: "é", count: 128),
      String(repeating: "é", count: 600), "x" + control + control,
    ]
  }()

  private func list(_ isDescending: Bool, where condition: String = "true") -> KeysetList<Gauge> {
    KeysetList(
      "gauges \(isDescending)", as: Gauge.table, from: "gauge", where: condition,
      orderedBy: [KeysetKey("name", \Gauge.name), KeysetKey("number", \Gauge.number)],
      isDescending: isDescending)
  }

  private func catalog(_ scratch: ScratchFolder) async throws -> EventCatalog<Gauges> {
    let catalog = try await EventCatalog.open(CatalogDirectory(scratch.file("C")), Gauges())
    try await catalog.create(by: "test")
    try await catalog.change(by: "test") { _ in
      Self.names.enumerated().map { GaugeRead(number: $0 + 1, name: $1, level: 1) }
    }
    return catalog
  }

  @Test(arguments: [true, false], [1, 2, 3, 5])
  func everyPageIsReached(isDescending: Bool, limit: Int) async throws {
    let scratch = try ScratchFolder()
    let catalog = try await catalog(scratch)
    defer { catalog.close() }
    let sorted = Self.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var found: [String] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await catalog.page(of: list(isDescending), limit: limit, after: cursor)
      found += page.rows.map(\.name)
      // As a command line carries it.
      let text = page.next?.description
      if let text { #expect(text.utf8.count < 16_384) }
      cursor = try text.map { try KeysetCursor($0) }
    } while cursor != nil && found.count < 100
    #expect(
      found.elementsEqual(isDescending ? sorted.reversed() : sorted) {
        $0.utf8.elementsEqual($1.utf8)
      })
  }

  /// The row that ended a page is gone: no row is left out, and only rows whose keys begin alike come twice.
  @Test(arguments: [true, false])
  func aRowThatIsGoneLosesNoOther(isDescending: Bool) async throws {
    let scratch = try ScratchFolder()
    let catalog = try await catalog(scratch)
    defer { catalog.close() }
    let all = try await catalog.page(of: list(isDescending), limit: 50).rows
    for limit in 1..<all.count {
      let page = try await catalog.page(of: list(isDescending), limit: limit)
      let last = try #require(page.rows.last)
      // Another list of the same name that has no such row.
      let without = list(isDescending, where: "number <> \(last.number)")
      let rest = try await catalog.page(of: without, limit: 50, after: page.next).rows
      let expected = all.dropFirst(limit).map(\.number)
      #expect(rest.map(\.number).suffix(expected.count) == expected)
      for row in rest.dropLast(expected.count) {
        #expect(row.name.utf8.prefix(200).elementsEqual(last.name.utf8.prefix(200)))
      }
    }
  }

  @Test func aListWithALongNameHasPages() async throws {
    let scratch = try ScratchFolder()
    let catalog = try await catalog(scratch)
    defer { catalog.close() }
    let query = String(repeating: "q", count: 60_000)
    func list(_ name: String) -> KeysetList<Gauge> {
      KeysetList(
        name, as: Gauge.table, from: "gauge", orderedBy: [KeysetKey("number", \Gauge.number)])
    }
    let next = try #require(try await catalog.page(of: list(query), limit: 3).next)
    let cursor = try KeysetCursor(next.description)
    let rest = try await catalog.page(of: list(query), limit: 50, after: cursor)
    #expect(rest.rows.map(\.number) == Array(4...Self.names.count))
    await #expect(throws: StoreError.self) {
      try await catalog.page(of: list(query + "r"), limit: 50, after: cursor)
    }
  }
}
