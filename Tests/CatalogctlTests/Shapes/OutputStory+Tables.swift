import CatalogTestSupport
import Foundation
import Testing

/// The commands of catalogs that describe themselves.
extension OutputStory {
  func tables() async throws {
    let shop = try TestCatalog()
    let text = """
      {"kind": "shop",
       "tables": {"product": {"key": "sku", "columns": {"sku": "text", "price": {"type": "number", "default": 1}}}},
       "documents": {"list": {"complete": true}},
       "events": {"product.added": {"data": {"sku": "text", "price": "number"},
         "does": [{"put": "product", "row": {"sku": "$sku", "price": "$price"}}]}},
       "rules": {"no price is 7": {"sql": "SELECT sku FROM product WHERE price = 7", "level": "report"},
         "no price below 0": {"sql": "SELECT sku FROM product WHERE price < 0"}}}
      """
    let kind = try shop.folder.write(text, to: "kind.json")
    let wrong = try shop.folder.write(
      text.replacing("\"number\"", with: "\"numer\""), to: "wrong.json")
    try await run("kind check", kind, in: shop)
    try await run("kind check", wrong, status: 1, prints: true, in: shop)
    try await run("init", "--describe", kind, in: shop)
    try await run("kind show", in: shop)
    try await run("record", "product.added", "sku=a", "price=7", in: shop)
    try await run("record", "product.added", "sku=a", "price=7", status: 0, in: shop)
    try await run("record", "product.added", "sku=b", "price=-1", status: 1, in: shop)
    try await run("record", "product.added", "sku=b", status: 1, in: shop)
    try await run("rows", "product", "price>1", "--sort", "-price", in: shop)
    try await run("rows", "product", "--at", "3", in: shop)
    try await run("rows", "produkt", status: 64, in: shop)
    try await run("export", shop.folder.file("exported"), in: shop)
    try await run("export", shop.folder.file("exported"), status: 1, in: shop)
    let then = "product=" + shop.folder.file("then.jsonl")
    try await run("export", then, "--at", "3", in: shop)
    try await run("rules", status: 2, in: shop)
    try await run("rules", "--since", "1", status: 2, in: shop)
    try await run("kind change", kind, in: shop)
    let cost = text.replacing("\"price\": {", with: "\"cost\": {\"was\": \"price\", ")
      .replacing("\"price\": \"$price\"", with: "\"cost\": \"$price\"")
      .replacing("price =", with: "cost =").replacing("price <", with: "cost <")
    let other = try shop.folder.write(cost, to: "other.json")
    try await run("kind change", other, "--dry-run", status: 2, in: shop)
    try await run("projection diff", other, status: 2, in: shop)
    try await run("kind change", other, in: shop)
    try await run("kind change", kind, status: 1, in: shop)
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
    let slow = cost.replacing(
      "\"rules\": {",
      with:
        "\"rules\": {\"endless\": {\"sql\": \"\(endless)\", \"level\": \"report\", \"seconds\": 1}, "
    )
    try await run("kind change", shop.folder.write(slow, to: "slow.json"), in: shop)
    try await run("rules", status: 2, in: shop)
    try await run("lint", status: 2, in: shop)
    try await importing(text)
    try await importingVersions(text)
    try await adopting()
  }

