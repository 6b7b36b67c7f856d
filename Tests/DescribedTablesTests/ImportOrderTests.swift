import CatalogTestSupport
import Promises
import Testing

@Suite(
  "The order of a table's rows is in no event",
  .promise(
    "After an import a table is what its document has",
    by: "rows in any order append the same"))
struct ImportOrderTests {
  /// A rebuilt table has its rows in the order of their keys, and another one in that in which they came.
  @Test("An import appends the same after a rebuild", arguments: ["sku", "whole row"])
  func appendsTheSame(key: String) throws {
    let folder = try ScratchFolder()
    let kind = try folder.write(
      """
      {"kind": "k", "version": 1, "tables": {"t": {"key": "\(key)",
        "columns": {"sku": "text", "n": "integer", "x": "number?"}}}}
      """, to: "kind.json")
    func run(_ catalog: String, _ words: String...) throws -> String {
      let run = try Program(
        [BuiltProgram.path("catalogctl")] + words + ["--catalog", folder.file(catalog)])
      try #require(run.status == 0, "\(words): \(run.everything)")
      return run.output
    }
    func document(_ skus: [Int], _ n: Int, _ name: String) throws -> String {
      // Each third row is there twice if rows need no key.
      let twice = key == "sku" ? [] : skus.filter { $0 % 3 == 0 }
      let lines = (skus + twice).map { "s\($0),\($0 % 5 == 0 ? n : 1),0.5\n" }
      return try folder.write("sku,n,x\n" + lines.joined(), to: name)
    }
    _ = try run("one", "init", "--describe", kind)
    // The first rows come last in key order.
    _ = try run("one", "import", "t=\(document(Array(30..<60), 1, "a.csv"))")
    _ = try run("one", "import", "t=\(document(Array(0..<30).reversed(), 1, "b.csv"))")
    _ = try Program("cp", "-a", folder.file("one"), folder.file("two"))
    _ = try run("two", "rebuild")
    let next = try document(Array(0..<60).filter { $0 % 7 != 0 }, 2, "c.csv")
    for catalog in ["one", "two"] {
      _ = try run(
        catalog, "import", "t=\(next)", "--complete", "--allow-removal", "--at",
        "2031-01-01T00:00:00Z")
    }
    #expect(try run("one", "head") == run("two", "head"))
    #expect(try run("one", "verify").contains("verified"))
  }
}
