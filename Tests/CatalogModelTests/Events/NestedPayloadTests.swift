import Promises
import Testing

@testable import CatalogModel

/// Payloads with arrays of texts and of objects.
@Suite(
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path",
    by: "arrays of texts and of objects"))
struct NestedPayloadTests {
  private struct Shelf: Equatable {
    var name: String?
    var isFull: Bool?
    var books: [String]
    var boards: [Shelf]?

    func write(to data: inout PayloadWriter) {
      data.string("name", name)
      data.bool("full", isFull)
      data.strings("books", books)
      data.objects("boards", boards) { $0.write(to: &$1) }
    }

    init(name: String?, isFull: Bool?, books: [String], boards: [Shelf]?) {
      (self.name, self.isFull, self.books, self.boards) = (name, isFull, books, boards)
    }

    init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
      name = try data.optionalString("name")
      isFull = try data.optionalBool("full")
      books = try data.strings("books")
      boards = try data.objects("boards") { (data) throws(PayloadReader.Problem) in
        try Shelf(from: &data)
      }
    }
  }

  private let envelope = EventEnvelope(
    sequence: 2, at: Timestamp(milliseconds: 0), type: "shelf",
    operation: EntityID(high: 0, low: 0),
    by: "test")

  private func line(_ shelf: Shelf) -> (line: String, problem: String?) {
    var bytes: [UInt8] = []
    let problem = EventEncoder.encode(envelope, version: 1, into: &bytes, payload: shelf.write)
    return (String(decoding: bytes, as: UTF8.self), problem)
  }

  private func read(_ json: String) throws -> Shelf {
    let value = try Array(json.utf8).withUnsafeBytes { try JSONValue.parse($0) }
    var data = try PayloadReader(value, path: "$.data")
    let shelf = try Shelf(from: &data)
    try data.finish()
    return shelf
  }

  private let shelf = Shelf(
    name: "left", isFull: true, books: ["Momo", "\"", ""],
    boards: [
      Shelf(name: nil, isFull: nil, books: [], boards: []),
      Shelf(name: "top", isFull: false, books: ["é"], boards: nil),
    ])

  @Test func whatIsWrittenIsRead() throws {
    let (text, problem) = line(shelf)
    #expect(problem == nil)
    let data = try #require(text.split(separator: "\"data\":", maxSplits: 1).last).dropLast()
    #expect(
      data == #"{"name":"left","full":true,"books":["Momo","\"",""],"boards":["#
        + #"{"name":null,"full":null,"books":[],"boards":[]},"#
        + #"{"name":"top","full":false,"books":["é"],"boards":null}]}"#)
    #expect(try read(String(data)) == shelf)
  }

  @Test func aTextThatNoLogMayHoldIsNamedByItsPlace() {
    var shelf = shelf
    shelf.boards?[1].books = ["ok", "e\u{301}"]
    #expect(line(shelf).problem == "boards[1].books[1] is not in Unicode's normal form C")
  }

  @Test(arguments: [
    (#"{"name":1,"full":null,"books":[],"boards":null}"#, "$.data.name"),
    (#"{"name":null,"full":0,"books":[],"boards":null}"#, "$.data.full"),
    (#"{"name":null,"full":null,"books":[1],"boards":null}"#, "$.data.books[0]"),
    (#"{"name":null,"full":null,"books":null,"boards":null}"#, "$.data.books"),
    (#"{"name":null,"full":null,"books":[],"boards":{}}"#, "$.data.boards"),
    (#"{"name":null,"full":null,"books":[],"boards":[1]}"#, "$.data.boards[0]"),
    (#"{"name":null,"full":null,"books":[],"boards":[{}]}"#, "$.data.boards[0]"),
    (
      #"{"name":null,"full":null,"books":[],"boards":[{"name":null,"full":null,"books":[],"boards":null,"x":1}]}"#,
      "$.data.boards[0]"
    ),
  ])
  func whatIsWrongIsNamedByItsPath(_ json: String, _ path: String) {
    do {
      _ = try read(json)
      Issue.record("it was read")
    } catch let problem as PayloadReader.Problem {
      #expect(problem.path == path)
    } catch {
      Issue.record("\(error)")
    }
  }
}
