public import CatalogEngine

/// A book, and who has it.
public struct Book: Equatable, Sendable {
  public var id: EntityID
  public var title: String
  /// Nil while it stands on the shelf.
  public var reader: String?
  public var lentAt: Timestamp?

  public static let table = TypedTable(
    "book", key: ["id"], indexes: [.index("book_reader", on: ["reader"])],
    Field("id", \Book.id), Field("title", \Book.title), Field("reader", \Book.reader),
    Field("lent_at", \Book.lentAt),
    make: Book.init)
}

/// What can happen to a shelf.
public enum BookEvent: Sendable {
  case added(EntityID, title: String)
  case lent(EntityID, to: String)
  case returned(EntityID)
  /// An operation is taken back.
  case reversal(Reversal)
}

extension BookEvent: DescribedEvent, ReversibleEvent {
  public static let vocabulary = EventVocabulary {
    EventDescription("book.added", "book", "title", BookEvent.added) {
      if case .added(let book, let title) = $0 { (book, title) } else { nil }
    }
    EventDescription("book.lent", "book", "reader", BookEvent.lent) {
      if case .lent(let book, let reader) = $0 { (book, reader) } else { nil }
    }
    EventDescription("book.returned", "book", BookEvent.returned) {
      if case .returned(let book) = $0 { book } else { nil }
    }
    EventDescription<BookEvent>.operationReverted
    EventDescription<BookEvent>.rowsRestored
  }

  public var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }
}

/// A shelf of books that are lent and returned.
public struct Bookshelf: CatalogKind {
  public let name = "bookshelf"
  public let version = 1
  /// The operations that are reverted: the engine's table, in the schema of this kind.
  public static let revertedTable = RevertedRow.makeTable()
  public let schema = Schema(Book.table, revertedTable)
  public var reverted: TypedTable<RevertedRow>? { Self.revertedTable }

  public init() {}

  public func apply(_ record: Recorded<BookEvent>, to rows: some RowStore) throws {
    switch record.event {
    case .added(let id, let title):
      var book = try rows.row(of: Book.table, key: id) ?? Book(id: id, title: title)
      book.title = title
      try rows.put(book, in: Book.table)
    case .lent(let id, let reader):
      guard var book = try rows.row(of: Book.table, key: id) else { throw noBook(id) }
      if let other = book.reader, other != reader {
        throw ProjectionError(contradiction: "\(other) has \"\(book.title)\"")
      }
      book.reader = reader
      book.lentAt = record.at
      try rows.put(book, in: Book.table)
    case .returned(let id):
      guard var book = try rows.row(of: Book.table, key: id) else { throw noBook(id) }
      book.reader = nil
      book.lentAt = nil
      try rows.put(book, in: Book.table)
    case .reversal(let reversal):
      try reversal.apply(record, reverted: Self.revertedTable, in: schema, to: rows)
    }
  }

  private func noBook(_ id: EntityID) -> ProjectionError {
    ProjectionError(contradiction: "there is no book \(id)")
  }
}

extension Book {
  init(id: EntityID, title: String) {
    self.init(id: id, title: title, reader: nil, lentAt: nil)
  }
}