  /// Documents that add, change and remove rows, that are known, refused, planned and reverted.
  private func importing(_ description: String) async throws {
    let catalog = try TestCatalog()
    let kind = try catalog.folder.write(description, to: "kind.json")
    try await run("init", "--describe", kind, in: catalog)
    func document(_ number: Int, rows: Range<Int>) throws -> String {
      let lines = rows.map { "a\($0),\($0 == rows.lowerBound ? number : 1)\n" }.joined()
      return try catalog.folder.write("sku,price\n" + lines, to: "list-\(number).csv")
    }
    for number in 1...3 {
      try await run("import", "list=\(document(number, rows: 0..<60))", in: catalog)
    }
    let fewer = try document(4, rows: 12..<60)
    try await run("import", "list=\(fewer)", "--dry-run", "--gone", status: 2, in: catalog)
    try await run("import", "list=\(fewer)", in: catalog)
    try await run("import", "list=\(fewer)", in: catalog)
    try await run("import", "list=\(document(5, rows: 40..<60))", status: 1, in: catalog)
    let newest = try await run("log", "--newest", "--limit", "1", in: catalog).object()
    try await run("revert", try #require(newest["op"] as? String), in: catalog)
    try await run("import", "list=\(fewer)", in: catalog)
    try await run("import", "list=\(document(6, rows: 12..<60))", in: catalog)
    // A rule is broken, and mended.
    for number in [7, 8] {
      try await run("import", "list=\(document(number, rows: 12..<60))", in: catalog)
    }
    try await run("rules", "--since", "1", status: 2, in: catalog)
    // It is broken again.
    try await run("import", "list=\(document(7, rows: 12..<60))", in: catalog)
    try await run("rules", "--since", "1", status: 2, in: catalog)
    // Each price is another one, and all of them are multiplied.
    for factor in [10, 1_000] {
      let lines = (12..<60).map { "a\($0),\($0 * factor)\n" }.joined()
      let file = try catalog.folder.write("sku,price\n" + lines, to: "times-\(factor).csv")
      try await run("import", "list=\(file)", in: catalog)
    }
    try await run("show", "head", in: catalog)
    try await run("revert", "head", in: catalog)
    // A row that was added keeps its price.
    try await run("import", "list=\(document(9, rows: 11..<60))", in: catalog)
    try await run("revert", "head", "--column", "price", in: catalog)
    try await catalog.sqlite("UPDATE product SET price = 3")
    try await run("status", in: catalog)
  }

  /// Two versions of a file in git, and one that is refused.
  private func importingVersions(_ description: String) async throws {
    let catalog = try TestCatalog()
    let kind = try catalog.folder.write(description, to: "kind.json")
    try await run("init", "--describe", kind, in: catalog)
    let made = try await Program.run(
      "bash",
      [
        "-ec",
        """
        cd "$0"; git init -q lists; cd lists; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
        for price in 1 2 x 3; do printf 'sku,price\\na,%s\\n' $price > list.csv; git add .; git commit -qm $price; done
        """, catalog.folder.path,
      ])
    try #require(made.status == 0, "\(made)")
    let file = "list=" + catalog.folder.file("lists") + ":list.csv"
    try await run("import", file, "--git", "--dry-run", status: 2, in: catalog)
    try await run("import", file, "--git", "--skip-refused", in: catalog)
    try await run("import", file, "--git", in: catalog)
  }

  private func adopting() async throws {
    let catalog = try TestCatalog()
    let database = catalog.folder.file("app.sqlite")
    _ = try SQLiteShell.rows(
      of: database,
      "CREATE TABLE \"an item\" (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE log (line TEXT);"
        + "CREATE VIEW w AS SELECT 1; INSERT INTO log VALUES ('a')")
    try await run("adopt", database, "--key", "log=x", status: 1, in: catalog)
    try await run("adopt", database, "--dry-run", status: 2, in: catalog)
    try await run("adopt", database, in: catalog)
    try await run("adopt", database, status: 1, in: catalog)
    try await run("capture", database, in: catalog)
    for sql in [
      "INSERT INTO log VALUES ('b'); INSERT INTO \"an item\" VALUES (1, 'x'), (2, 'y')",
      "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 15) "
        + "INSERT INTO \"an item\" SELECT i, i FROM n",
      "DELETE FROM log WHERE line = 'a'; UPDATE \"an item\" SET v = 'z' WHERE id = 2",
      "DELETE FROM \"an item\" WHERE id > 2",
      "ALTER TABLE log ADD COLUMN level INTEGER DEFAULT 1",
    ] {
      _ = try SQLiteShell.rows(of: database, sql)
      try await run("capture", database, "--reason", "the new shelf", in: catalog)
    }
    let head = try await run("head", in: catalog).object()
    try await run("show", "\(head["sequence"] ?? 0)", in: catalog)
    _ = try SQLiteShell.rows(of: database, "DROP TABLE log")
    try await run("capture", database, status: 1, in: catalog)
  }
}
