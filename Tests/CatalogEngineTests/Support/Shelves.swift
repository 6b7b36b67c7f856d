import CatalogEngine

struct Shelf: Sendable {
  var name: String

  static let table = TypedTable("shelf", key: ["name"], Field("name", \Shelf.name)) {
    Shelf(name: $0)
  }
}

struct ShelvedBook: Sendable {
  var number: Int
  var shelf: String?

  static let table = TypedTable(
    "book", key: ["number"], Field("number", \ShelvedBook.number),
    Field("shelf", \ShelvedBook.shelf, references: .to("shelf", "name")),
    make: { ShelvedBook(number: $0, shelf: $1) })
}

/// The title of a book, which is found by its words.
struct BookTitle: Sendable {
  var number: Int
  var words: String

  static let table = TypedTable(
    "title", key: ["number"], Field("number", \BookTitle.number), Field("words", \BookTitle.words),
    make: { BookTitle(number: $0, words: $1) })
}

enum ShelfEvent: Hashable, Sendable {
  case shelf(String, Bool)
  case book(Int, on: String?)
  case title(Int, String)
  case reversal(Reversal)
}

extension ShelfEvent: DescribedEvent, ReversibleEvent {
  static let vocabulary = EventVocabulary {
    EventDescription("shelf.set", "name", "exists", ShelfEvent.shelf) {
      if case .shelf(let name, let exists) = $0 { (name, exists) } else { nil }
    }
    EventDescription(
      "book.set", "number", "shelf",
      { (number: Int64, shelf: String?) in ShelfEvent.book(Int(number), on: shelf) }
    ) {
      if case .book(let number, let shelf) = $0 { (Int64(number), shelf) } else { nil }
    }
    EventDescription(
      "title.set", "number", "words",
      { (number: Int64, words: String) in ShelfEvent.title(Int(number), words) }
    ) {
      if case .title(let number, let words) = $0 { (Int64(number), words) } else { nil }
    }
    EventDescription<ShelfEvent>.operationReverted
    EventDescription<ShelfEvent>.rowsRestored
  }

  var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }
}

/// A kind with three tables: one refers to another, and one has a full-text index. Its operations can be reverted.
struct Shelves: CatalogKind {
  let name = "shelves"
  let version = 1
  static let revertedTable = RevertedRow.makeTable()
  let schema = {
    var schema = Schema(Shelf.table, ShelvedBook.table, BookTitle.table, revertedTable)
    schema.addFullTextIndex("title_search", over: schema.tables[2], columns: ["words"])
    return schema
  }()
  var reverted: TypedTable<RevertedRow>? { Self.revertedTable }

  func apply(_ record: Recorded<ShelfEvent>, to rows: some RowStore) throws {
    switch record.event {
    case .shelf(let name, true): try rows.put(Shelf(name: name), in: Shelf.table)
    case .shelf(let name, false): try rows.remove(key: [.text(name)], from: Shelf.table.description)
    case .book(let number, let shelf):
      try rows.put(ShelvedBook(number: number, shelf: shelf), in: ShelvedBook.table)
    case .title(let number, let words):
      guard try rows.row(of: ShelvedBook.table, key: number) != nil else {
        throw ProjectionError(contradiction: "there is no book \(number)")
      }
      try rows.put(BookTitle(number: number, words: words), in: BookTitle.table)
    case .reversal(let reversal):
      try reversal.apply(record, reverted: Self.revertedTable, in: schema, to: rows)
    }
  }
}
