import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Repositories of git with generated versions. After an import an independent reader, which asks `git show` itself, finds
/// each version's rows at the time of its commit, and the log's sources are git's commits.
@Suite(
  "All versions of a file in git are imported, each at its time",
  .promise(
    "All versions of a file in git are in the log, with commits and times of git, and a "
      + "later import continues",
    by: "generated repositories with merges, deletions and empty commits, compared with "
      + "Python and `git show`"))
struct GitImportTests {
  @Test("Generated histories with merges, deletions and empty commits", arguments: [1, 2, 3])
  func generated(seed: Int) throws {
    let name = ["prices.csv", "we [ir]d/a:\"b\"*.csv", "=ö/\\t.csv"][seed % 3]
    let shop = try GitShop()
    try shop.make(seed: seed, versions: 24, [name])
    try shop.initialize("products=\(shop.repository):\(name)")
    let first = try shop.importing(["products=\(shop.repository):\(name)"])
    try #require(first.status == 0, "seed \(seed): \(first.everything)")
    try shop.requireSame(["products=\(name)"], "seed \(seed)")
    let head = try shop.run("head").output
    let again = try shop.importing(["products=\(shop.repository):\(name)"])
    #expect(again.status == 0)
    #expect(try shop.run("head").output == head)
    #expect(try shop.run("verify").status == 0)
  }

  @Test("Two files of one repository, of which a commit may change both")
  func severalFiles() throws {
    let shop = try GitShop()
    try shop.make(seed: 9, versions: 16, ["a.csv", "b.csv"])
    let program = BuiltProgram.path("catalogctl")
    let run = try Program(
      program, "init", "--catalog", shop.catalog, "--table", "a=\(shop.repository):a.csv",
      "--table", "b=\(shop.repository):b.csv", "--git", "--key", "a=sku", "--key", "b=sku")
    try #require(run.status == 0, "\(run.everything)")
    let taken = try shop.importing([
      "a=\(shop.repository):a.csv", "b=\(shop.repository):b.csv",
    ])
    try #require(taken.status == 0, "\(taken.everything)")
    try shop.requireSame(["a=a.csv", "b=b.csv"], "two files")
  }

  @Test("The next import takes the versions that came since, also after another document")
  func goesOn() throws {
    let shop = try GitShop()
    try shop.commit("sku,n\na,1\nb,2\n")
    try shop.initialize()
    try #require(shop.importing().status == 0)
    try shop.commit("sku,n\na,1\nb,3\n")
    try shop.commit("sku,n\na,1\nb,4\n")
    let listed = try shop.importing("--dry-run")
    #expect(listed.status == 2)
    #expect(listed.output.contains("2 versions would be imported"))
    let second = try shop.importing()
    #expect(second.output.contains("2 versions: 2 with changes"), "\(second.everything)")
    // A document that is no version of the repository does not make it forget.
    let file = try shop.folder.write("sku,n\na,1\nb,9\n", to: "other.csv")
    #expect(try shop.run("import", "products=\(file)").status == 0)
    try shop.commit("sku,n\na,1\nb,5\n")
    let third = try shop.importing()
    #expect(third.output.contains("1 version: 1 with changes"), "\(third.everything)")
    #expect(try shop.rows() == "a,1\nb,5\n")
    // A new description makes the database forget its documents; the log has them.
    let kind = try shop.folder.write(
      try String(contentsOfFile: shop.catalog + "/kind.json", encoding: .utf8)
        .replacing("\"n\": \"integer\"", with: "\"n\": \"number\""), to: "kind.json")
    #expect(try shop.run("kind", "change", kind).status == 0)
    let fourth = try shop.importing()
    #expect(fourth.output.contains("no version was imported"), "\(fourth.everything)")
  }

  @Test("Files that fill the same table have histories of their own")
  func filesOfOneTable() throws {
    let shop = try GitShop()
    func write(_ vendor: String, _ n: Int) throws {
      try "sku,vendor,n\n\(vendor)1,\(vendor),\(n)\n"
        .write(toFile: "\(shop.repository)/\(vendor).csv", atomically: true, encoding: .utf8)
    }
    for n in 1...3 {
      try write("okta", n)
      try write("ferrum", 10 + n)
      try shop.commitAll()
    }
    try shop.initialize("products=\(shop.repository):ferrum.csv")
    func take(_ vendor: String) throws -> Program {
      try shop.importing([
        "products=\(shop.repository):\(vendor).csv", "--scope", "vendor=\(vendor)",
      ])
    }
    #expect(try take("ferrum").output.contains("3 versions: 3 with changes"))
    let second = try take("okta")
    #expect(second.output.contains("3 versions: 3 with changes"), "\(second.everything)")
    #expect(try shop.rows() == "ferrum1,ferrum,13\nokta1,okta,3\n")
    for vendor in ["ferrum", "okta"] {
      #expect(try take(vendor).output.contains("no version was imported"))
    }
    try write("okta", 4)
    try shop.commitAll()
    #expect(try take("okta").output.contains("1 version: 1 with changes"))
    #expect(try take("ferrum").output.contains("no version was imported"))
    #expect(try shop.run("verify").status == 0)
  }

