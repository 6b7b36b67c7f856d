public import CatalogModel
public import CatalogStore
public import Projections

/// A kind whose catalogs can be written as documents that an import of the same kind reads: `export DIR`.
///
/// ```swift
/// extension Bookshelf: ExportingKind {
///   public func export(_ rows: ProvedRows) throws -> CatalogExport {
///     let books = try rows.rows(of: Book.table)
///     return CatalogExport(
///       documents: [ExportedDocument("shelf.json", .array(books.map(\.json)))],
///       entries: [EntryCount("book", books.count)])
///   }
///   public func imports(from folder: String) throws -> [ImportStep<BookEvent>] {
///     let shelf = try ShelfDocument.read("\(folder)/shelf.json")
///     return [ImportStep(by: "shelf") { rows in try shelf.events(over: rows) }]
///   }
/// }
/// ```
///
/// The engine writes the documents to a folder of their own, imports them into rows without a catalog, and exports these rows, too:
/// documents that say something else the second time are findings.
public protocol ExportingKind: CatalogKind {
  /// Makes the documents of a state.
  ///
  /// - Parameter rows: all rows of the state.
  /// - Returns: the same documents for the same rows, byte by byte.
  func export(_ rows: ProvedRows) throws -> CatalogExport

  /// Reads the documents of an export as imports into a new catalog do.
  ///
  /// - Parameter folder: the path of the folder that has the documents.
  /// - Returns: the imports, in the order in which they are made.
  /// - Throws: `DocumentError` if an import refuses one of the documents.
  func imports(from folder: String) throws -> [ImportStep<Event>]
}

/// An import of documents: a batch of events.
public struct ImportStep<Event: Sendable>: Sendable {
  /// The source of the batch: `seed:starter`.
  public let by: String
  /// Finds the events by which the import changes rows, which have what the imports before it made.
  public let events: @Sendable (ProvedRows) throws -> [Event]

  public init(by: String, events: @escaping @Sendable (ProvedRows) throws -> [Event]) {
    self.by = by
    self.events = events
  }
}

/// The documents of an export, and what they do not have.
public struct CatalogExport: Sendable {
  public var documents: [ExportedDocument]
  /// The entries of all documents together, in the order in which people see it.
  public var entries: [EntryCount]
  /// Rows that no document of the kind can have, in the order of the kind's tables.
  public var omitted: [OmittedRows]

  public init(
    documents: [ExportedDocument], entries: [EntryCount], omitted: [OmittedRows] = []
  ) {
    self.documents = documents
    self.entries = entries
    self.omitted = omitted.filter { $0.count > 0 }
  }
}

/// A document of an export.
public struct ExportedDocument: Hashable, Sendable {
  /// Its path below the folder: `shows/1977-05-08.json`.
  public var path: String
  public var bytes: [UInt8]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Makes a document of JSON for people: `JSONValue.indented`.
  public init(_ path: String, _ value: JSONValue) {
    self.init(path: path, bytes: Array(value.indented.utf8))
  }
}

/// How many things of one name there are.
public struct EntryCount: Hashable, Sendable {
  /// In the singular: `show`.
  public var noun: String
  public var count: Int

  public init(_ noun: String, _ count: Int) {
    self.noun = noun
    self.count = count
  }
}

/// Rows of a table that no document of the kind can have.
public struct OmittedRows: Hashable, Sendable {
  public var table: String
  public var count: Int
  /// The meaning of the rows, for people: `the personal library`.
  public var meaning: String

  public init(_ table: String, _ count: Int, _ meaning: String) {
    self.table = table
    self.count = count
    self.meaning = meaning
  }
}
