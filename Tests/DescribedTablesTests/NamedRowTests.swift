import CatalogTestSupport
import Promises
import Testing

@Suite(
  "A row is named by its key, or by its name",
  .promise(
    "Rows are found by key, name, values and words as a plain model finds them, and their "
      + "CSV is read again"))
struct NamedRowTests {
  private func shop() throws -> TableShop {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {
        "order": {"key": "id", "columns": {"id": "text", "title": {"type": "text", "name": true}}}}}
      """)
    let taken = try shop.take("order", "id,title\naaaa,bbbb\nbbbb,aaaa\nc,Lamp\nd,Lamp\ne,Chair\n")
    try #require(taken.status == 0, "\(taken.everything)")
    return shop
  }

  @Test("A key wins over the name of another row, and a name that several rows have is an error")
  func keyWins() throws {
    let shop = try shop()
    for command in [["blame", "order"], ["history", "row", "order"]] {
      let key = try shop.run(command + ["aaaa"])
      #expect(
        key.status == 0 && key.output.contains("aaaa") && key.output.contains("bbbb"),
        "\(key.everything)")
      let name = try shop.run(command + ["Chair"])
      #expect(name.status == 0 && name.output.contains("'e'"), "\(name.everything)")
      let several = try shop.run(command + ["Lamp"])
      #expect(
        several.status == 64 && several.errors.contains("several rows of order are called"),
        "\(several.everything)")
    }
    let id = try shop.run("blame", "order", "aaaa", "--column", "title")
    #expect(id.output.contains("title = 'bbbb'"), "\(id.everything)")
    let tables = try shop.run("tables")
    #expect(tables.status == 0 && tables.output.contains("order  5"), "\(tables.everything)")
  }

  @Test("Names are those of the log, whatever the database has")
  func readsTheLog() throws {
    let shop = try shop()
    let changed = try Program(
      "sqlite3", shop.catalog + "/catalog.sqlite",
      "UPDATE \"order\" SET title = 'Chair' WHERE id = 'c'; DELETE FROM \"order\" WHERE id = 'e'")
    try #require(changed.status == 0, "\(changed.everything)")
    let named = try shop.run("blame", "order", "Chair", "--column", "id")
    #expect(named.status == 0 && named.output.contains("id = 'e'"), "\(named.everything)")
  }
}