  @Test("A file that fills a second table is imported into it from its first version on")
  func tablesOfOneFile() throws {
    let shop = try GitShop()
    for n in 1...3 { try shop.commit("sku,n\na,\(n)\n") }
    let program = BuiltProgram.path("catalogctl")
    let run = try Program(
      program, "init", "--catalog", shop.catalog, "--table", shop.document, "--table",
      "copies=\(shop.repository):products.csv", "--git", "--key", "products=sku", "--key",
      "copies=sku")
    try #require(run.status == 0, "\(run.everything)")
    for table in ["products", "copies"] {
      let taken = try shop.importing(["\(table)=\(shop.repository):products.csv"])
      #expect(taken.output.contains("3 versions: 3 with changes"), "\(taken.everything)")
    }
    // The table's new name does not make it another one.
    let kind = try shop.folder.write(
      try String(contentsOfFile: shop.catalog + "/kind.json", encoding: .utf8)
        .replacing("\"copies\": {", with: "\"twins\": { \"was\": \"copies\","),
      to: "kind.json")
    let change = try shop.run("kind", "change", kind)
    try #require(change.status == 0, "\(change.everything)")
    #expect(try shop.run("rows", "twins").status == 0)
    let again = try shop.importing(["twins=\(shop.repository):products.csv"])
    #expect(again.output.contains("no version was imported"), "\(again.everything)")
  }

