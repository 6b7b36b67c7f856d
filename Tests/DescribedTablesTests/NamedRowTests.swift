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

  @Test(
    "Rows of one name are told apart by what differs, and a key in other capitals is pointed out")
  func listsWhatDiffers() throws {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {"lamp": {"key": "id", "columns": {
        "id": "text", "title": {"type": "text", "name": true}, "shop": "text", "color": "text"}}}}
      """)
    let taken = try shop.take(
      "lamp", "id,title,shop,color\nL1,Lamp,One,red\nL2,Lamp,One,blue\nL3,Tap,Two,red\n")
    try #require(taken.status == 0, "\(taken.everything)")
    let several = try shop.run("blame", "lamp", "Lamp")
    #expect(
      several.status == 64
        && several.errors.contains("L1 (Lamp, color 'red'), L2 (Lamp, color 'blue'); name one"),
      "\(several.everything)")
    let capitals = try shop.run("blame", "lamp", "l3")
    #expect(
      capitals.status == 64 && capitals.errors.contains("did you mean \"L3\"?"),
      "\(capitals.everything)")
    #expect(try shop.run("blame", "lamp", "L9").status == 1)
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
