import CatalogModel
import CatalogStore
import CatalogTestSupport
import Projections
import StoreTestSupport

/// Every form of column, index, key, constraint and full-text index that a description knows and `ShelfTables`
/// does not use.
struct TableForms {
  let schema: Schema
  let pictures: TableDescription
  let collections: TableDescription
  let positions: TableDescription
  let sources: TableDescription
  let ranks: TableDescription
  let places: TableDescription
  let texts: TableDescription
  let state: TableDescription
  let words: TableDescription

  init() {
    var schema = Schema()
    // Blobs, and integer times beside other integers; indexes over both.
    pictures = schema.add(
      "pictures",
      columns: [
        Column("name", .text), Column("data", .blob), Column("thumb", .blob, nullable: true),
        Column("added_at", .integer, isTime: true), Column("rating", .real, nullable: true),
      ], key: ["name"],
      indexes: [
        .index("pictures_thumb", on: ["thumb", "rating"]),
        .index("pictures_data", on: ["data", "added_at"]),
        .index("pictures_added", on: [.descending("added_at")]), .lookup(["name"]),
      ])
    // Unique by a column and by an index, ascending and descending, with NULL.
    collections = schema.add(
      "collections",
      columns: [
        Column("id", .text), Column("name", .text, unique: true),
        Column("rank", .integer, nullable: true), Column("owner", .id, nullable: true),
      ], key: ["id"],
      indexes: [
        .lookup(["name"]),
        .index("collections_rank", on: [.descending("rank"), "owner"], unique: true),
      ])
    // A key of two columns beside row ids, table constraints, foreign keys.
    positions = schema.add(
      "positions",
      columns: [
        Column("collection", .text), Column("track", .text), Column("note", .text, nullable: true),
        Column("position", .integer),
      ], key: ["collection", "position"], storage: .rowIDs,
      constraints: [
        .foreignKey(["collection"], .to("collections", "id", onDelete: .cascade)),
        .unique(["track", "note"]), .check("position >= 0"),
      ],
      indexes: [
        .index("positions_track", on: ["track"]),
        .index("positions_last", on: ["collection", .descending("position")], unique: true),
      ])
    // Without row ids, by a key of one column.
    sources = schema.add(
      "sources",
      columns: [
        Column("kind", .text, default: .text("it's local")), Column("uri", .text),
        Column("seen_at", .integer, nullable: true, isTime: true),
        Column("cover", .blob, nullable: true),
        Column("collection", .text, nullable: true, references: .to("collections", "id")),
      ], key: ["uri"], storage: .withoutRowIDs,
      indexes: [
        .index("sources_kind", on: ["kind", .descending("seen_at")]),
        .index("sources_cover", on: ["cover"], unique: true),
      ])
    ranks = schema.add(
      "ranks",
      columns: [
        Column("score", .real, nullable: true, unique: true), Column("number", .integer),
        Column("at", .time, nullable: true),
      ], key: ["number"], storage: .withoutRowIDs,
      indexes: [.index("ranks_at", on: [.descending("at"), .ascending("score")])])
    // Without row ids, by a key that does not follow the order of the columns.
    places = schema.add(
      "places",
      columns: [Column("list", .text), Column("item", .text), Column("position", .integer)],
      key: ["list", "position"], indexes: [.index("places_item", on: ["item"])])
    // What full-text indexes are over: one with its own texts and a column that is not indexed.
    texts = schema.add(
      "texts",
      columns: [
        Column("number", .integer), Column("show", .text, unique: true), Column("body", .text),
        Column("year", .integer, nullable: true), Column("owner", .id),
        Column("rating", .real),
      ], key: ["number"])
    // One row, by a check.
    state = schema.add(
      "state",
      columns: [
        Column("id", .integer, default: .integer(1), check: "id = 1"),
        Column(
          "version", .text, check: "length(version) < 100",
          sql: "TEXT NOT NULL CHECK (length(version) < 100)"),
        Column("size", .real, default: .real(0.5)),
        Column("level", .integer, nullable: true, check: "level > '0'"),
      ], key: ["id"], constraints: [.check("level <= 10 OR size > 1"), .check("level <= 1000")])
    // Words of SQL wherever a name can be.
    words = schema.add(
      "order",
      columns: [
        Column("index", .integer), Column("group", .text), Column("select", .text, nullable: true),
        Column("values", .real, nullable: true, check: "\"values\" IS NOT 0.125"),
        Column("where", .text, nullable: true, references: .to("collections", "id")),
        Column("from", .integer, nullable: true, references: .to("order", "index")),
      ], key: ["index"],
      constraints: [.unique(["group", "select"]), .foreignKey(["from"], .to("order", "index"))],
      indexes: [
        .index("join", on: ["select", .descending("group")]), .lookup(["group", "select"]),
        .index("case", on: ["values", "where"]),
      ])
    schema.add(
      "to", columns: [Column("on", .text), Column("not", .text), Column("in", .blob)],
      key: ["not", "on"], indexes: [.index("as", on: ["on"])])
    schema.addFullTextIndex("table", over: words, columns: ["group", .unindexed("where")])
    schema.addFullTextIndex("set", over: words, columns: ["group", "select"], content: .own)
    schema.addFullTextIndex(
      "search", over: texts,
      columns: [
        .unindexed("show"), "body", .unindexed("year"), .unindexed("owner"), .unindexed("rating"),
      ],
      tokenizer: .unicode61(tokenCharacters: "-."), content: .own)
    schema.addFullTextIndex(
      "plain_search", over: texts, columns: [.unindexed("show"), "body"],
      tokenizer: .unicode61(diacritics: 2, separators: "x"))
    schema.addFullTextIndex("words", over: texts, columns: ["body"], prefixes: [1, 3])
    self.schema = schema
  }

