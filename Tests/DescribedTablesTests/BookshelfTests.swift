import BookshelfExample
import CatalogEngine
import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import KindConformance
import Promises
import Testing

/// The kind of the tutorial, in Swift and as data: the same events give the same rows, and the same ones are refused for the
/// same reason.
@Suite(
  "The Bookshelf as data does what the one in Swift does",
  .promise(
    "The Bookshelf as data has the rows and refusals of the one in Swift",
    by: "generated events, contradictions among them"))
struct BookshelfTests {
  @Test("Generated events, contradictions among them", arguments: [1, 2, 3, 4, 5])
  func isTheSame(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let books = (1...6).map { number in
      (text: "00000000-0000-4000-8000-00000000000\(number)", number: number)
    }
    let readers = ["Ann", "Bob", "O'Neil \"Z\"", "NULL", "日本"]
    var swift: [[BookEvent]] = [[]]
    let text = try String(
      contentsOfFile: ScratchFolder.repository + "/Examples/Bookshelf/kind.json", encoding: .utf8)
    let kind = DescribedKind(try KindDescription.read(Array(text.utf8), file: "kind.json"))
    var described: [[TableEvent]] = [[.described(DescribedMoment(kind.description))]]
    for _ in 0..<150 {
      let book = random.pick(books)
      let id = try #require(EntityID(book.text))
      let member = JSONValue.string(book.text)
      switch random.below(4) {
      case 0:
        let title = "Title \(random.below(4))"
        swift.append([.added(id, title: title)])
        described.append([Stock.own("book.added", ["book": member, "title": .string(title)])])
      case 1, 2:
        let reader = random.pick(readers)
        swift.append([.lent(id, to: reader)])
        described.append([Stock.own("book.lent", ["book": member, "reader": .string(reader)])])
      default:
        swift.append([.returned(id)])
        described.append([Stock.own("book.returned", ["book": member])])
      }
    }
    let (first, second) = (try ScratchFolder(), try ScratchFolder())
    let one = try TrialCatalog(Bookshelf(), swift, in: first.path).directory.database
    let other = try TrialCatalog(kind, described, in: second.path).directory.database
    for sql in [
      "SELECT id, typeof(id), title, reader, lent_at, typeof(lent_at) FROM book ORDER BY id",
      // The description is an event more.
      "SELECT sequence - (SELECT count(*) FROM pragma_table_list WHERE name = 'projection_description'), message FROM projection_conflict ORDER BY sequence",
    ] {
      let (wanted, found) = (
        try SQLiteShell.rows(of: one, sql), try SQLiteShell.rows(of: other, sql)
      )
      #expect(found == wanted, "seed \(seed)")
      #expect(!"\(wanted)".isEmpty)
    }
    let refused = try SQLiteShell.rows(of: one, "SELECT count(*) FROM projection_conflict")
    #expect("\(refused)" != "\(try SQLiteShell.rows(of: one, "SELECT 0"))")
    // Whatever contradicted the rows, a second reader of the described log finds the same ones.
    #expect(try SecondReader.complaint(of: second.path + "/catalog") == nil, "seed \(seed)")
  }
}