  @Test("A version that is refused stops the import, and the next one goes on there")
  func stops() throws {
    let shop = try GitShop()
    let list = (10..<40).map { "k\($0),\($0)\n" }
    try shop.commit("sku,n\n" + list.joined())
    try shop.initialize()
    try shop.commit("sku,n\n" + list.joined() + "k10,7\n")
    let broken = try shop.tip()
    try shop.commit("sku,n\n" + list.prefix(4).joined())
    let short = try shop.tip()
    try shop.commit("sku,n\n" + list.prefix(5).joined())
    let first = try shop.importing()
    #expect(first.status == 1)
    #expect(first.errors.contains("\(broken):products.csv: line 32, sku"), "\(first.everything)")
    #expect(first.errors.contains("--skip \(broken)"))
    #expect(first.output.contains("1 version: 1 with changes"))
    let again = try shop.importing()
    #expect(again.status == 1)
    #expect(again.output.isEmpty, "\(again.output)")
    let second = try shop.importing("--skip", String(broken.prefix(9)))
    #expect(second.status == 1)
    #expect(
      second.errors.contains("\(short):products.csv: refused, nothing was appended: 26 of 30 rows"),
      "\(second.everything)")
    #expect(second.errors.contains("--allow-removal"))
    // Only for the version that a person looked at.
    let third = try shop.importing("--skip", broken, "--allow-removal", "--until", short)
    #expect(third.output.contains("1 version: 1 with changes"), "\(third.everything)")
    let fourth = try shop.importing()
    #expect(fourth.status == 0)
    #expect(try shop.rows() == list.prefix(5).joined())
  }

  @Test("--skip-refused passes over each version that is refused, with its errors")
  func passesOver() throws {
    let shop = try GitShop()
    try shop.commit("sku,n\na,1\n")
    try shop.initialize()
    for text in ["sku,n\na,x\n", "", "sku,n\na,2\n", "sku,n,m\na,2,3\n"] { try shop.commit(text) }
    let run = try shop.importing("--skip-refused")
    #expect(run.status == 0)
    #expect(
      run.output.contains("2 versions: 2 with changes, 3 more passed over"), "\(run.everything)")
    #expect(run.errors.contains("\"x\" is not a whole number"))
    #expect(run.errors.contains("the file is empty"))
    #expect(try shop.rows() == "a,2\n")
  }

  @Test("A history that was rewritten is said, and goes on where a person says")
  func rewritten() throws {
    let shop = try GitShop()
    try shop.commit("sku,n\na,1\n")
    try shop.initialize()
    try shop.commit("sku,n\na,2\n")
    try #require(shop.importing().status == 0)
    let lost = try shop.tip()
    try shop.git("reset", "-q", "--hard", "HEAD~1")
    try shop.commit("sku,n\na,3\n")
    let run = try shop.importing()
    #expect(run.status == 1)
    #expect(run.errors.contains("commit \(lost), which HEAD does not have"), "\(run.everything)")
    #expect(try shop.rows() == "a,2\n")
    let since = try shop.importing("--since", "HEAD")
    #expect(since.output.contains("1 version: 1 with changes"), "\(since.everything)")
    #expect(try shop.rows() == "a,3\n")
    try shop.git("checkout", "-q", "-b", "later")
    try shop.commit("sku,n\na,4\n")
    try shop.git("checkout", "-q", "main")
    #expect(try shop.importing().output.contains("no version was imported"))
    #expect(try shop.importing("--branch", "later").status == 0)
    #expect(try shop.rows() == "a,4\n")
  }

  @Test("The table of a history has the columns of all versions, with types that fit all of them")
  func fitsAllVersions() throws {
    let shop = try GitShop()
    try shop.commit("sku,n,old\na,1,x\n")
    try shop.commit("sku,n\na,1.5\n")
    try shop.commit("sku,n,note\na,2,\n")
    let broken = "sku,sku\n1,2\n"
    try shop.commit(broken)
    try shop.commit("sku,n,note\na,2,7\n")
    let run = try shop.initialize()
    #expect(run.output.contains("from 4 versions"), "\(run.everything)")
    #expect(run.output.contains("n number · note whole number, may be missing"))
    #expect(run.errors.contains("a version cannot be read"))
    #expect(try shop.importing("--skip-refused").status == 0)
    #expect(try shop.answer(at: 0) == [["a", "1", "null", "x"]])
    #expect(try shop.answer(at: 1) == [["a", "1.5", "null", "null"]])
    #expect(try shop.answer(at: 4) == [["a", "2", "7", "null"]])
  }

  @Test("What is no version of a file is refused, and nothing is appended")
  func refuses() throws {
    let shop = try GitShop()
    let empty = try shop.run("init", "--table", "products=\(shop.repository):products.csv", "--git")
    #expect(empty.errors.contains("has no commit \"HEAD\""), "\(empty.everything)")
    try shop.commit("sku,n\na,1\n")
    try shop.initialize()
    let head = try shop.run("head").output
    for (words, message) in [
      (["products=\(shop.repository):product.csv"], "did you mean \"products.csv\"?"),
      (["products=\(shop.folder.path)/none:products.csv"], "--git takes REPO:PATH"),
      (["products=\(shop.folder.path):products.csv"], "not a git repository"),
      (["products=\(shop.repository):../products.csv"], "is outside of"),
      (["\(shop.document)", "--branch", "none"], "has no commit \"none\""),
      (["\(shop.document)", "--branch=--all"], "has no commit \"--all\""),
      (["\(shop.document)", "--since", "none"], "has no commit \"none\""),
      (["\(shop.document)", "--at", "2026-01-01T00:00:00Z"], "without --at"),
    ] {
      let run = try shop.importing(words)
      #expect(run.status != 0)
      #expect(run.errors.contains(message), "\(words): \(run.everything)")
      #expect(try shop.run("head").output == head)
    }
    let other = try shop.run("import", shop.document, "--skip", "HEAD")
    #expect(other.status == 64)
  }

  @Test("A database that is kept in git is adopted with its first version, and follows the schema")
  func databases() throws {
    let shop = try GitShop()
    let states = [
      "CREATE TABLE \"an item\" (id INTEGER PRIMARY KEY, v); INSERT INTO \"an item\" VALUES (1, 'a'), (2, x'00ff'), (9007199254740993, NULL)",
      "UPDATE \"an item\" SET v = 1.5 WHERE id = 1; CREATE TABLE \"select\" (a TEXT); INSERT INTO \"select\" VALUES ('z'), ('z')",
      "ALTER TABLE \"an item\" ADD COLUMN w TEXT DEFAULT 'd'; DELETE FROM \"an item\" WHERE id = 2; VACUUM",
    ]
    let database = shop.repository + "/app.sqlite"
    for sql in states {
      _ = try SQLiteShell.rows(of: database, sql)
      try shop.commitAll()
    }
    let adopted = try shop.run("adopt", "\(shop.repository):app.sqlite", "--git")
    try #require(adopted.status == 0, "\(adopted.everything)")
    #expect(adopted.output.contains("an_item: 3 rows") || adopted.output.contains("an item"))
    let run = try shop.importing(["\(shop.repository):app.sqlite"])
    try #require(run.status == 0, "\(run.everything)")
    #expect(run.output.contains("2 versions: 2 with changes"))
    let reader = ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/adopted.py"
    let same = try Program("python3", reader, database, shop.catalog + "/catalog.sqlite")
    #expect(same.status == 0, "\(same.everything)")
    let past = try shop.run(
      "query", "SELECT id, typeof(v) FROM an_item ORDER BY id", "--at", GitShop.stamp(0),
      "--format",
      "json")
    #expect(past.output.contains("9007199254740993") && past.output.contains("blob"))
    #expect(try shop.run("verify").status == 0)
    let again = try shop.importing(["\(shop.repository):app.sqlite"])
    #expect(again.output.contains("no version was imported"), "\(again.everything)")
  }

  @Test("The schema of a version that is passed over is not the description of the next one")
  func refusedSchema() throws {
    let shop = try GitShop()
    let database = shop.repository + "/app.sqlite"
    func commit(_ sql: String) throws {
      _ = try SQLiteShell.rows(of: database, sql)
      try shop.commitAll()
    }
    let rows = "SELECT value, 'a' FROM generate_series(1, 100)"
    try commit("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t \(rows)")
    let adopted = try shop.run("adopt", "\(shop.repository):app.sqlite", "--git")
    try #require(adopted.status == 0, "\(adopted.everything)")
    try commit("ALTER TABLE t ADD COLUMN extra TEXT; DELETE FROM t WHERE id > 3")
    try commit("INSERT INTO t \(rows.replacing("'a'", with: "'a', 'more'")) WHERE value > 3")
    let taken = try shop.importing(["\(shop.repository):app.sqlite", "--skip-refused"])
    #expect(taken.output.contains("1 version: 1 with changes, 1 more passed over"))
    #expect(taken.output.contains("new: column t.extra"), "\(taken.everything)")
    let verified = try shop.run("verify")
    #expect(verified.status == 0, "\(verified.everything)")
    let count = try shop.run("query", "SELECT count(extra) FROM t", "--format", "json")
    #expect(count.output.contains("97"), "\(count.everything)")
  }

  @Test("An earlier end has nothing new, and is no other branch")
  func earlierEnd() throws {
    let shop = try GitShop()
    for n in 1...3 { try shop.commit("sku,n\na,\(n)\n") }
    try shop.initialize()
    try #require(shop.importing().status == 0)
    let earlier = try shop.importing("--until", "HEAD~1")
    #expect(earlier.status == 0, "\(earlier.everything)")
    #expect(earlier.output.contains("no version was imported"), "\(earlier.everything)")
  }

  @Test("A link and a folder of another repository are refused, and are no deletion")
  func links() throws {
    let shop = try GitShop()
    try shop.commit("sku,n\na,1\n")
    try shop.initialize()
    try #require(shop.importing().status == 0)
    try FileManager.default.removeItem(atPath: shop.repository + "/products.csv")
    try FileManager.default.createSymbolicLink(
      atPath: shop.repository + "/products.csv", withDestinationPath: "sku,n")
    try shop.commitAll()
    let link = try shop.importing()
    #expect(link.status == 1 && link.errors.contains("symbolic link"), "\(link.everything)")
    try shop.git("rm", "-q", "--cached", "products.csv")
    let tip = try shop.tip()
    try shop.git("update-index", "--add", "--cacheinfo", "160000,\(tip),products.csv")
    let run = try Program(
      "git", "-C", shop.repository, "-c", "user.name=c", "-c", "user.email=c@x", "commit", "-q",
      "-m", "v")
    try #require(run.status == 0, "\(run.everything)")
    let module = try shop.importing("--skip", "HEAD~1")
    #expect(module.status == 1 && module.errors.contains("another repository"))
    #expect(try shop.rows() == "a,1\n")
  }

  @Test("Git's own settings of names, a missing git and an ambiguous id")
  func surroundings() throws {
    let shop = try GitShop()
    for n in 1...3 { try shop.commit("sku,n\na,\(n)\n") }
    try shop.initialize()
    let words = ["import", shop.document, "--git", "--catalog", shop.catalog]
    let none = try Program(
      ["env", "PATH=\(shop.folder.path)", BuiltProgram.path("catalogctl")] + words)
    #expect(none.status == 1 && none.errors.contains("git, which is not installed"))
    // Of a thousand ids some begin with the same four digits.
    let stream = (1...1_000).map {
      "commit refs/heads/other\ncommitter c <c@x> \($0) +0000\ndata 0\n\n"
    }
    let file = try shop.folder.write(stream.joined(), to: "stream")
    let made = try Program([
      "sh", "-c", "git -C \"$0\" fast-import --quiet < \"$1\"", shop.repository, file,
    ])
    try #require(made.status == 0, "\(made.everything)")
    let ids = try Program("git", "-C", shop.repository, "rev-list", "--all").output
      .split(separator: "\n")
    let alike = Dictionary(grouping: ids) { $0.prefix(4) }.first { $0.value.count > 1 }
    let ambiguous = try shop.importing("--until", String(try #require(alike).key))
    #expect(ambiguous.errors.contains("has several commits"), "\(ambiguous.everything)")
    let literal = try Program(
      ["env", "GIT_LITERAL_PATHSPECS=1", BuiltProgram.path("catalogctl")] + words)
    #expect(literal.output.contains("3 versions: 3 with changes"), "\(literal.everything)")
  }
}
