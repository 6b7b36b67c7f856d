import CatalogEngine
import CatalogTestSupport
import DescribedTables
import Projections
import Promises
import Testing

@Suite(
  "A column whose type becomes wider keeps its values",
  .promise(
    "A description that rows do not fit is refused with those rows; a type that becomes "
      + "wider keeps all values"))
struct WideningTests {
  private static func description(_ type: String, version: Int) throws -> KindDescription {
    let text = """
      { "kind": "counts", "version": \(version), "tables": {
        "count": { "key": "id", "columns": {"id": "text", "n": {"type": "\(type)", "default": 0}} } } }
      """
    return try KindDescription.read(Array(text.utf8), file: "kind.json")
  }

  /// A `Double` has no 2^53 + 1. A row that changed since is of no help: the past has the number.
  @Test("A whole number that would be rounded stands in the way")
  func aRoundedNumberIsRefused() async throws {
    for (number, isTaken) in [
      (9_007_199_254_740_992, true), (9_007_199_254_740_993, false), (Int64.max, false),
      (Int64.min, true),
    ] as [(Int64, Bool)] {
      let folder = try ScratchFolder()
      let directory = CatalogDirectory(folder.path)
      let kind = DescribedKind(try Self.description("integer", version: 1))
      _ = try TableCatalog.create(in: directory, kind, options: OpeningOptions())
      for value in [number, 5] {
        let catalog = EventCatalog(
          kind, try OpenedCatalog.openExisting(directory, kind, options: OpeningOptions()))
        defer { catalog.close() }
        try catalog.changeNow(by: "person") { _ in
          [Stock.put("count", ["id", "n"], [[.text("a"), .integer(value)]])]
        }
      }
      let head = try directory.existingLog().head()
      var options = OpeningOptions()
      options.stale = .rebuild
      let change = try DescriptionChange(
        from: kind.description, to: Self.description("number", version: 2), dropping: [])
      if isTaken {
        _ = try TableCatalog.describe(change, in: directory, kind, options: options)
        continue
      }
      let refusal = try #require(throws: DescriptionRefusal.self) {
        _ = try TableCatalog.describe(change, in: directory, kind, options: options)
      }
      let reason = try #require(refusal.reasons.first)
      #expect(reason.hasPrefix("event 3 would change nothing: "), "\(refusal)")
      #expect(refusal.reasons.count == 1, "\(refusal)")
      #expect(try directory.existingLog().head() == head)
    }
  }
}
