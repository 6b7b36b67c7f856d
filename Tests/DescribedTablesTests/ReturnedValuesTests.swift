import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Lists of products: as they were, with mistakes that are reverted, and a later one that has some of the mistakes still.
@Suite(
  "An import says which of its values a revert removed",
  .promise(
    "An import of another document says how many values that a revert removed are there again, "
      + "and its dry run says the same"))
struct ReturnedValuesTests {
  private typealias List = [Int: [String]]

  private struct Counts: Equatable {
    var added = 0
    var removed = 0
    var changed = 0
    var columns: [String: Int] = [:]
    var revertedRows = 0
  }

  private static let columns = ["name", "category"]

  private func shop() throws -> TableShop {
    try TableShop(
      """
      {"kind": "shop", "tables": {"product": {"key": "sku", "columns": {
        "sku": "integer", "name": "text", "category": "text"}}}}
      """)
  }

  private func text(_ list: List) -> String {
    "sku,name,category\n"
      + list.sorted { $0.key < $1.key }.map { "\($0),\($1.joined(separator: ","))\n" }.joined()
  }

  /// Counts the values that an import makes again. The revert led from `wrong` to `right`, the import leads from `right` to `next`.
  private func counts(_ right: List, _ wrong: List, _ next: List) -> Counts {
    var counts = Counts()
    for key in Set(right.keys).union(wrong.keys) where right[key] != wrong[key] {
      counts.revertedRows += 1
      switch (right[key], wrong[key], next[key]) {
      case (nil, let wrong?, let next?): if wrong == next { counts.added += 1 }
      case (.some, nil, nil): counts.removed += 1
      case (let right?, let wrong?, let next?):
        let back = Self.columns.indices.filter {
          right[$0] != wrong[$0] && next[$0] == wrong[$0]
        }
        if !back.isEmpty { counts.changed += 1 }
        for place in back { counts.columns[Self.columns[place], default: 0] += 1 }
      default: break
      }
    }
    return counts
  }

