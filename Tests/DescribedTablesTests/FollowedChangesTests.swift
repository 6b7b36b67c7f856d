import CatalogTestSupport
import Promises
import Testing

@Suite(
  "changes --follow of described tables",
  .promise(
    "A reader beside a writer sees each batch once, over recovery, rollover and sealing",
    by: "a description that changes while it reads"))
struct FollowedChangesTests {
  private static let before = """
    {"kind": "stock", "tables": {"product": {"key": "sku", "columns": {"sku": "text", "name": "text"}}}}
    """
  private static let after = """
    {"kind": "stock", "tables": {"product": {"key": "sku", "columns": {"sku": "text", "name": "text", "price": "integer?"}}}}
    """

  @Test(
    "A log that is younger than the moment is listed from its start",
    arguments: ["-7d", "2001-01-01"])
  func beginsAtTheStart(moment: String) throws {
    let shop = try TableShop(Self.before)
    try #require(shop.take("product", "sku,name\na,One\n").status == 0)
    let listed = try shop.run("changes", moment, "--follow", "--format", "jsonl", "--for", "0.01")
    #expect(
      listed.status == 0 && !listed.errors.contains("no batch"), "\(listed.everything)")
    let ended = try shop.run("changes", moment, "--format", "jsonl")
    #expect(ended.status == 2 && ended.output.contains("One"), "\(ended.everything)")
  }

  @Test("The description gets a column meanwhile")
  func seesNewColumns() throws {
    let shop = try TableShop(Self.before)
    let ended = try Program([
      "/bin/bash", "-c",
      """
      set -m; trap 'kill -KILL %1 2>/dev/null' EXIT
      lines() {
        for attempt in $(seq 5000); do [ "$(wc -l <"$O")" -ge "$1" ] && return; sleep 0.02; done
        echo "only $(wc -l <"$O") of $1 lines"; cat "$O.errors"
      }
      "$0" changes 1 --follow --format jsonl --every 0.02 --for 500 --catalog "$1" >"$O" 2>"$O.errors" &
      "$0" import product="$2" --catalog "$1" --quiet && lines 1
      "$0" kind change "$3" --catalog "$1" --quiet
      "$0" import product="$4" --catalog "$1" --quiet && lines 2
      cat "$O" "$O.errors"
      """.replacing("$O", with: shop.folder.file("changes")),
      BuiltProgram.path("catalogctl"), shop.catalog,
      try shop.folder.write("sku,name\na,One\n", to: "one.csv"),
      try shop.folder.write(Self.after, to: "later.json"),
      try shop.folder.write("sku,name,price\na,One,5\n", to: "two.csv"),
    ])
    let lines = ended.output.split(separator: "\n").filter { $0.hasPrefix("{") }
    try #require(lines.count == 2, "\(ended.everything)")
    #expect(lines[0].contains("One") && !lines[0].contains("price"), "\(lines[0])")
    #expect(ended.output.contains("read the tables again"), "\(ended.everything)")
    #expect(lines[1].contains(#""price""#) && lines[1].contains("5"), "\(lines[1])")
  }
}
