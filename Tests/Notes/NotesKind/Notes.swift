package import CatalogEngine
import Foundation

/// A note with a number and a text.
package struct Note: Sendable {
  package var number: Int
  package var text: String
  package var mark: String?

  static let table = TypedTable(
    "note", key: ["number"], Field("number", \Note.number), Field("text", \Note.text),
    Field("mark", \Note.mark), make: Note.init)
}

/// An answer to a note.
package struct Answer: Sendable {
  package var number: Int
  package var to: Int

  static let table = TypedTable(
    "answer", key: ["number"], Field("number", \Answer.number),
    Field("to_note", \Answer.to, references: .to("note", "number")),
    make: { Answer(number: $0, to: $1) })
}

package struct NoteWritten: Sendable {
  package var number: Int
  package var text: String

  package init(number: Int, text: String) {
    self.number = number
    self.text = text
  }
}

package enum NoteEventType: String, EventTypeName {
  case written = "note.written"
}

/// Notes, and what a projector may do wrong with them.
package struct Notes: CatalogKind {
  package enum Vice: String, CaseIterable, Sendable {
    case none
    case random
    case clock
    case dictionaryOrder
    case hashOrder
    case throwing
    case throwingAfterAChange
    case wrongColumnType
    case forgettingAField
    case anotherKindsTable
    case danglingReference
  }

  let vice: Vice
  package let name = "notes"
  package let version = 1
  package let schema = Schema(Note.table, Answer.table)

  package init(vice: Vice) {
    self.vice = vice
  }

  package func type(of event: NoteWritten) -> NoteEventType { .written }

  package func write(_ event: NoteWritten, to data: inout PayloadWriter) {
    data.integer("number", Int64(event.number))
    data.string("text", vice == .forgettingAField ? "" : event.text)
  }

  package func read(
    _ type: NoteEventType, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> NoteWritten {
    let number = Int(try data.int64("number"))
    let text = try data.string("text")
    return NoteWritten(number: number, text: vice == .forgettingAField ? text + "!" : text)
  }

  package func apply(_ record: Recorded<NoteWritten>, to rows: some RowStore) throws {
    let event = record.event
    var note = Note(number: event.number, text: event.text, mark: nil)
    switch vice {
    case .none: break
    case .random: note.mark = String(UInt64.random(in: 0 ... .max))
    case .clock: note.mark = String(Int(Date.now.timeIntervalSince1970))
    case .dictionaryOrder:
      let letters = Dictionary(uniqueKeysWithValues: "abcdefghijklmnop".map { (String($0), 1) })
      note.mark = letters.keys.joined()
    case .hashOrder:
      let letters = "abcdefghijklmnop".map { String($0) }
      note.mark = letters.sorted { $0.hashValue < $1.hashValue }.joined()
    case .throwing: throw CocoaError(.fileNoSuchFile)
    case .throwingAfterAChange:
      try rows.put(note, in: Note.table)
      if event.number == 2 { throw ProjectionError(contradiction: "there are two already") }
    case .wrongColumnType:
      try rows.put([.text("one"), .text(event.text), .null], in: schema.tables[0])
    case .forgettingAField: break
    case .danglingReference:
      try rows.put(Answer(number: event.number, to: event.number + 1), in: Answer.table)
    case .anotherKindsTable:
      _ = try rows.row(of: Other.table, key: event.number)
    }
    try rows.put(note, in: Note.table)
  }
}

/// A table of no schema.
private struct Other: Sendable {
  var number: Int

  static let table = TypedTable(
    "other", key: ["number"], Field("number", \Other.number), make: { Other(number: $0) })
}
