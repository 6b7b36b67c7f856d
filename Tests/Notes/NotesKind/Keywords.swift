package import CatalogEngine

/// An entry of a table whose names are words of SQL.
package struct Entry: Sendable {
  package var index: Int
  package var group: String
  package var from: Int?

  static let table = TypedTable(
    "order", key: ["index"], indexes: [.index("having", on: ["group"])],
    Field("index", \Entry.index), Field("group", \Entry.group, unique: true, isName: true),
    Field("from", \Entry.from, references: .to("order", "index")), make: Entry.init)
}

/// A word of an entry.
package struct Word: Sendable {
  package var `where`: String
  package var select: Int

  static let table = TypedTable(
    "values", key: ["where", "select"], Field("where", \Word.where),
    Field("select", \Word.select, references: .to("order", "index")),
    make: { Word(where: $0, select: $1) })
}

package struct EntryWritten: Sendable {
  package var index: Int
  /// Nil removes the entry.
  package var group: String?

  package init(index: Int, group: String?) {
    self.index = index
    self.group = group
  }
}

package enum EntryEventType: String, EventTypeName {
  case written = "entry.written"
}

/// A kind whose tables, columns and indexes have names that are words of SQL.
package struct Keywords: CatalogKind {
  package let name = "keywords"
  package let version = 1
  package let schema = {
    var schema = Schema(Entry.table, Word.table)
    schema.addFullTextIndex("table", over: schema.tables[0], columns: ["group"])
    return schema
  }()

  package init() {}

  package func type(of event: EntryWritten) -> EntryEventType { .written }

  package func write(_ event: EntryWritten, to data: inout PayloadWriter) {
    data.integer("index", Int64(event.index))
    data.string("group", event.group ?? "")
  }

  package func read(
    _ type: EntryEventType, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> EntryWritten {
    let index = Int(try data.int64("index"))
    let group = try data.string("group")
    return EntryWritten(index: index, group: group.isEmpty ? nil : group)
  }

  package func apply(_ record: Recorded<EntryWritten>, to rows: some RowStore) throws {
    let event = record.event
    if let old = try rows.row(of: Entry.table, key: event.index) {
      for word in old.group.split(separator: " ") {
        try rows.remove(of: Word.table, key: String(word), event.index)
      }
    }
    guard let group = event.group else {
      try rows.remove(of: Entry.table, key: event.index)
      return
    }
    try rows.put(Entry(index: event.index, group: group, from: nil), in: Entry.table)
    for word in Set(group.split(separator: " ")).sorted() {
      try rows.put(Word(where: String(word), select: event.index), in: Word.table)
    }
  }
}
