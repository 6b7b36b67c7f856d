import CatalogModel
import CatalogStore
import Projections

/// The tables of a library of books: keys of one column or several, with row ids or without, nothing beside a key, unique
/// columns, indexes by a part of the key, checks, defaults and full-text indexes. `TableForms` has the rarer forms.
enum ShelfTables {
  static let schema: Schema = {
    var schema = Schema()
    for table in [
      book, publisher, catalogue, source, copy, loan, hold, genre, language, bookGenre, bookText,
      term, alias,
    ] {
      schema.add(table)
    }
    schema.addFullTextIndex(
      "book_search", over: bookText, columns: ["title", "title_variants", "subtitle"])
    schema.addFullTextIndex("term_search", over: term, columns: ["words"])
    return schema
  }()

  static let book = TableDescription(
    "book",
    columns: [
      Column("id", .id, sql: "TEXT PRIMARY KEY"),
      Column("kind", .text, sql: "TEXT NOT NULL CHECK(kind IN ('novel','essay','poem'))"),
      Column("title", .text, isName: true),
      Column("subtitle", .text, nullable: true),
      Column("price", .real, nullable: true),
      Column("is_lent", .integer, default: .integer(1)),
      Column("created_at", .time),
      Column("updated_at", .time, isChangeStamp: true),
    ],
    key: ["id"], indexes: [.index("book_kind", on: ["kind"])])

  static let publisher = TableDescription(
    "publisher",
    columns: [
      Column("id", .id), Column("name", .text), Column("city", .text, nullable: true),
      Column("founded", .integer), Column("created_at", .time),
    ],
    key: ["id"])

  /// Its key is a text, beside row ids.
  static let catalogue = TableDescription(
    "catalogue",
    columns: [
      Column("name", .text), Column("revision", .integer), Column("sha256", .text),
      Column("imported_at", .time),
    ],
    key: ["name"])

  static let source = TableDescription(
    "source", columns: [Column("id", .integer), Column("name", .text, unique: true, isName: true)],
    key: ["id"], indexes: [.lookup(["name"])])

  static let copy = TableDescription(
    "copy",
    columns: [
      Column("number", .integer), Column("book_id", .id, unique: true, names: "book"),
      Column("source_id", .integer, names: "source"), Column("kind", .text),
      Column("is_lent", .integer),
    ],
    key: ["number"],
    indexes: [.lookup(["book_id"]), .index("copy_source", on: ["source_id"])])

  static let loan = TableDescription(
    "loan",
    columns: [
      Column("copy_number", .integer), Column("source_id", .integer), Column("note", .text),
    ],
    key: ["copy_number", "source_id"], indexes: [.lookup(["copy_number"])])

  /// Nothing beside its key.
  static let hold = TableDescription(
    "hold",
    columns: [
      Column("copy_number", .integer), Column("reason", .text), Column("value", .integer),
    ],
    key: ["copy_number", "reason", "value"],
    indexes: [.lookup(["copy_number"]), .index("hold_value", on: ["reason", "value"])])

  static let genre = values("genre")
  static let language = values("language")

  private static func values(_ name: String) -> TableDescription {
    TableDescription(
      name,
      columns: [
        Column("id", .integer), Column("name", .text, unique: true, isName: true),
        Column("sort_order", .integer, nullable: true),
        Column("is_system", .integer, default: .integer(1)),
        Column("created_at", .time, sql: "TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP"),
      ],
      key: ["id"], indexes: [.lookup(["name"])])
  }

  /// A row of `genre` or of `language`.
  static func value(_ id: Int64, _ name: String) -> [Value] {
    [.integer(id), .text(name), .null, .flag(true), .time(Timestamp(milliseconds: 0))]
  }

  static let genreByName = IndexReference(table: genre, ordinal: 0)

  static let bookGenre = TableDescription(
    "book_genre",
    columns: [
      Column("book_id", .id, names: "book"), Column("genre_id", .integer, names: "genre"),
    ],
    key: ["book_id", "genre_id"], indexes: [.index("book_genre_genre", on: ["genre_id"])])

  static let bookText = TableDescription(
    "book_text",
    columns: [
      Column("number", .integer), Column("title", .text), Column("title_variants", .text),
      Column("subtitle", .text),
    ],
    key: ["number"], indexes: [.index("book_text_title", on: ["title"])])

  static let term = TableDescription(
    "term",
    columns: [
      Column("number", .integer), Column("list", .text), Column("value", .integer),
      Column("merged_into", .integer, nullable: true), Column("words", .text),
    ],
    key: ["number"],
    indexes: [
      .index("term_value", on: ["list", "value"]),
      .index("term_merged", on: ["list", "merged_into"]),
    ])

  static let alias = TableDescription(
    "alias",
    columns: [
      Column("list", .text), Column("name", .text), Column("value", .integer),
      Column("origin", .text),
    ],
    key: ["list", "name"], indexes: [.index("alias_value", on: ["list", "value"])])

  /// With one key or several, unique columns, indexes by a part of the key.
  static let various = [
    book, copy, loan, hold, bookText, term, alias, bookGenre, source,
  ]
}

extension ProjectionMigrations {
  static let shelf = ProjectionMigrations(schema: ShelfTables.schema, fingerprint: .shelf)
}

extension ProjectorFingerprint {
  static let shelf = ProjectorFingerprint(
    kind: "shelf", layout: 1, version: 1, schema: ShelfTables.schema)
}
