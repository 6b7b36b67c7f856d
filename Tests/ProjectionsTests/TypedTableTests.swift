import CatalogModel
import Promises
import Testing

@testable import Projections

/// Describes one type twice: by an initialiser of all columns, and by properties that are set one by one.
@Suite(
  .promise(
    "A type's columns and members are read the same, whether an initialiser takes them or they are set one by one"
  ))
struct TypedTableTests {
  private struct Book: Hashable {
    var id: EntityID
    var title: String
    var lent = Loan()

    struct Loan: Hashable {
      var reader: String?
      var days = 0.0
    }
  }

  private static let made = TypedTable(
    "book", key: ["id"], indexes: [.index("by_reader", on: ["reader"])],
    Field("id", \Book.id), Field("title", \Book.title), Field("reader", \Book.lent.reader),
    Field("days", \Book.lent.days),
    make: { Book(id: $0, title: $1, lent: Book.Loan(reader: $2, days: $3)) })

  private static let set = TypedTable(
    "book", key: ["id"], indexes: [.index("by_reader", on: ["reader"])],
    Field("id", \Book.id), Field("title", \Book.title), Field("reader", \Book.lent.reader),
    Field("days", \Book.lent.days), empty: { Book(id: .zero, title: "") })

  private static let id = EntityID(bytes: UInt8(1)...16)

  private static let rows: [[Value]] = [
    [.id(id), .text("One"), .null, .real(0)],
    [.id(id), .text(""), .text("Ann"), .real(-0.5)],
    [.id(id), .text("One"), .integer(1), .real(0)],
    [.id(id), .null, .null, .real(0)],
    [.id(id), .text("One"), .null],
    [],
  ]

  private func reading(_ cells: [Value], by table: TypedTable<Book>) -> String {
    do {
      return "\(try table.row(cells))"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: rows)
  func rowsAreReadTheSame(cells: [Value]) throws {
    #expect(reading(cells, by: Self.made) == reading(cells, by: Self.set))
    #expect(Self.made.description.isReadable(cells) == Self.set.description.isReadable(cells))
    guard Self.set.description.isReadable(cells), cells.count == 4 else { return }
    #expect(Self.set.values(try Self.set.row(cells)) == cells)
  }

  @Test func descriptionsAreTheSame() throws {
    #expect(Self.made.description.columns.map(\.name) == Self.set.description.columns.map(\.name))
    #expect(try Self.set.index(by: [\Book.lent.reader]).ordinal == 0)
  }
}