  /// The counts of the report in JSON; nil if it has none.
  private func counts(_ report: Program) throws -> Counts? {
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any],
      "\(report.everything)")
    guard let all = json["returned"] as? [[String: Any]] else { return nil }
    try #require(all.count == 1, "\(report.output)")
    let returned = all[0]
    let tables = try #require(returned["tables"] as? [[String: Any]])
    try #require(tables.count == 1, "\(report.output)")
    let table = tables[0]
    var counts = Counts()
    counts.added = try #require(table["added"] as? Int)
    counts.removed = try #require(table["removed"] as? Int)
    counts.changed = try #require(table["changed"] as? Int)
    for column in try #require(table["columns"] as? [[String: Any]]) {
      counts.columns[try #require(column["column"] as? String)] = column["rows"] as? Int
    }
    counts.revertedRows = try #require(returned["revertedRows"] as? Int)
    #expect(returned["rows"] as? Int == counts.added + counts.removed + counts.changed)
    return counts
  }

  @Test("The counts are those of a model, in a dry run and in the import", arguments: 0..<6)
  func isAsTheModel(round: Int) throws {
    var generator = SeededGenerator("returned \(round)")
    func value() -> String { "v\(Int.random(in: 0..<4, using: &generator))" }
    var right: List = [:]
    for key in 0..<24 { right[key] = [value(), value()] }
    var wrong = right
    for key in 0..<28 where Int.random(in: 0..<3, using: &generator) > 0 {
      wrong[key] = Bool.random(using: &generator) ? [value(), right[key]?[1] ?? value()] : nil
    }
    var next = right
    for key in 0..<30 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0...2: next[key] = wrong[key]
      case 3: next[key] = [value(), value()]
      case 4: next[key] = nil
      default: break
      }
    }
    let what = "seed \(generator.seed)"
    let shop = try shop()
    func take(_ list: List, _ name: String, _ options: String...) throws -> Program {
      let file = try shop.folder.write(text(list), to: name)
      return try shop.run(
        ["import", "product=\(file)", "--complete", "--allow-removal", "--format", "json"] + options
      )
    }
    try #require(take(right, "right.csv").status == 0)
    try #require(take(wrong, "wrong.csv").status == 0)
    let reverted = try shop.run("revert", "head", "--reason", "wrong list")
    try #require(reverted.status == 0, "\(what): \(reverted.everything)")
    let expected = counts(right, wrong, next)
    let isAny = expected.added + expected.removed + expected.changed > 0
    let planned = try take(next, "next.csv", "--dry-run")
    #expect(try counts(planned) == (isAny ? expected : nil), "\(what): \(planned.everything)")
    let taken = try take(next, "next.csv")
    #expect(try counts(taken) == (isAny ? expected : nil), "\(what): \(taken.everything)")
  }

  @Test(
    "A corrected list has a few of the values, which were right; rows that were added keep theirs")
  func isSilentAboutCorrections() throws {
    let shop = try shop()
    var list: List = [:]
    for key in 1...20 { list[key] = ["n", "Bath"] }
    try shop.take("product", text(list))
    var wrong = list
    for key in 1...12 { wrong[key] = ["n", "Light"] }
    (wrong[20], wrong[21]) = (["n", "New"], ["n", "Light"])
    try shop.take("product", text(wrong), as: "wrong.csv")
    let reverted = try shop.run("revert", "head", "--column", "category")
    #expect(
      reverted.errors.contains(
        "1 row of product that the operation added keeps its category: it had none before"),
      "\(reverted.everything)")
    (list[19], list[20]) = (["n", "Other"], ["n", "New"])
    let corrected = try shop.take("product", text(list), as: "corrected.csv")
    #expect(
      corrected.status == 0 && !corrected.errors.contains("this import"), "\(corrected.everything)")
    // The mistake again, and one change that is right: a revert takes both.
    for key in 1...12 { list[key] = ["n", "Light"] }
    list[18] = ["n", "Fine"]
    let again = try shop.take("product", text(list), as: "again.csv")
    #expect(again.errors.contains("makes 12 of 13 reverted rows"), "\(again.everything)")
    #expect(again.errors.contains("reverts that, and 1 other row; "), "\(again.everything)")
  }

  @Test(
    "A person reads it, with the reason and the command that removes it; a corrected list has nothing of it"
  )
  func isSaid() throws {
    let shop = try shop()
    try shop.take("product", "sku,name,category\n1,Lamp,Light\n2,Tap,Bath\n3,Sink,Bath\n")
    try shop.take(
      "product", "sku,name,category\n1,Lamp,Bath\n2,Tap,Light\n3,Sink,Light\n7,Light,New\n")
    let reverted = try shop.run("revert", "head", "--reason", "mapping swapped")
    try #require(reverted.status == 0, "\(reverted.everything)")
    let next = "sku,name,category\n1,Lamp,Bath\n2,Tap,Light\n3,Sinks,Bath\n"
    let head = try shop.head()
    let refused = try shop.take("product", next, as: "next.csv", "--refuse-returned")
    #expect(
      refused.status == 1 && refused.errors.contains("would make 2 of 4 reverted rows")
        && refused.errors.contains("refused, nothing was appended"), "\(refused.everything)")
    #expect(try shop.head() == head)
    var commands: [String] = []
    for (options, verb) in [(["--dry-run"], "would make"), ([], "makes")] {
      let file = try shop.folder.write(next, to: "next.csv")
      let taken = try shop.run(["import", "product=\(file)"] + options)
      #expect(
        taken.errors.contains(
          "this import \(verb) 2 of 4 reverted rows as they were before the revert: product: 2 changed (category 2); operation "
        ) && taken.errors.contains("because \"mapping swapped\""), "\(taken.everything)")
      let command = try #require(taken.errors.firstMatch(of: /`catalogctl (revert [^`]+)`/))
      commands.append(String(command.output.1))
    }
    // A dry run knows the command that the import names. It takes the values away, and nothing else; then this document stays
    // reverted, too.
    #expect(commands[0] == commands[1] && commands[0].contains("--column category"))
    let again = try shop.run(commands[0].split(separator: " ").map(String.init))
    #expect(again.status == 0, "\(again.everything)")
    #expect(try shop.rows("product") == ["1,Lamp,Light", "2,Tap,Bath", "3,Sinks,Bath"])
    let once = try shop.take("product", next, as: "next.csv")
    #expect(once.output.contains("stays reverted"), "\(once.everything)")
    // The rows are new ones with the keys of those that were reverted.
    let corrected = try shop.take(
      "product", "sku,name,category\n1,Lamp,Light\n2,Tap,Bath\n3,Sinks,Bath\n7,New,Light\n",
      as: "corrected.csv", "--refuse-returned")
    #expect(
      corrected.status == 0 && !corrected.errors.contains("this import"),
      "\(corrected.everything)")
  }

  @Test("A revert of several operations is one revert")
  func countsARangeOnce() throws {
    let shop = try shop()
    try shop.take("product", "sku,name,category\n1,Lamp,Light\n2,Tap,Bath\n")
    let before = try shop.head().prefix { $0 != " " }
    try shop.take("product", "sku,name,category\n1,Lamp,X\n2,Tap,Bath\n")
    try shop.take("product", "sku,name,category\n1,Lamp,X\n2,Tap,X\n")
    let last = try shop.head().prefix { $0 != " " }
    let first = try #require(Int(before)) + 1
    let reverted = try shop.run("revert", "\(first)..\(last)")
    try #require(reverted.status == 0, "\(reverted.everything)")
    let next = try shop.take("product", "sku,name,category\n1,Lamp,X\n2,Tap,Y\n")
    let lines = next.errors.split(separator: "\n").filter { $0.contains("this import makes") }
    #expect(lines.count == 1 && lines[0].contains("1 of 2 reverted rows"), "\(next.everything)")
    let end = try #require(Int(shop.head().prefix { $0 != " " }))
    #expect(lines.first?.contains("..\(end) --table product") == true, "\(next.everything)")
  }

  @Test("Nothing is said once the revert is reverted, or its document is taken")
  func endsWithTheRevert() throws {
    let shop = try shop()
    try shop.take("product", "sku,name,category\n1,Lamp,Light\n")
    let wrong = "sku,name,category\n1,Lamp,Bath\n"
    try shop.take("product", wrong, as: "wrong.csv")
    try #require(shop.run("revert", "head").status == 0)
    let again = try shop.take("product", wrong, as: "wrong.csv", "--take-reverted")
    #expect(again.status == 0 && !again.errors.contains("this import"), "\(again.everything)")
    let right = try shop.take("product", "sku,name,category\n1,Lamp,Light\n", as: "right.csv")
    #expect(right.status == 0, "\(right.everything)")
    // A revert that was reverted was no mistake of a document.
    try shop.take("product", "sku,name,category\n1,Lamp,Odd\n")
    for _ in 0..<2 { try #require(shop.run("revert", "head").status == 0) }
    let corrected = try shop.take("product", "sku,name,category\n1,Lamp,Light\n", as: "c.csv")
    #expect(
      corrected.status == 0 && !corrected.errors.contains("this import"),
      "\(corrected.everything)")
  }
}
