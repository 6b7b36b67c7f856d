import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A catalog of tables on a file system in memory with so many pages to go.
@Suite(
  "On a full disk an import is refused whole, and succeeds when there is room",
  .promise(
    "An update that a full disk or an I/O error interrupts says so, and the next one finds "
      + "everything",
    by: "an import of tables, on a file system in memory"))
struct DescribedFullDiskTests {
  @Test(
    .enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"),
    arguments: [0, 6, 40])
  func refuses(pages: Int) throws {
    let folder = try ScratchFolder()
    let kind = try folder.write(
      """
      {"kind": "shop", "tables": {"product": {"key": "sku", "search": ["name"],
        "columns": {"sku": "text", "name": "text", "price": {"type": "integer", "default": 1}}}}}
      """, to: "kind.json")
    func list(_ price: Int, _ rows: Range<Int>) throws -> String {
      try folder.write(
        "sku,name,price\n" + rows.map { "S\($0),Lamp \($0 &* 7919),\(price)\n" }.joined(),
        to: "list-\(price).csv")
    }
    let volume = try MemoryVolume(at: folder.file("volume"), size: "32m")
    do {
      let path = folder.file("volume/shop")
      /// Temporary files, too, are made on the volume.
      func run(_ words: String...) throws -> Program {
        try Program(
          ["env", "TMPDIR=\(folder.file("volume"))", BuiltProgram.path("catalogctl")] + words
            + ["--catalog", path])
      }
      try #require(run("init", "--describe", kind).status == 0)
      try #require(run("import", "product=\(list(1, 0..<500))").status == 0)
      let (head, rows) = (try run("head").output, try run("rows", "product", "--csv").output)
      let other = try list(2, 100..<4_000)
      try volume.fill(leaving: pages)

      let refused = try run("import", "product=\(other)")
      #expect(refused.status == 1, "\(pages) pages: \(refused.everything)")
      let words = ["No space left on device", "disk is full", "free space"]
      #expect(words.contains { refused.errors.contains($0) }, "\(pages) pages: \(refused.errors)")
      // With room for the log alone the events are there, and the error says that the database is not.
      let isAppended = try run("head").output != head
      #expect(isAppended == refused.errors.contains("the database does not have them yet"))
      #expect(pages > 6 || !isAppended, "\(refused.errors)")
      if !isAppended,
        ["the database failed", "catalog.sqlite"].contains(where: refused.errors.contains)
      {
        #expect(refused.errors.contains("nothing was appended"), "\(refused.errors)")
      }
      // To show events that the database lacks, a reader needs room, too.
      if !isAppended { #expect(try run("rows", "product", "--csv").output == rows) }

      try volume.empty()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("volume"))
      #expect(names == ["shop"], "nothing is left over: \(names)")
      let taken = try run("import", "product=\(other)")
      #expect(
        taken.status == 0
          && taken.output.contains(
            isAppended ? "nothing new" : "3,500 added, 400 changed (price 400)"),
        "\(taken.everything)")
      #expect(try run("verify").status == 0)
    } catch {
      Issue.record(error)
    }
    try volume.unmount()
  }

  /// With any room a catalog is there as a whole, or nothing is.
  @Test(
    .enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"),
    arguments: [["--kind", "track-library"], ["--table", "product=list.csv", "--key", "sku"]])
  func beginsWholeOrNotAtAll(how: [String]) throws {
    let folder = try ScratchFolder()
    let list = try folder.write("sku,name\n1,Lamp\n2,Tap\n3,Sink\n", to: "list.csv")
    let words = how.map { $0.replacing("list.csv", with: list) }
    let volume = try MemoryVolume(at: folder.file("volume"), size: "4m")
    do {
      var statuses: Set<Int32> = []
      for pages in [0, 1, 2, 3, 5, 8, 13, 16, 21, 24, 28, 31, 34, 40, 55, 89, 144] {
        try volume.fill(leaving: pages)
        let made = try Program(
          [BuiltProgram.path("catalogctl"), "init", "--catalog", folder.file("volume/a/shop")]
            + words)
        statuses.insert(made.status)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("volume"))
        #expect(
          names.contains("a") == (made.status == 0),
          "\(pages) pages: \(made.everything) \(names)")
        try volume.empty()
        if made.status == 0 {
          let check = try Program(
            BuiltProgram.path("catalogctl"), "verify", "--catalog", folder.file("volume/a/shop"))
          #expect(check.status == 0, "\(pages) pages: \(check.everything)")
          try FileManager.default.removeItem(atPath: folder.file("volume/a"))
        }
      }
      #expect(statuses == [0, 1])
    } catch {
      Issue.record(error)
    }
    try volume.unmount()
  }
}