  /// A row of `texts`.
  func text(_ number: Int64, _ show: String, _ body: String) -> [Value] {
    [
      .integer(number), .text(show), .text(body), .integer(1977),
      .id(EntityID(high: 0, low: UInt64(number))), .real(2),
    ]
  }

  var migrations: ProjectionMigrations {
    ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "forms", layout: 1, version: 1, schema: schema))
  }

  var checkpoint: Checkpoint {
    Checkpoint.made(by: migrations.fingerprint)
  }
}

/// Random rows of `TableForms`, with few keys and few unique values, so that rows meet.
struct RandomForms {
  var random: SplitMix

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  mutating func row(of table: TableDescription) -> [Value] {
    table.columns.enumerated().map { place, column in
      value(column, of: table, isKey: table.key.contains(place))
    }
  }

  private mutating func value(
    _ column: ColumnDescription, of table: TableDescription, isKey: Bool
  ) -> Value {
    if column.isNullable, random.below(4) == 0 { return .null }
    switch column.type {
    case .integer:
      // Its rows pass their checks, by NULL too.
      if table.name == "state" { return .integer(1) }
      if isKey { return .integer(Int64(random.below(40))) }
      return .integer(random.pick([0, 1, -1, 127, 128, 1 << 40, -(1 << 40), .max, .min]))
    case .real:
      return .real(random.pick([0, -0.0, 0.5, 1, -3, 1e300, 140_737_488_355_328, 7, 9.25]))
    case .text:
      if column.name == "body" { return .text(body()) }
      if column.name == "track" { return .text("t\(random.below(60))") }
      let texts = ["", "a", "b", "aé", "ae\u{301}", "林", "Z", "a b", "\u{1}", "zz", "zzz"]
      let text = random.pick(texts)
      return .text(isKey ? text : text + (random.below(3) == 0 ? "" : "\(random.below(30))"))
    case .id:
      return .id(EntityID(high: UInt64(random.below(3)) << 56, low: UInt64(random.below(4))))
    case .time: return .time(Timestamp(milliseconds: Int64(random.below(5)) * 86_400_000))
    case .blob: return .blob(blob())
    case .any:
      return random.pick([.integer(1), .real(1), .real(0.5), .text("1"), .blob(blob())])
    }
  }

  /// Of the lengths at which SQLite and the page writer do something else, with zeros in them.
  private mutating func blob() -> [UInt8] {
    let length = [0, 1, 2, 8, 9, 300, 4_000, 5_000, 20_000][
      random.below(random.below(10) == 0 ? 9 : 5)]
    return (0..<length).map { _ in [0, 0, 1, 255][random.below(4)] }
  }

  private mutating func body() -> String {
    (0..<random.below(6)).map { _ in
      random.pick([
        "half", "step", "5-8-77", "1977-05-08", "Zoë", "zoe", "ÉTÉ", "no.1", "axb", "林檎",
      ])
    }.joined(separator: " ")
  }
}
