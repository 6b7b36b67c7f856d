import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// What a receipt of the content leaves out of tables that the sound library does not have.
@Suite(
  .promise(
    "A receipt names each difference of two databases, and its content part leaves out "
      + "times and the log",
    by: "integer times, words of Unicode"))
struct ContentReceiptTests {
  private let forms = TableForms()

  private func receipt(at time: Int64, _ note: String = "half step") throws -> Receipt {
    let folder = try ScratchFolder()
    let store = MemoryRowStore(schema: forms.schema)
    try store.put(
      [.text("a"), .blob([1]), .null, .integer(time), .null], in: forms.pictures)
    try store.put(forms.text(1, "s", note), in: forms.texts)
    let path = folder.file("pages.sqlite")
    try BulkWriter(forms.migrations).write(store, checkpoint: forms.checkpoint, to: path)
    return try ProjectionFile.receipt(of: path, forms.schema)
  }

  /// Two imports of the same documents give it, whenever they were.
  @Test func integerTimesAreLeftOut() throws {
    let first = try receipt(at: 1)
    let second = try receipt(at: 2)
    #expect(first != second)
    #expect(first.content == second.content)
    #expect(first.json(.content) == second.json(.content))
    let recorded = try RecordedReceipt(json: Data(first.json().utf8))
    #expect(
      recorded.differences(from: second) == ["times: pictures differs only in its time columns"]
    )
    #expect(recorded.differences(from: second, contentOnly: true) == [])
  }

  /// Another version of SQLite may find other words in the same text.
  @Test func wordsOfUnicodeAreLeftOut() throws {
    let receipt = try receipt(at: 1)
    let words = receipt.tables.filter { !$0.isContent }.map(\.table)
    #expect(words == ["search_terms", "plain_search_terms"])
    let content = try RecordedReceipt(json: Data(receipt.json(.content).utf8))
    #expect(
      content.tables.map(\.table) == receipt.tables.map(\.table).filter { !words.contains($0) })
    let whole = try RecordedReceipt(json: Data(receipt.json().utf8))
    #expect(whole.tables.map(\.table) == receipt.tables.map(\.table))
    var other = receipt
    other.tables = receipt.tables.map {
      $0.isContent
        ? $0
        : TableDigest(table: $0.table, rows: 9, exact: "e", timeless: "e", isContent: false)
    }
    #expect(other.content == receipt.content)
    #expect(content.differences(from: other) == [])
    #expect(whole.differences(from: other, contentOnly: true) == [])
    #expect(whole.differences(from: other).count == 2)
    // The texts themselves are content.
    #expect(try self.receipt(at: 1, "half a step").content != receipt.content)
  }
}
